"""A run whose process is killed while its work is shown, at whatever moment, and told again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import with_checks
from tests.unit.workflows.killed_process import DoomedSteps, DoomedStore, Killed, Moment
from tests.unit.workflows.run_harness import StoryStage, did, ending, stage_in, turned
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.verification import (
    CheckFinished,
    ClaimRefused,
    DeliverableClaimed,
    RegressionFound,
)
from treadle.domain.events.work import DeliverableChanged
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.verify.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.memory_check_runner import GREEN, RED, MemoryCheckRunner

FACTS = (
    RoundStarted,
    SessionEnded,
    DeliverableClaimed,
    ClaimRefused,
    DeliverableChanged,
    RegressionFound,
)


@dataclass
class TreeGround:
    """A command is the name of a file, and green where a commit has it."""

    stage: StoryStage

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        if self.stage.stop.is_set():
            return CommandStopped()
        files = self.stage.user.git("ls-tree", "--name-only", trial.commit).splitlines()
        said = GREEN if trial.command in files else RED
        return await MemoryCheckRunner({(trial.command, ""): said}).run(trial)


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    """Two deliverables, each with a check, and sessions that claim them too early, show them, and
    break what was shown."""
    stage = stage_in(tmp_path)
    stage.plan(
        with_checks(deliverable("DL-1"), "one.txt"),
        with_checks(deliverable("DL-2"), "two.txt"),
    )
    stage.runner = TreeGround(stage)

    removed = did(lambda: (stage.workspace / "one.txt").unlink(missing_ok=True))
    stage.sessions = [
        [turned("DL-1", "passed"), stage.wrote("zero.txt"), ending()],
        [stage.wrote("one.txt"), turned("DL-1", "passed"), ending()],
        [stage.wrote("two.txt"), removed, turned("DL-2", "passed"), ending()],
        [stage.wrote("one.txt"), turned("DL-1", "passed"), ending()],
    ]
    return stage


def checks_of(stage: StoryStage) -> list[CheckFinished]:
    return [e for e in stage.events if isinstance(e, CheckFinished) and e.evidence.when != "before"]


@dataclass(frozen=True)
class Told:
    """All that must be the same, however often the run was told."""

    result: RunResult
    facts: list[object]
    steps: list[str]
    # Whether each session was told of something that did not hold.
    prompts: list[bool]


def fact(event: Event) -> object:
    match event:
        case SessionEnded(result=result):
            return result.outcome.type
        case DeliverableChanged():
            return replace(event, commit="somewhere" if event.commit else "")
        case _:
            return event


def about(name: str) -> tuple[str, str]:
    return name, f"What {name} is about"


def shown(name: str) -> Sequence[object]:
    passed = DeliverableChanged(*about(name), "pending", "passed", "proven", "somewhere")
    return DeliverableClaimed(*about(name)), "completed", passed


EXPECTED = Told(
    RunResult("all_passed", 4, Tally(passed=2, total=2), 0.0, Usage(), 0.0),
    [
        RoundStarted(1, "coding"),
        DeliverableClaimed(*about("DL-1")),
        "completed",
        ClaimRefused(*about("DL-1"), red=1),
        RoundStarted(2, "coding"),
        *shown("DL-1"),
        RoundStarted(3, "coding"),
        *shown("DL-2"),
        RegressionFound("DL-1", "DL-1 can be seen", 3),
        DeliverableChanged(*about("DL-1"), "passed", "pending"),
        RoundStarted(4, "coding"),
        *shown("DL-1"),
    ],
    [
        *("begin", "look 1", "session 1", "home 1", "verify 1"),
        *("session 2", "home 2", "verify 2", "session 3", "home 3", "verify 3", "show 1"),
        *("session 4", "home 4", "verify 4", "show 2"),
    ],
    [False, True, False, True],
)


async def told_to_its_end(stage: StoryStage) -> Told:
    stage.through, stage.writing = lambda steps: steps, lambda store: store
    result = await stage.tell()
    # A session that was cut off and resumed is told no more than that.
    began = {brief.session: brief.prompt for brief in stage.agent.briefs if not brief.resume}
    prompts = ["what did not hold" in prompt for prompt in began.values()]
    facts = [fact(event) for event in stage.of_type(*FACTS)]
    return Told(result, facts, stage.steps, prompts)


async def test_a_run_that_nobody_disturbs(stage: StoryStage) -> None:
    assert await told_to_its_end(stage) == EXPECTED
    assert len({brief.session for brief in stage.agent.briefs}) == 4


async def test_what_a_run_had_not_shown_when_it_was_ended_is_shown_first_when_it_goes_on(
    stage: StoryStage,
) -> None:
    stop = did(stage.stop.set)
    written = [stage.wrote("one.txt"), stage.wrote("two.txt")]
    stage.sessions = [
        [*written, turned("DL-1", "passed"), turned("DL-2", "passed"), stop, ending()]
    ]
    interrupted = await stage.tell()
    stage.record(RunEnded(interrupted), RunReopened("resume", stage.limits))
    stage.stop = asyncio.Event()

    resumed = await stage.tell()

    assert (interrupted.reason, resumed.reason) == ("interrupted", "all_passed")
    assert stage.steps == ["begin", "look 1", "verify 0", "show 1"]
    assert len(stage.agent.briefs) == 1
    # Seen to fail on the tree before all work, not on the one that had the work already.
    assert [(d.id, d.proof) for d in stage.status.read()] == [
        ("DL-1", "proven"),
        ("DL-2", "proven"),
    ]


SHOWING = [at for at, name in enumerate(EXPECTED.steps, 1) if name.startswith(("verify", "show"))]


@pytest.mark.parametrize("at", SHOWING, ids=[EXPECTED.steps[at - 1] for at in SHOWING])
@pytest.mark.parametrize("moment", get_args(Moment))
async def test_a_run_that_is_killed_while_its_work_is_shown_ends_as_if_nothing_had_been(
    stage: StoryStage, at: int, moment: Moment
) -> None:
    stage.through = lambda steps: DoomedSteps(steps, at, moment)
    with pytest.raises(Killed):
        await stage.tell()

    assert await told_to_its_end(stage) == EXPECTED


async def writes_of(stage: StoryStage) -> int:
    """How often a run writes to its log."""
    doomed: list[DoomedStore] = []

    def watched(store: Store) -> Store:
        doomed.append(DoomedStore(store, at=10_000))
        return doomed[-1]

    stage.writing = watched
    await stage.tell()
    return doomed[-1].appended


WRITES = 45


async def test_the_run_writes_to_its_log_so_many_times(stage: StoryStage) -> None:
    assert await writes_of(stage) == WRITES


@pytest.mark.parametrize("at", range(1, WRITES + 1))
async def test_a_run_that_is_killed_before_anything_it_writes_ends_as_if_nothing_had_been(
    stage: StoryStage, at: int
) -> None:
    stage.writing = lambda store: DoomedStore(store, at)
    with pytest.raises(Killed):
        await stage.tell()

    assert await told_to_its_end(stage) == EXPECTED
