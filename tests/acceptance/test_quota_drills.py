"""Drills: the provider's quota is spent or its service fails; runs wait, ask little, and go on."""

import json
import re
import signal
import subprocess
from datetime import datetime, timedelta

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    Running,
    assert_all_gone,
    assert_sound,
    script,
)
from treadle.rehearsal.fixtures import Rehearse
from treadle.rehearsal.scripted_api import ScriptedApi

AN_HOUR = "  - {role: initializer, turns: [{quota: {resets_in: 3600}}]}\n"
LIMITED, CANCELLED = 6, 130


def begin(harness: CommandHarness, *arguments: str, **variables: str) -> Running:
    """Any command, without waiting for its end."""
    stderr = harness.directory / f"{arguments[0]}.txt"
    with stderr.open("w") as file:
        process = subprocess.Popen(
            [harness.command, *arguments],
            cwd=harness.project,
            env={**harness.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    return Running(process, stderr)


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment)


def log_of(harness: CommandHarness, run: str) -> Finished:
    return harness.treadle("logs", run, "--json")


def state_of(harness: CommandHarness, run: str) -> str:
    rows = json.loads(harness.treadle("ls", "--json").stdout)
    [state] = [row["state"] for row in rows if row["id"] == run]
    return str(state)


def test_a_run_goes_on_by_itself_after_each_reset_and_asks_once_each_time(
    harness: CommandHarness,
) -> None:
    limits = [
        f"  - {{role: initializer, turns: [{{quota: {{resets_in: {seconds}}}}}]}}\n"
        for seconds in (3, 2)
    ]

    # Each session has one answer in the script: a second request would make the rehearsal fail.
    finished = harness.deliver(
        script(*limits, ONE_DELIVERABLE, BUILD_IT, auth="subscription"), "--wait-for-quota"
    )

    assert (finished.exit_code, finished.result["rounds"]) == (0, 2)
    assert finished.types().count("session.started") == 4
    shown = ("run.paused", "run.resumed", "session.started")
    assert [e["type"] for e in finished.of_type(*shown)] == [
        *("session.started", "run.paused", "run.resumed") * 2,
        *("session.started",) * 2,
    ]
    pauses = [event["until"] for event in finished.of_type("run.paused")]
    woken = [line["at"] for line in finished.lines if line["event"]["type"] == "run.resumed"]
    assert all(at(later) >= at(until) for until, later in zip(pauses, woken, strict=True))
    assert finished.of_type("round.failed") == []
    assert_sound(harness, finished)


def test_a_run_that_sleeps_for_an_hour_survives_a_kill_and_is_cancelled_in_its_sleep(
    harness: CommandHarness,
) -> None:
    before = harness.git("for-each-ref", "refs/heads")
    running = harness.start(script(AN_HOUR, auth="subscription"), "--wait-for-quota")
    run = str(running.until("run.started")["run"])
    until = running.until("run.paused")["until"]
    running.process.send_signal(signal.SIGKILL)
    assert_all_gone(running.finish())

    resumed = begin(harness, "resume", run, "--json")
    resumed.until("run.recovered")
    assert state_of(harness, run) == "paused"
    cancelled = harness.treadle("cancel", run)
    finished = resumed.finish()

    assert (cancelled.exit_code, finished.exit_code) == (0, CANCELLED)
    log = log_of(harness, run)
    assert [event["until"] for event in log.of_type("run.paused")] == [until]
    asked_at = next(line["at"] for line in log.lines if line["event"]["type"] == "quota.reported")
    slept = at(until) - at(asked_at)
    assert timedelta(minutes=59) < slept < timedelta(minutes=61)
    assert log.types().count("session.started") == 1
    assert log.result["reason"] == "cancelled"
    assert log.result["duration_s"] < 60
    assert harness.git("for-each-ref", "refs/heads") == before
    assert_sound(harness, log)


def test_a_run_that_does_not_wait_says_how_to_go_on_and_asks_no_more_until_then(
    harness: CommandHarness,
) -> None:
    before = harness.git("for-each-ref", "refs/heads"), harness.git("status", "--porcelain")

    finished = harness.deliver(script(AN_HOUR, auth="subscription"))
    assert_sound(harness, finished)
    run = finished.events[0]["run"]
    again = harness.treadle("resume", run, "--json")

    assert (finished.exit_code, again.exit_code) == (LIMITED, LIMITED)
    for stopped in (finished, again):
        assert f"treadle resume {run[-8:]}" in stopped.stderr
        assert "the provider's usage quota is spent" in stopped.stderr
    assert log_of(harness, run).types().count("session.started") == 1
    assert (
        harness.git("for-each-ref", "refs/heads"),
        harness.git("status", "--porcelain"),
    ) == before


def neighbour_of(harness: CommandHarness) -> CommandHarness:
    """Another project whose runs are kept in the same place."""
    neighbour = CommandHarness(harness.directory / "other")
    neighbour.root = harness.root
    return neighbour


def anyone(session: str) -> str:
    """The session for whoever asks first: only rehearsals tell the model of roles."""
    return re.sub("role: [a-z]+", "name: any", session)


def with_login(api: ScriptedApi, token: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": api.base_url, "CLAUDE_CODE_OAUTH_TOKEN": token}


def test_two_runs_with_one_login_share_what_one_of_them_learned(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    neighbour = neighbour_of(harness)
    harness.settings({})
    neighbour.settings({})
    api = rehearse(script(anyone(AN_HOUR), auth="subscription"))
    login = with_login(api, "sk-ant-oat01-dummy-of-the-test")

    first = harness.treadle("deliver", "--no-sandbox", "--json", **login)
    asked = api.request_count
    refused = neighbour.treadle("deliver", "--no-sandbox", "--json", **login)
    waiting = begin(neighbour, "deliver", "--no-sandbox", "--wait-for-quota", "--json", **login)
    run = str(waiting.until("run.started")["run"])
    paused = waiting.until("run.paused")
    cancelled = neighbour.treadle("cancel", run)
    finished = waiting.finish()

    assert (first.exit_code, refused.exit_code, asked) == (LIMITED, LIMITED, 1)
    assert refused.of_type("session.started", "round.started") == []
    assert refused.result["message"] == first.result["message"] == paused["reason"]
    assert (cancelled.exit_code, finished.exit_code) == (0, CANCELLED)
    assert finished.of_type("session.started") == []
    assert api.request_count == asked
    for each in (harness, neighbour):
        assert each.git("for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


def test_another_login_is_not_held_up(harness: CommandHarness, rehearse: Rehearse) -> None:
    neighbour = neighbour_of(harness)
    harness.settings({})
    neighbour.settings({})
    sessions = (AN_HOUR, ONE_DELIVERABLE, BUILD_IT)
    api = rehearse(script(*map(anyone, sessions), auth="subscription"))

    limited = harness.treadle(
        "deliver", "--no-sandbox", "--json", **with_login(api, "sk-ant-oat01-dummy-of-one")
    )
    finished = neighbour.treadle(
        "deliver", "--no-sandbox", "--json", **with_login(api, "sk-ant-oat01-dummy-of-another")
    )

    assert (limited.exit_code, finished.exit_code) == (LIMITED, 0)


FAILING = "{error: {status: 500, message: out of order, headers: {x-should-retry: 'false'}}"


def test_a_service_that_fails_three_times_is_left_alone_until_a_trial_works(
    harness: CommandHarness,
) -> None:
    down = f"  - {{role: initializer, repeat: 4, turns: [{FAILING}, repeat: forever}}]}}\n"

    finished = harness.deliver(
        script(down, ONE_DELIVERABLE, BUILD_IT),
        settings={"deliver.breaker_rest_s": "4"},
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    shown = ("session.started", "breaker.opened", "breaker.closed", "run.paused", "run.resumed")
    pause = ("run.paused", "run.resumed")
    assert [event["type"] for event in finished.of_type(*shown)] == [
        *("session.started", *pause) * 2,
        *("session.started", "breaker.opened", *pause) * 2,
        "session.started",
        "breaker.closed",
        "session.started",
    ]
    first, second = finished.of_type("breaker.opened")
    assert first["reason"].startswith("it failed 3 times in a row, the last time with: ")
    assert second["reason"].startswith("it failed 4 times in a row, the last time with: ")
    assert "out of order" in first["reason"]
    *_, third, fourth = finished.of_type("run.paused")
    assert [third["until"], fourth["until"]] == [first["until"], second["until"]]
    assert_sound(harness, finished)
