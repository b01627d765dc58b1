"""`resume` and `retry`: what they say, do and refuse."""

from pathlib import Path

import pytest

from treadle.domain.events.run import RunReopened
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.runs.locks import lock_project_for
from treadle.runs.request_json import read_request
from treadle.workspace.project_root import project_key

from .project_cli import ProjectCli, stopped
from .sample_runs import RUN, recorded
from .stored_runs import store

GOING_ON = pytest.mark.parametrize("command", ["resume", "retry"])


@GOING_ON
def test_a_run_that_is_done_has_nothing_to_go_on_with(
    command: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.store_run(*stopped("all_passed"))

    assert cli.treadle(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Run 7c01d2e4 is done. See what it changed with `treadle diff 7c01d2e4`.",
    ]
    assert cli.states() == ["succeeded"]


@GOING_ON
@pytest.mark.parametrize(
    ("given", "reason", "option"),
    [
        ((), "max_iterations", "-n 4"),
        (("--max-cost", "99"), "max_iterations", "-n 4"),  # not that one
        (("-n", "2"), "max_iterations", "-n 4"),  # not more than before
        (("--max-cost", "0.4"), "budget_exceeded", "--max-cost 0.8"),
        (("--max-minutes", "61"), "time_exceeded", "--max-minutes 122"),
    ],
)
def test_a_run_at_its_limit_goes_on_only_where_that_limit_is_raised(
    command: str,
    given: tuple[str, ...],
    reason: ExitReason,
    option: str,
    cli: ProjectCli,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = cli.store_run(*stopped(reason, message="it has used all"))

    assert cli.treadle(command, "last", *given) == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e4 has reached its limit: it has used all",
        f"  hint: raise the limit: treadle {command} 7c01d2e4 {option}",
    ]
    assert len(cli.events(run)) == 2


@GOING_ON
def test_a_run_whose_request_is_gone_is_replaced_by_a_new_one(
    command: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    store(cli.root, recorded(stopped("interrupted")), cli.repository.path)

    assert cli.treadle(command) == 1
    assert capsys.readouterr().err.splitlines() == [
        "treadle: the stored request of run 7c01d2e4 cannot be read",
        "  hint: start a new run with `treadle deliver`; it continues from this one's branch",
    ]


@GOING_ON
def test_a_run_that_was_cleaned_cannot_continue(
    command: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.store_run(*stopped("interrupted"))
    cli.treadle("clean", "--older-than", "0")
    capsys.readouterr()

    assert cli.treadle(command) == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: run 7c01d2e4 was cleaned: only its entry in the list is left",
        "  hint: start a new run",
    ]


@GOING_ON
def test_a_project_that_another_run_works_on_is_left_to_it(
    command: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.store_run(*stopped("interrupted"))
    other = RunId(f"{RUN[:-1]}9")

    with lock_project_for(cli.root, project_key(cli.repository.path), other):
        assert cli.treadle(command) == 1

    assert capsys.readouterr().err.splitlines() == [
        f"treadle: another run is working on this project: {other}",
        f"  hint: follow it with `treadle logs -f {other}`",
    ]


@GOING_ON
def test_a_project_that_a_run_of_another_root_works_on_is_left_to_it(
    command: str, cli: ProjectCli, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.store_run(*stopped("interrupted"))
    root, path, other = tmp_path / "other-root", cli.repository.path, RunId(f"{RUN[:-1]}9")

    with lock_project_for(root, project_key(path), other, path):
        assert cli.treadle(command) == 1

    assert capsys.readouterr().err.splitlines() == [
        f"treadle: another run is working on this project: {other}, of {root}",
        f"  hint: follow it with `TREADLE_ROOT={root} treadle logs -f {other}`",
    ]


@GOING_ON
@pytest.mark.parametrize(
    "wrong",
    [("--max-cost", "much"), ("--max-iterations", "1.5"), ("--model", "opus"), ("--land", "auto")],
)
def test_what_cannot_be_said_anew_is_wrong_usage(
    command: str, wrong: tuple[str, str], cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(*stopped("interrupted"))

    assert cli.treadle(command, "last", *wrong) == 2
    assert wrong[0] in capsys.readouterr().err
    assert len(cli.events(run)) == 2


@GOING_ON
def test_a_run_that_ended_is_reopened_and_left_to_the_workers(
    command: str, cli: ProjectCli, capsys: pytest.CaptureFixture[str]
) -> None:
    run = cli.store_run(*stopped("max_iterations"))

    with cli.served():
        assert cli.treadle(command, "d2e4", "--detach", "-n", "5", "--wait-for-quota") == 0

    shown = capsys.readouterr()
    assert shown.out == f"{run}\n"
    assert shown.err == "Detached. Follow it with `treadle attach 7c01d2e4`.\n"
    assert cli.states() == ["queued"]
    reopened = cli.events(run)[-1]
    assert isinstance(reopened, RunReopened)
    assert (reopened.by, reopened.limits.max_iterations) == (command, 5)
    request = read_request(cli.root, run)
    assert (request.leg, request.flags) == (
        2,
        {"limits.max_iterations": 5, "quota.wait": True},
    )


def test_a_run_left_to_the_workers_twice_is_reopened_once(cli: ProjectCli) -> None:
    run = cli.store_run(*stopped("interrupted", rounds=1))

    with cli.served():
        codes = [cli.treadle("resume", "last", "--detach") for _ in range(2)]

    assert codes == [0, 0]
    assert [event.type for event in cli.events(run)] == [
        "run.started",
        "run.ended",
        "run.reopened",
    ]
