"""`treadle auto` before it starts: what the increments may cost, by those done before."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.events.run import RunStarted
from treadle.settings.environment import parse_environment

from .sample_runs import success
from .stored_runs import Command, store
from .test_increments import spec

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def two_increments(project: Path) -> None:
    for name in ("0001-one", "0002-two"):
        spec(project, name, "# One\n\nA file.\n")


def done_before(root: Path, project: Path, *, rehearsal: bool = False) -> None:
    """An increment that has cost $0.42."""
    log = [
        replace(each, event=replace(each.event, workflow="increment", rehearsal=rehearsal))
        if isinstance(each.event, RunStarted)
        else each
        for each in success()
    ]
    store(root, log, project)


@pytest.mark.parametrize(
    ("words", "estimate", "is_declined"),
    [
        pytest.param("auto", "2 increments, about $0.84", True, id="above"),
        pytest.param("auto --yes", "2 increments, about $0.84", False, id="agreed to"),
        pytest.param("auto --increments 2", "1 increment, about $0.42", False, id="below"),
    ],
)
def test_a_queue_that_may_cost_more_than_is_allowed_needs_a_yes(
    project: Path, root: Path, words: str, estimate: str, is_declined: bool, capsys: Printed
) -> None:
    done_before(root, project)
    (project / "treadle.toml").write_text("[auto]\nask_above_usd = 0.5\n")
    environment = parse_environment({"TREADLE_ROOT": str(root), "HOME": str(root)})

    # The project of this test is no repository, which is found next.
    assert run_command(words.split(), CommandContext(environment, project)) != 0

    printed = capsys.readouterr().err
    assert estimate in printed
    assert ("more than auto.ask_above_usd ($0.50)" in printed) is is_declined
    assert ("is not a git repository" in printed) is not is_declined


def test_words_that_could_not_be_started_are_the_same_increment_the_next_time(
    project: Path, treadle: Command, capsys: Printed
) -> None:
    # The project of this test is no repository.
    assert 0 not in [treadle("auto", "Log in by e-mail") for _ in range(2)]

    assert capsys.readouterr().err.count("Added .treadle/increments/0003-log-in-by-e-mail") == 1
    names = sorted(path.name for path in (project / ".treadle" / "increments").iterdir())
    assert names == ["0001-one", "0002-two", "0003-log-in-by-e-mail"]


def test_what_was_rehearsed_estimates_nothing(
    root: Path, project: Path, treadle: Command, capsys: Printed
) -> None:
    done_before(root, project, rehearsal=True)

    assert treadle("auto") != 0

    assert (
        "2 increments; no estimate: no increment has finished here yet" in capsys.readouterr().err
    )


def test_increments_are_worked_through_unless_that_is_switched_off(
    project: Path, treadle: Command, capsys: Printed
) -> None:
    (project / "treadle.toml").write_text("[auto]\nenabled = false\n")

    assert treadle("auto") == 2
    assert "`auto` is turned off for this project" in capsys.readouterr().err
