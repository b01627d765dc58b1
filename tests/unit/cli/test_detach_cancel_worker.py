"""`--detach`, `cancel` and `worker`: what they say, do and refuse."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.domain.events.run import InterruptRequested, RoundStarted, RunEnded, RunWarned
from treadle.domain.ids import RunId
from treadle.domain.run import ExitReason
from treadle.domain.run_row import RunFilter
from treadle.durable.client import cancel as forget
from treadle.durable.client import enqueue
from treadle.durable.queries import unfinished_workflows
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location
from treadle.runs.find import runs_of
from treadle.runs.request_json import read_request, request_json

from .desk import Desk, stopped
from .stored_runs import living
from .told_runs import STARTED

SCRIPT = """
version: 1
sessions:
  - role: initializer
    turns:
      - text: <DONE>Nothing to do.</DONE>
"""


def test_a_rehearsal_can_be_left_to_the_workers(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(SCRIPT)

    with desk.served():
        assert desk.treadle("rehearse", str(script), "--", "deliver", "--detach", "-n", "4") == 0

    run = RunId(capsys.readouterr().out.strip())
    assert [event.type for event in desk.events(run)] == ["run.queued"]
    assert (desk.root / "runs" / run / "rehearsal.yaml").read_text() == SCRIPT
    request = read_request(desk.root, run)
    assert (request.rehearsal, request.flags["limits.max_iterations"]) == (True, 4)


def test_what_is_wrong_is_said_before_a_run_is_queued(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk.repository.path / "SPEC.md").unlink()

    assert desk.treadle("deliver", "--detach") == 2
    assert capsys.readouterr().err.splitlines()[0] == (
        f"treadle: no SPEC.md in {desk.repository.path}"
    )
    assert desk.states() == []


def test_a_run_that_nobody_works_on_is_cancelled_at_once(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run = desk.told(STARTED, RoundStarted(1, "coding"))

    assert desk.treadle("cancel") == 0
    assert capsys.readouterr().err == ("Run 7c01d2e4 is cancelled; no process was working on it.\n")
    asked, end = desk.events(run)[-2:]
    assert asked == InterruptRequested("cancel")
    assert isinstance(end, RunEnded)
    assert (end.result.reason, desk.states()) == ("cancelled", ["ended"])


def test_a_run_that_somebody_works_on_is_asked_to_stop(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run = desk.told(STARTED, RoundStarted(1, "coding"))

    with living(desk.root, run):
        assert desk.treadle("cancel") == 0
        assert desk.states() == ["running"]

    assert capsys.readouterr().err == ("Run 7c01d2e4 was asked to stop: it saves its work first.\n")


@pytest.mark.parametrize("reason", ["all_passed", "interrupted", "cancelled"])
def test_a_run_that_has_ended_cannot_be_cancelled(
    reason: ExitReason, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run = desk.told(*stopped(reason))

    assert desk.treadle("cancel") == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e4 has ended already",
        "  hint: nothing is left to cancel",
    ]
    assert len(desk.events(run)) == 2


def test_a_worker_without_work_ends_when_it_may(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.treadle("worker", "--until-idle", "--sessions", "3") == 0
    assert capsys.readouterr().err.splitlines() == [
        "worker ready · up to 3 sessions at once",
        "worker ended",
    ]


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_worker_without_a_session_is_none(
    number: str, desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.treadle("worker", "--sessions", number) == 2
    assert "--sessions" in capsys.readouterr().err


def test_a_queued_run_that_cannot_begin_ends_with_the_reason(desk: Desk, tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(SCRIPT)
    with desk.served():
        desk.treadle("rehearse", str(script), "--", "deliver", "--detach")
    (desk.repository.path / "SPEC.md").unlink()

    desk.treadle("worker", "--until-idle")

    (row,) = runs_of(desk.environment.storage, desk.repository.path, RunFilter())
    end = desk.events(row.id)[-1]
    assert isinstance(end, RunEnded)
    assert (row.state, end.result.reason) == ("ended", "error")
    assert end.result.message.startswith(f"no SPEC.md in {desk.repository.path}")


def test_a_run_that_had_begun_is_set_aside_with_the_reason_and_keeps_what_it_has(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    run = desk.told(STARTED, RoundStarted(1, "coding"))
    location = engine_location(desk.environment.storage)
    enqueue(location, run, ENGINE_WORKFLOW, request_json(read_request(desk.root, run)))
    (desk.repository.path / "SPEC.md").unlink()

    assert desk.treadle("worker", "--until-idle") == 0

    warned = desk.events(run)[-1]
    assert isinstance(warned, RunWarned)
    assert warned.message.startswith(f"set aside: no SPEC.md in {desk.repository.path}")
    assert "run 7c01d2e4 is set aside: no SPEC.md in" in capsys.readouterr().err
    assert desk.states() == ["lost"]
    # Nobody goes on with it, so there is nothing to wait for.
    with desk.served():
        assert desk.treadle("attach") == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Run 7c01d2e4 is set aside: treadle resume 7c01d2e4"
    )


def test_what_the_engine_had_given_up_is_queued_again_by_a_person(desk: Desk) -> None:
    run = desk.told(STARTED, RoundStarted(1, "coding"))
    location = engine_location(desk.environment.storage)
    enqueue(location, run, ENGINE_WORKFLOW, request_json(read_request(desk.root, run)))
    forget(location, run)
    with closing(open_database(desk.environment.storage)) as database:
        ControlRequests(database).add(run, "cancel", by="somebody", at=datetime.now(UTC))

    with desk.served():
        assert desk.treadle("resume", "--detach") == 0

    assert [(seen.workflow_id, seen.queue) for seen in unfinished_workflows(location)] == [
        (run, "shared")
    ]
    with closing(open_database(desk.environment.storage)) as database:
        assert ControlRequests(database).find_oldest(run) is None
