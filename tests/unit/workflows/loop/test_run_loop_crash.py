"""A run whose process is killed at any moment ends the same in another process."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from tests.builders import claimed, deliverable
from tests.unit.workflows.killed_process import KilledSteps, KilledStore, Moment, ProcessKilled
from tests.unit.workflows.run_harness import (
    BRANCH,
    SPEC_HASH,
    RunHarness,
    created,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.agent import Fault
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundFailed, RoundStarted, RunPaused, RunResumed
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkCommitted,
    WorkImported,
    WorkspacePrepared,
)
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.session import Crashed
from treadle.domain.usage import Usage

pytestmark = pytest.mark.slow

LIMITED = Fault("You've hit your limit · resets 6pm (UTC)")
SIX_AND_A_MINUTE = datetime(2026, 5, 4, 18, 1, tzinfo=UTC)


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    return make_run_harness(tmp_path)


def fact(event: Event) -> object:
    """An event without what differs from one process to the next: commits, and their dates."""
    match event:
        case WorkCommitted(message=message):
            return "committed", message
        case WorkImported(commits=commits):
            return "imported", commits
        case SessionEnded(result=result):
            return "ended", result.outcome.type
        case SessionStarted() | WorkspacePrepared():
            return event.type
        case _:
            return event


FACTS = (
    RoundStarted,
    RoundFailed,
    RunPaused,
    RunResumed,
    SessionEnded,
    DeliverableCreated,
    DeliverableChanged,
    StatusAdopted,
    PlanMade,
    WorkspacePrepared,
    WorkCommitted,
    WorkImported,
)


@dataclass(frozen=True)
class RunFacts:
    """All that must be the same, however often its process was killed."""

    result: RunResult
    facts: list[object]
    commits: list[str]
    steps: list[str]


async def run_to_the_end(harness: RunHarness) -> RunFacts:
    harness.wrap_steps, harness.wrap_store = lambda steps: steps, lambda store: store
    result = await harness.execute()
    tip = harness.user.git("rev-parse", BRANCH)
    assert harness.status.read() == (claimed("DL-1", tip), claimed("DL-2", tip))
    facts = [fact(event) for event in harness.of_type(*FACTS)]
    return RunFacts(result, facts, harness.user.log(BRANCH), harness.steps)


def passed(name: str) -> DeliverableChanged:
    return DeliverableChanged(name, f"What {name} is about", "pending", "passed", "claimed")


PLANNED = [
    "workspace.prepared",
    RoundStarted(1, "initializer"),
    DeliverableCreated(deliverable("DL-1")),
    DeliverableCreated(deliverable("DL-2")),
    ("ended", "completed"),
    ("committed", "Round 1: work in progress"),
    ("imported", 1),
    PlanMade(SPEC_HASH),
]


def long_run(harness: RunHarness) -> RunFacts:
    """A run that plans, fails, waits for quota, and builds; and how it goes undisturbed."""
    harness.wait_for_quota = True
    harness.sessions = [
        [created("DL-1", "DL-2"), harness.wrote("plan.md"), ending(cost_usd=0.25)],
        [harness.wrote("half.py"), ending(Crashed("gone", 1), cost_usd=0.5)],
        [ending(LIMITED)],
        [
            harness.wrote("one.py"),
            turned("DL-1", "passed"),
            turned("DL-2", "passed"),
            ending(cost_usd=1.0),
        ],
    ]
    titles = [
        "Round 3: What DL-1 is about (DL-1), What DL-2 is about (DL-2)",
        "Round 2: work in progress",
        "Round 1: work in progress",
    ]
    return RunFacts(
        RunResult("all_passed", 3, Tally(passed=2, total=2), 1.75, Usage(), 0.0),
        [
            *PLANNED,
            RoundStarted(2, "coding"),
            ("ended", "crashed"),
            ("committed", titles[1]),
            ("imported", 2),
            RoundFailed(2, "gone", 1, 3),
            RoundStarted(3, "coding"),
            ("ended", "quota_exceeded"),
            RunPaused(LIMITED.message, SIX_AND_A_MINUTE),
            RunResumed(),
            RoundStarted(3, "coding"),
            passed("DL-1"),
            passed("DL-2"),
            ("ended", "completed"),
            ("committed", titles[0]),
            ("imported", 3),
        ],
        [*titles, "First"],
        STEPS,
    )


STEPS = [
    "begin",
    "look 1",
    "try commands",
    "session 1",
    "home 1",
    "session 2",
    "home 2",
    "session 3",
    "home 3",
    "pause 1",
    "look 2",
    "session 4",
    "home 4",
]


async def test_a_run_that_nobody_disturbs(harness: RunHarness) -> None:
    expected = long_run(harness)

    assert await run_to_the_end(harness) == expected
    assert len(harness.agent.briefs) == 4


@pytest.mark.parametrize("at", range(1, len(STEPS) + 1), ids=STEPS)
@pytest.mark.parametrize("moment", get_args(Moment))
async def test_a_run_that_is_killed_at_any_step_ends_as_if_nothing_had_been(
    harness: RunHarness, at: int, moment: Moment
) -> None:
    expected = long_run(harness)
    harness.wrap_steps = lambda steps: KilledSteps(steps, at, moment)
    with pytest.raises(ProcessKilled):
        await harness.execute()

    assert await run_to_the_end(harness) == expected
    assert len(harness.agent.briefs) == 4  # no session was run twice


async def test_a_run_that_is_killed_at_every_one_of_its_steps_ends_all_the_same(
    harness: RunHarness,
) -> None:
    expected = long_run(harness)
    harness.wrap_steps = lambda steps: KilledSteps(steps, 1, "after it is stored")
    for _ in STEPS:
        with pytest.raises(ProcessKilled):
            await harness.execute()

    assert await run_to_the_end(harness) == expected
    assert len(harness.agent.briefs) == 4


def short_run(harness: RunHarness) -> RunFacts:
    """A run of two rounds; and how it goes undisturbed."""
    harness.sessions = [
        [created("DL-1", "DL-2"), harness.wrote("plan.md"), ending(cost_usd=0.25)],
        [harness.wrote("one.py"), turned("DL-1", "passed"), turned("DL-2", "passed"), ending()],
    ]
    title = "Round 2: What DL-1 is about (DL-1), What DL-2 is about (DL-2)"
    return RunFacts(
        RunResult("all_passed", 2, Tally(passed=2, total=2), 0.25, Usage(), 0.0),
        [
            *PLANNED,
            RoundStarted(2, "coding"),
            passed("DL-1"),
            passed("DL-2"),
            ("ended", "completed"),
            ("committed", title),
            ("imported", 2),
        ],
        [title, "Round 1: work in progress", "First"],
        STEPS[:7],
    )


def in_one_order(told: RunFacts) -> RunFacts:
    """A commit that the killed process made is told only behind the import that shows it."""
    return replace(told, facts=sorted(told.facts, key=repr))


# How often a short run writes to its log; a killed one does not come to the next time.
WRITES = 19


async def test_a_short_run_writes_to_its_log_so_many_times(harness: RunHarness) -> None:
    expected, writing = short_run(harness), list[KilledStore]()

    def watched(store: Store) -> Store:
        writing.append(KilledStore(store, at=1_000))
        return writing[-1]

    harness.wrap_store = watched
    await harness.execute()

    assert [each.appended for each in writing] == [WRITES]
    assert [fact(event) for event in harness.of_type(*FACTS)] == expected.facts


@pytest.mark.parametrize("at", range(1, WRITES + 1))
async def test_a_run_that_is_killed_before_anything_it_writes_ends_as_if_nothing_had_been(
    harness: RunHarness, at: int
) -> None:
    expected = short_run(harness)
    harness.wrap_store = lambda store: KilledStore(store, at)
    with pytest.raises(ProcessKilled):
        await harness.execute()

    assert in_one_order(await run_to_the_end(harness)) == in_one_order(expected)
    started = [e for e in harness.of_type(SessionStarted) if isinstance(e, SessionStarted)]
    cut = [event for event in started if event.resumed]
    assert len(started) - len(cut) == len({event.session for event in started})
    assert [brief.session for brief in harness.agent.briefs if brief.resume] == [
        event.session for event in cut
    ]
