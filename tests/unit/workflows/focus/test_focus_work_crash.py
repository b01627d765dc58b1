"""A `focus` run whose process is killed at any moment ends the same in another process."""

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    finding,
    make_focus_harness,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.killed_process import KilledSteps, KilledStore, Moment, ProcessKilled
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

pytestmark = pytest.mark.slow

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
def harness(tmp_path: Path) -> FocusHarness:
    harness = make_focus_harness(tmp_path)
    wrong = finding("major", "It is spelt wrong", file="face.py", quote="lower")
    harness.sessions = [
        planned("# Plan\n\n- [ ] face\n"),
        [
            harness.wrote("face.py", "lower\n"),
            *marker("NOTE", "Round."),
            *marker("DONE", "Add the face"),
            ending(),
        ],
        reviewed("REQUEST_CHANGES", [wrong]),
        planned("# Plan\n\n- [ ] mend\n"),
        [harness.wrote("face.py", "face\n"), *marker("DONE", "Mend the face"), ending()],
        reviewed("APPROVED"),
    ]
    return harness


@dataclass(frozen=True)
class RunFacts:
    """All that must be the same, however often its process was killed."""

    result: RunResult
    facts: list[str]
    commits: list[str]
    steps: list[str]
    files: list[tuple[str, str]]


def fact(event: Event) -> str:
    """An event without what differs from one process to the next: commits, and their dates."""
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


async def run_to_the_end(harness: FocusHarness) -> RunFacts:
    harness.wrap_steps, harness.wrap_store = lambda steps: steps, lambda store: store
    result = await harness.execute()
    return RunFacts(
        result,
        sorted(fact(event) for event in harness.of_type(*FACTS)),
        harness.user.log(BRANCH),
        harness.steps,
        list(harness.wip.items()),
    )


def undisturbed(directory: Path, harness: FocusHarness) -> FocusHarness:
    """The same run with nobody killed in it."""
    directory.mkdir()
    other = make_focus_harness(directory)
    other.sessions = [
        [other.wrote("face.py", text), *list(moves)[1:]] if text else moves
        for moves, text in zip(harness.sessions, ["", "lower\n", "", "", "face\n", ""], strict=True)
    ]
    return other


async def test_an_undisturbed_run(harness: FocusHarness) -> None:
    told = await run_to_the_end(harness)

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
    harness: FocusHarness, tmp_path: Path, at: int, moment: Moment
) -> None:
    expected = await run_to_the_end(undisturbed(tmp_path / "undisturbed", harness))
    harness.wrap_steps = lambda steps: KilledSteps(steps, at, moment)
    for _ in range(len(expected.steps) - at + 1):
        with pytest.raises(ProcessKilled):
            await harness.execute()

    assert await run_to_the_end(harness) == expected
    assert len(harness.agent.briefs) == 6  # no session was run twice


async def test_a_run_that_is_killed_again_and_again_before_it_writes_ends_all_the_same(
    harness: FocusHarness, tmp_path: Path
) -> None:
    expected = await run_to_the_end(undisturbed(tmp_path / "undisturbed", harness))
    for at in count(2):
        harness.wrap_store = lambda store, at=at: KilledStore(store, at)  # type: ignore[misc]
        try:
            await harness.execute()
        except ProcessKilled:
            continue
        break

    told = await run_to_the_end(harness)

    # A session that was cut says again what it had said; all else is told once.
    assert sorted(set(told.facts)) == sorted(set(expected.facts))
    assert (told.result, told.commits) == (expected.result, expected.commits)


async def test_a_run_that_was_interrupted_goes_on_with_the_phase_that_was_due(
    harness: FocusHarness,
) -> None:
    harness.limit(max_iterations=2)
    first = await harness.execute()
    assert first.reason == "max_iterations"
    assert harness.focus_files is not None
    harness.focus_files.close()
    harness.record(RunEnded(first), RunReopened("resume", harness.limits))
    assert (harness.wip, list(harness.history)) == ({}, [".md"])

    harness.limit(max_iterations=9)
    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 2)
    assert harness.steps[:4] == ["begin", "setup 0", "check 0", "look 1"]
    assert harness.set_up == ["set up", "anew", "set up", "set up", "anew", "set up"]
    assert list(harness.wip) == [
        ".md",
        ".round-1.md",
        ".round-1.review.md",
        ".round-2.review.md",
    ]
