"""A run whose process is killed while it verifies ends the same in another process."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import with_checks
from tests.unit.workflows.killed_process import KilledSteps, KilledStore, Moment, ProcessKilled
from tests.unit.workflows.run_harness import RunHarness, did, ending, make_run_harness, turned
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.verification import (
    CheckFinished,
    ClaimRefused,
    CriterionGrade,
    DeliverableClaimed,
    DeliverableGraded,
    RegressionFound,
)
from treadle.domain.events.work import DeliverableChanged
from treadle.domain.pin_plan import PinnedFile, PinPlan
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.results.memory_check_runner import GREEN, RED, MemoryCheckRunner

pytestmark = pytest.mark.slow

FACTS = (
    RoundStarted,
    SessionEnded,
    DeliverableClaimed,
    ClaimRefused,
    DeliverableGraded,
    DeliverableChanged,
    RegressionFound,
)
# The agent changed a file that judges the one, and wrote the only file that the other looks at.
PINNED_FILES = {
    "one.txt": PinnedFile("zero.txt", "restored", "tests"),
    "two.txt": PinnedFile("two.txt", "left_out", "tests"),
}


@dataclass(frozen=True)
class FileJudges:
    """A command is the name of a file, and has one judge."""

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        return PinPlan(base, (PINNED_FILES[command],))

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        return ()


@dataclass
class TreeRunner:
    """A command is the name of a file, and green where a tree has it."""

    harness: RunHarness

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        if self.harness.stop.is_set():
            return CommandStopped()
        files = self.harness.user.git("ls-tree", "--name-only", trial.commit).splitlines()
        pins = trial.pins.files if trial.pins else ()
        left_out = [each.path for each in pins if each.action == "left_out"]
        said = GREEN if trial.command in files and trial.command not in left_out else RED
        return await MemoryCheckRunner({(trial.command, ""): said}).run(trial)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    """Two deliverables, each with a check, and sessions that claim them too early, show them, and
    break what was shown."""
    harness = make_run_harness(tmp_path)
    harness.plan(
        with_checks(deliverable("DL-1"), "one.txt", origin="spec"),
        with_checks(deliverable("DL-2"), "two.txt", origin="spec"),
    )
    harness.runner, harness.judges = TreeRunner(harness), FileJudges()

    removed = did(lambda: (harness.workspace / "one.txt").unlink(missing_ok=True))
    harness.sessions = [
        [turned("DL-1", "passed"), harness.wrote("zero.txt"), ending()],
        [harness.wrote("one.txt"), turned("DL-1", "passed"), ending()],
        [harness.wrote("two.txt"), removed, turned("DL-2", "passed"), ending()],
        [harness.wrote("one.txt"), turned("DL-1", "passed"), ending()],
    ]
    return harness


def checks_of(harness: RunHarness) -> list[CheckFinished]:
    return [
        e for e in harness.events if isinstance(e, CheckFinished) and e.evidence.when != "before"
    ]


@dataclass(frozen=True)
class RunFacts:
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


PROVEN = CriterionGrade("DL-1 can be seen", "proven", "spec", "passed")
WHY = "it fails without two.txt, which the agent added"
SELF_TESTED = CriterionGrade("DL-2 can be seen", "self-tested", "agent", "failed", WHY)
GRADED = {
    "DL-1": DeliverableGraded("DL-1", "proven", (PROVEN,)),
    "DL-2": DeliverableGraded("DL-2", "self-tested", (SELF_TESTED,)),
}


def shown(name: str) -> Sequence[object]:
    graded = GRADED[name]
    passed = DeliverableChanged(*about(name), "pending", "passed", graded.grade, "somewhere")
    return DeliverableClaimed(*about(name)), "completed", graded, passed


EXPECTED = RunFacts(
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
        # Graded once for each commit that it was verified on.
        GRADED["DL-2"],
    ],
    [
        *("begin", "look 1", "try commands", "session 1", "home 1", "verify 1"),
        *("session 2", "home 2", "verify 2", "session 3", "home 3", "verify 3", "show 1"),
        *("session 4", "home 4", "verify 4", "show 2"),
    ],
    [False, True, False, True],
)


async def run_to_the_end(harness: RunHarness) -> RunFacts:
    harness.wrap_steps, harness.wrap_store = lambda steps: steps, lambda store: store
    result = await harness.execute()
    # A session that was cut off and resumed is told no more than that.
    began = {brief.session: brief.prompt for brief in harness.agent.briefs if not brief.resume}
    prompts = ["what did not hold" in prompt for prompt in began.values()]
    facts = [fact(event) for event in harness.of_type(*FACTS)]
    return RunFacts(result, facts, harness.steps, prompts)


async def test_a_run_that_nobody_disturbs(harness: RunHarness) -> None:
    assert await run_to_the_end(harness) == EXPECTED
    assert len({brief.session for brief in harness.agent.briefs}) == 4


async def test_what_a_run_had_not_shown_when_it_was_ended_is_shown_first_when_it_goes_on(
    harness: RunHarness,
) -> None:
    stop = did(harness.stop.set)
    written = [harness.wrote("one.txt"), harness.wrote("two.txt")]
    harness.sessions = [
        [*written, turned("DL-1", "passed"), turned("DL-2", "passed"), stop, ending()]
    ]
    interrupted = await harness.execute()
    harness.record(RunEnded(interrupted), RunReopened("resume", harness.limits))
    harness.stop = asyncio.Event()

    resumed = await harness.execute()

    assert (interrupted.reason, resumed.reason) == ("interrupted", "all_passed")
    assert harness.steps == ["begin", "look 1", "verify 0", "try commands", "show 1"]
    assert len(harness.agent.briefs) == 1
    # Seen to fail on the tree before all work, not on the one that had the work already.
    assert [(d.id, d.proof) for d in harness.status.read()] == [
        ("DL-1", "proven"),
        ("DL-2", "self-tested"),
    ]


SHOWING = [at for at, name in enumerate(EXPECTED.steps, 1) if name.startswith(("verify", "show"))]


@pytest.mark.parametrize("at", SHOWING, ids=[EXPECTED.steps[at - 1] for at in SHOWING])
@pytest.mark.parametrize("moment", get_args(Moment))
async def test_a_run_that_is_killed_while_its_work_is_shown_ends_as_if_nothing_had_been(
    harness: RunHarness, at: int, moment: Moment
) -> None:
    harness.wrap_steps = lambda steps: KilledSteps(steps, at, moment)
    with pytest.raises(ProcessKilled):
        await harness.execute()

    assert await run_to_the_end(harness) == EXPECTED


async def writes_of(harness: RunHarness) -> int:
    """How often a run writes to its log."""
    killed: list[KilledStore] = []

    def watched(store: Store) -> Store:
        killed.append(KilledStore(store, at=10_000))
        return killed[-1]

    harness.wrap_store = watched
    await harness.execute()
    return killed[-1].appended


WRITES = 58


async def test_the_run_writes_to_its_log_so_many_times(harness: RunHarness) -> None:
    assert await writes_of(harness) == WRITES


@pytest.mark.parametrize("at", range(1, WRITES + 1))
async def test_a_run_that_is_killed_before_anything_it_writes_ends_as_if_nothing_had_been(
    harness: RunHarness, at: int
) -> None:
    harness.wrap_store = lambda store: KilledStore(store, at)
    with pytest.raises(ProcessKilled):
        await harness.execute()

    assert await run_to_the_end(harness) == EXPECTED
