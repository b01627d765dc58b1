"""A `focus` run whose process is killed, at whatever moment, and told again by another."""

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusStage,
    finding,
    focus_stage_in,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.killed_process import DoomedSteps, DoomedStore, Killed, Moment
from tests.unit.workflows.run_harness import BRANCH, ending
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import (
    CommandFinished,
    IssueSaved,
    PhaseStarted,
    PlanWritten,
    ReviewJudged,
    ReviewWritten,
)
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.session import SessionEnded, SignalGiven
from treadle.domain.events.work import WorkCommitted
from treadle.domain.run import RunResult

FACTS = (
    RoundStarted,
    PhaseStarted,
    PlanWritten,
    CommandFinished,
    ReviewWritten,
    ReviewJudged,
    IssueSaved,
    SignalGiven,
    SessionEnded,
    WorkCommitted,
)


@pytest.fixture
def stage(tmp_path: Path) -> FocusStage:
    stage = focus_stage_in(tmp_path)
    wrong = finding("major", "It is spelt wrong", file="face.py", quote="lower")
    stage.sessions = [
        planned("# Plan\n\n- [ ] face\n"),
        [
            stage.wrote("face.py", "lower\n"),
            *marker("NOTE", "Round."),
            *marker("DONE", "Add the face"),
            ending(),
        ],
        reviewed("REQUEST_CHANGES", [wrong]),
        planned("# Plan\n\n- [ ] mend\n"),
        [stage.wrote("face.py", "face\n"), *marker("DONE", "Mend the face"), ending()],
        reviewed("APPROVED"),
    ]
    return stage


@dataclass(frozen=True)
class Told:
    """All that must be the same, however often the run was told."""

    result: RunResult
    facts: list[str]
    commits: list[str]
    steps: list[str]
    files: list[tuple[str, str]]


def fact(event: Event) -> str:
    """An event without what differs from one telling to the next: commits, and their dates."""
    match event:
        case WorkCommitted(message=message):
            return f"committed {message}"
        case SessionEnded(result=result):
            return f"ended {result.outcome.type}"
        case CommandFinished():
            return repr(replace(event, commit=""))
        case ReviewJudged():
            return repr(replace(event, commit=""))
        case _:
            return repr(event)


async def told_to_its_end(stage: FocusStage) -> Told:
    stage.through, stage.writing = lambda steps: steps, lambda store: store
    result = await stage.tell()
    return Told(
        result,
        sorted(fact(event) for event in stage.of_type(*FACTS)),
        stage.user.log(BRANCH),
        stage.steps,
        list(stage.wip.items()),
    )


def undisturbed(directory: Path, stage: FocusStage) -> FocusStage:
    """The same run with nobody killed in it."""
    directory.mkdir()
    other = focus_stage_in(directory)
    other.sessions = [
        [other.wrote("face.py", text), *list(moves)[1:]] if text else moves
        for moves, text in zip(stage.sessions, ["", "lower\n", "", "", "face\n", ""], strict=True)
    ]
    return other


async def test_an_undisturbed_run(stage: FocusStage) -> None:
    told = await told_to_its_end(stage)

    assert (told.result.reason, told.result.rounds) == ("approved", 2)
    assert told.commits == ["Mend the face", "Add the face", "First"]
    assert told.files[0] == (
        ".md",
        "# Plan\n\n- [ ] mend\n\n# Progress Log\n\n<DONE>\nMend the face\n</DONE>\n",
    )
    assert [name for name, _ in told.files[1:]] == [
        ".round-1.md",
        ".round-1.review.md",
        ".round-2.review.md",
    ]


@pytest.mark.parametrize(
    ("at", "moment"), [(1, "after it is stored"), (2, "before it acts"), (2, "before it is stored")]
)
async def test_a_run_that_is_killed_at_each_of_its_steps_ends_as_if_nothing_had_been(
    stage: FocusStage, tmp_path: Path, at: int, moment: Moment
) -> None:
    expected = await told_to_its_end(undisturbed(tmp_path / "undisturbed", stage))
    stage.through = lambda steps: DoomedSteps(steps, at, moment)
    for _ in range(len(expected.steps) - at + 1):
        with pytest.raises(Killed):
            await stage.tell()

    assert await told_to_its_end(stage) == expected
    assert len(stage.agent.briefs) == 6  # no session was run twice


async def test_a_run_that_is_killed_again_and_again_before_it_writes_ends_all_the_same(
    stage: FocusStage, tmp_path: Path
) -> None:
    expected = await told_to_its_end(undisturbed(tmp_path / "undisturbed", stage))
    for at in count(2):
        stage.writing = lambda store, at=at: DoomedStore(store, at)  # type: ignore[misc]
        try:
            await stage.tell()
        except Killed:
            continue
        break

    told = await told_to_its_end(stage)

    # A session that was cut says again what it had said; all else is told once.
    assert sorted(set(told.facts)) == sorted(set(expected.facts))
    assert (told.result, told.commits) == (expected.result, expected.commits)


async def test_a_run_that_was_interrupted_goes_on_with_the_phase_that_was_due(
    stage: FocusStage,
) -> None:
    stage.limit(max_iterations=2)
    first = await stage.tell()
    assert first.reason == "max_iterations"
    assert stage.chronicle is not None
    stage.chronicle.close()
    stage.record(RunEnded(first), RunReopened("resume", stage.limits))
    assert (stage.wip, list(stage.history)) == ({}, [".md"])

    stage.limit(max_iterations=9)
    result = await stage.tell()

    assert (result.reason, result.rounds) == ("approved", 2)
    assert stage.steps[:4] == ["begin", "setup 0", "check 0", "look 1"]
    assert stage.set_up == ["anew", "set up", "set up", "anew", "set up"]
    assert list(stage.wip) == [
        ".md",
        ".round-1.md",
        ".round-1.review.md",
        ".round-2.review.md",
    ]
