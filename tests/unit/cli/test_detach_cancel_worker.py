"""`--detach`, `cancel` and `worker`: what they say, do and refuse."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.domain.events.run import InterruptRequested, RoundStarted, RunEnded, RunWarned
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunFilter
from treadle.durable.client import cancel as forget
from treadle.durable.client import enqueue
from treadle.durable.queries import unfinished_workflows
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, worker_queue
from treadle.runs.find import list_project_runs
from treadle.runs.request_json import read_request, request_json
from treadle.runs.shell_environment import login_of

from .project_cli import ProjectCli, stopped
from .sample_runs import STARTED
from .stored_runs import living

pytestmark = pytest.mark.slow

SCRIPT = """
version: 1
sessions:
  - role: initializer
    turns:
      - text: <DONE>Nothing to do.</DONE>
"""


def test_a_rehearsal_can_be_left_to_the_workers(
    cli: ProjectCli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(SCRIPT)

    with cli.served():
        assert cli.treadle("rehearse", str(script), "--", "deliver", "--detach", "-n", "4") == 0

    run = RunId(capsys.readouterr().out.strip())
    assert [event.type for event in cli.events(run)] == ["run.queued"]
    assert (cli.root / "runs" / run / "rehearsal.yaml").read_text() == SCRIPT
    request = read_request(cli.root, run)
    assert (request.rehearsal, request.flags["limits.max_iterations"]) == (True, 4)


def test_what_is_wrong_is_said_before_a_run_is_queued(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    (cli.repository.path / "SPEC.md").unlink()

    assert cli.treadle("deliver", "--detach") == 2
    assert capsys.readouterr().err.splitlines()[0] == (
        f"treadle: no SPEC.md in {cli.repository.path}"
    )
    assert cli.states() == []


def test_a_run_that_nobody_works_on_is_cancelled_at_once(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(STARTED, RoundStarted(1, "coding"))

    assert cli.treadle("cancel") == 0
    assert capsys.readouterr().err == ("Run 7c01d2e4 is cancelled; no process was working on it.\n")
    asked, end = cli.events(run)[-2:]
    assert asked == InterruptRequested("cancel")
    assert isinstance(end, RunEnded)
    assert (end.result.reason, cli.states()) == ("cancelled", ["ended"])


def test_a_run_that_somebody_works_on_is_asked_to_stop(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(STARTED, RoundStarted(1, "coding"))

    with living(cli.root, run):
        assert cli.treadle("cancel") == 0
        assert cli.states() == ["running"]

    assert capsys.readouterr().err == ("Run 7c01d2e4 was asked to stop: it saves its work first.\n")


@pytest.mark.parametrize("reason", ["all_passed", "interrupted", "cancelled"])
def test_a_run_that_has_ended_cannot_be_cancelled(
    reason: ExitReason, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(*stopped(reason))

    assert cli.treadle("cancel") == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e4 has already ended",
        "  hint: nothing is left to cancel",
    ]
    assert len(cli.events(run)) == 2


def test_a_worker_without_work_ends_when_it_may(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.treadle("worker", "--until-idle", "--sessions", "3") == 0
    assert capsys.readouterr().err.splitlines() == [
        "worker ready · up to 3 sessions at once",
        "worker ended",
    ]


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_worker_without_a_session_is_none(
    number: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.treadle("worker", "--sessions", number) == 2
    assert "--sessions" in capsys.readouterr().err


def test_a_queued_run_that_cannot_begin_ends_with_the_reason(
    cli: ProjectCli, tmp_path: Path
) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(SCRIPT)
    with cli.served():
        cli.treadle("rehearse", str(script), "--", "deliver", "--detach")
    (cli.repository.path / "SPEC.md").unlink()

    cli.treadle("worker", "--until-idle")

    (row,) = list_project_runs(cli.environment.storage, cli.repository.path, RunFilter())
    end = cli.events(row.id)[-1]
    assert isinstance(end, RunEnded)
    assert (row.state, end.result.reason) == ("ended", "error")
    assert end.result.message.startswith(f"no SPEC.md in {cli.repository.path}")


def test_a_queued_run_waits_for_a_worker_with_the_login_of_its_shell(
    cli: ProjectCli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(SCRIPT)
    with cli.served():
        cli.treadle("rehearse", str(script), "--", "deliver", "--detach")
    run = capsys.readouterr().out.strip()
    raw = {**cli.environment.raw, "ANTHROPIC_API_KEY": "sk-company"}
    company = ProjectCli(cli.repository, replace(cli.environment, raw=raw))

    assert company.treadle("worker", "--until-idle") == 0

    assert [event.type for event in cli.events(RunId(run))] == ["run.queued"]
    capsys.readouterr()
    for command in ("ls", "status"):
        cli.treadle(command)
        assert "queued: needs its login" in capsys.readouterr().out
    cli.treadle("show")
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "Queued: needs its login"
    resume = f"treadle resume {run[-8:]} --detach  # run this where the login is"
    assert shown[-1].endswith(resume)
    # Whoever resumes it gives it the login of that shell.
    with company.served():
        assert company.treadle("resume", "--detach") == 0
    assert read_request(cli.root, RunId(run)).login == login_of(company.environment)


def test_a_run_that_had_begun_is_set_aside_with_the_reason_and_keeps_what_it_has(
    cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(STARTED, RoundStarted(1, "coding"))
    location = engine_location(cli.environment.storage)
    enqueue(location, run, ENGINE_WORKFLOW, request_json(read_request(cli.root, run)))
    (cli.repository.path / "SPEC.md").unlink()

    assert cli.treadle("worker", "--until-idle") == 0

    warned = cli.events(run)[-1]
    assert isinstance(warned, RunWarned)
    assert warned.message.startswith(f"set aside: no SPEC.md in {cli.repository.path}")
    assert "run 7c01d2e4 is set aside: no SPEC.md in" in capsys.readouterr().err
    assert cli.states() == ["lost"]
    # Nobody goes on with it, so there is nothing to wait for.
    with cli.served():
        assert cli.treadle("attach") == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Run 7c01d2e4 is set aside: treadle resume 7c01d2e4"
    )


def test_what_the_engine_had_given_up_is_queued_again_by_a_person(cli: ProjectCli) -> None:
    run = cli.store_run(STARTED, RoundStarted(1, "coding"))
    location = engine_location(cli.environment.storage)
    enqueue(location, run, ENGINE_WORKFLOW, request_json(read_request(cli.root, run)))
    forget(location, run)
    with closing(open_database(cli.environment.storage)) as database:
        ControlRequests(database).add(run, "cancel", by="somebody", at=datetime.now(UTC))

    with cli.served():
        assert cli.treadle("resume", "--detach") == 0

    assert [(seen.workflow_id, seen.queue) for seen in unfinished_workflows(location)] == [
        (run, worker_queue(login_of(cli.environment)))
    ]
    with closing(open_database(cli.environment.storage)) as database:
        assert ControlRequests(database).find_oldest(run) is None
