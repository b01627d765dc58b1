"""Drills: Treadle is updated while a run is lost; the new version goes on with it."""

import signal
import sqlite3
from contextlib import closing

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    script,
)

HANGING = BUILD_IT.replace("      - text: Built and checked.", "      - {hang: true}")


def lose_run_of_another_version(harness: CommandHarness) -> str:
    """Kill a run in its second session, and rename one of its stored steps."""
    running = harness.start(script(ONE_DELIVERABLE, HANGING, BUILD_IT))
    run = str(running.until("run.started")["run"])
    running.until("deliverable.changed", status="passed")
    running.until("tool.finished")
    running.process.send_signal(signal.SIGKILL)
    running.finish()
    with closing(sqlite3.connect(harness.root / "engine.db")) as database:
        renamed = database.execute(
            "UPDATE operation_outputs SET function_name = 'glance 1' WHERE function_name = 'look 1'"
        )
        assert renamed.rowcount == 1
        database.commit()
    return run


def assert_went_on(harness: CommandHarness, log: Finished) -> None:
    first, last = (event["result"] for event in log.of_type("run.ended"))
    assert (first["reason"], first["outdated"]) == ("error", True)
    assert first["message"] == (
        "this run was started by another version of Treadle: its next step was “glance 1” and is "
        "“look 1” now (`treadle resume` continues in a new leg)"
    )
    assert (last["reason"], last["outdated"]) == ("all_passed", False)
    assert len(log.of_type("run.reopened")) == 1
    assert (harness.project / "hello.txt").read_text() == "hello\n"


def test_resume_goes_on_with_a_run_that_another_version_began(harness: CommandHarness) -> None:
    run = lose_run_of_another_version(harness)

    finished = harness.treadle("resume", run, "--json")

    assert finished.exit_code == 0
    assert_went_on(harness, harness.treadle("logs", run, "--json"))


def test_a_worker_goes_on_with_a_run_that_another_version_began(harness: CommandHarness) -> None:
    run = lose_run_of_another_version(harness)

    worked = harness.treadle("worker", "--until-idle")

    assert worked.exit_code == 0
    assert_went_on(harness, harness.treadle("logs", run, "--json"))
