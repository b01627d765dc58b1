"""A run asks a person once, settles once and records once, wherever it is killed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from types import UnionType
from typing import TypeVar

import pytest

from tests.builders import NOON, RUN, FakeClock
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.approval import (
    Answer,
    Approval,
    ApprovalQuestion,
    ApprovalRecord,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
    make_approval,
)
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.storage import Storage
from treadle.durable.memory import MemorySteps
from treadle.durable.port import Json
from treadle.durable.step_codec import encode
from treadle.workflows.loop.approval_requests import (
    POLL_S,
    ApprovalOutcome,
    ApprovalRequester,
    NotAnswered,
    ask,
    void_questions,
)

T = TypeVar("T")

PLAN = ApprovalQuestion(
    kind="plan",
    text="Work by this plan?",
    subject="1. Add numbers",
    subject_hash="0123",
    patience=timedelta(minutes=20),
    at_deadline="approve",
)
OTHER_PLAN = replace(PLAN, subject="1. Divide numbers", subject_hash="4567")
APPROVAL = make_approval(PLAN, run=RUN, step="1: plan", now=NOON)
DEADLINE = NOON + timedelta(minutes=20)


class ProcessKilled(BaseException):
    """The process is gone, in the middle of whatever it did."""


@dataclass
class Life:
    """How many things a process still does before it is killed."""

    left: int | None = None

    def use(self) -> None:
        if self.left is None:
            return
        self.left -= 1
        if self.left <= 0:
            raise ProcessKilled


class MortalSteps(MemorySteps):
    """Steps of a process that may be killed after it acted one and before that is stored."""

    def __init__(self, stored: list[tuple[str, Json]], life: Life) -> None:
        super().__init__(stored)
        self._life = life

    async def step(
        self, name: str, act: Callable[[], Awaitable[T]], *, returns: type[T] | UnionType
    ) -> T:
        async def acted() -> T:
            self._life.use()
            result = await act()
            self._life.use()
            return result

        result = await super().step(name, acted, returns=returns)
        self._life.use()
        return result


@dataclass
class RequestHarness:
    """One run with real stored approvals. Steps and log outlive a process, as they do on a disk."""

    approvals: DatabaseApprovals
    clock: FakeClock = field(default_factory=FakeClock)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    steps: list[tuple[str, Json]] = field(default_factory=list)
    log: dict[str, Event] = field(default_factory=dict)
    life: Life = field(default_factory=Life)
    leg: int = 1

    def record(self, event: Event, *, once: str = "") -> None:
        self.life.use()
        self.log.setdefault(once, event)
        self.life.use()

    @property
    def asker(self) -> ApprovalRequester:
        return ApprovalRequester(RUN, self.leg, self.approvals, self.clock, self.stop, self)

    async def ask(self, question: ApprovalQuestion = PLAN, step: str = "plan") -> ApprovalOutcome:
        steps = MortalSteps(self.steps, self.life)
        return await ask(steps, self.asker, question, step=step)

    def answer(self, answer: Answer) -> None:
        """Somebody at another terminal; later ones come too late."""
        self.approvals.answer(APPROVAL.id, answer, subject_hash="0123")

    @property
    def recorded(self) -> list[Event]:
        return list(self.log.values())


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[RequestHarness]:
    with closing(open_database(Storage(tmp_path))) as database:
        yield RequestHarness(DatabaseApprovals(database))


async def test_a_run_goes_on_with_the_answer_soon_after_it_was_given(
    harness: RequestHarness,
) -> None:
    given_at = NOON + timedelta(minutes=5)
    said = Answer("replied", "ada", given_at, "smaller steps")

    def look() -> None:
        if harness.clock.moment == given_at:
            harness.answer(said)

    harness.clock.on_sleep = look

    assert await harness.ask() == said
    assert harness.clock.moment - given_at <= timedelta(seconds=POLL_S)
    assert harness.recorded == [
        ApprovalAsked(APPROVAL),
        ApprovalAnswered(APPROVAL.id, "replied", "ada", "smaller steps"),
    ]


async def test_without_an_answer_the_deadline_decides(harness: RequestHarness) -> None:
    assert await harness.ask() == LapsedQuestion("approved", DEADLINE)
    assert harness.clock.moment == DEADLINE
    assert harness.approvals.find(APPROVAL.id) == ApprovalRecord(
        APPROVAL, LapsedQuestion("approved", DEADLINE)
    )
    assert harness.recorded == [ApprovalAsked(APPROVAL), ApprovalLapsed(APPROVAL.id, "approved")]


async def test_a_machine_that_slept_over_the_deadline_has_waited_long_enough(
    harness: RequestHarness,
) -> None:
    harness.clock.on_sleep = lambda: harness.clock.advance(86_400)

    assert await harness.ask() == LapsedQuestion("approved", DEADLINE)
    assert len(harness.clock.slept) == 1


async def test_a_clock_that_is_set_takes_nothing_from_the_time_to_answer(
    harness: RequestHarness,
) -> None:
    days = iter((+3, -5))

    def set_clock() -> None:
        harness.clock.moment += timedelta(days=next(days, 0))

    harness.clock.on_sleep = set_clock

    assert await harness.ask() == LapsedQuestion("approved", DEADLINE)
    assert sum(harness.clock.slept) == (DEADLINE - NOON).total_seconds()


async def test_a_run_that_is_to_stop_does_not_wait_on(harness: RequestHarness) -> None:
    harness.clock.on_sleep = harness.stop.set

    assert await harness.ask() == NotAnswered(APPROVAL.id)
    assert harness.approvals.find(APPROVAL.id) == ApprovalRecord(APPROVAL)
    assert harness.recorded == [ApprovalAsked(APPROVAL)]


async def test_an_answer_that_is_there_counts_although_the_run_is_to_stop(
    harness: RequestHarness,
) -> None:
    said = Answer("approved", "ada", NOON)
    harness.approvals.ask(APPROVAL)
    harness.answer(said)
    harness.stop.set()

    assert await harness.ask() == said


async def test_a_workflow_that_is_replayed_does_not_ask_again(harness: RequestHarness) -> None:
    harness.clock.on_sleep = harness.stop.set
    await harness.ask()
    harness.stop.clear()
    harness.clock.on_sleep = lambda: None

    # Not even the answer of today changes what the run went on with.
    harness.answer(Answer("approved", "ada", NOON))

    assert await harness.ask() == NotAnswered(APPROVAL.id)
    assert harness.recorded == [ApprovalAsked(APPROVAL)]


async def test_what_an_ended_run_still_asked_is_void_and_asked_anew_when_it_goes_on(
    harness: RequestHarness,
) -> None:
    harness.clock.on_sleep = harness.stop.set
    await harness.ask()

    for _ in range(2):
        void_questions(harness.asker, reason="the run ended")
    now = harness.clock.moment
    harness.leg, harness.steps, harness.stop = 2, [], asyncio.Event()
    harness.clock.on_sleep = lambda: None
    anew = make_approval(PLAN, run=RUN, step="2: plan", now=now)

    assert await harness.ask() == LapsedQuestion("approved", now + timedelta(minutes=20))
    assert harness.recorded == [
        ApprovalAsked(APPROVAL),
        ApprovalVoided(APPROVAL.id, "the run ended"),
        ApprovalAsked(anew),
        ApprovalLapsed(anew.id, "approved"),
    ]


async def test_a_question_about_another_subject_takes_the_place_of_the_first(
    harness: RequestHarness,
) -> None:
    harness.approvals.ask(APPROVAL)
    harness.record(ApprovalAsked(APPROVAL), once=f"asked {APPROVAL.id}")
    harness.clock.on_sleep = harness.stop.set
    other = make_approval(OTHER_PLAN, run=RUN, step="1: plan", now=NOON)

    assert await harness.ask(OTHER_PLAN) == NotAnswered(other.id)
    assert harness.approvals.find(APPROVAL.id) == ApprovalRecord(
        APPROVAL, VoidedQuestion("its subject changed", NOON)
    )
    assert harness.recorded == [
        ApprovalAsked(APPROVAL),
        ApprovalVoided(APPROVAL.id, "its subject changed"),
        ApprovalAsked(other),
    ]


async def test_a_reply_is_followed_by_another_question_with_a_time_of_its_own(
    harness: RequestHarness,
) -> None:
    said = Answer("replied", "ada", NOON, "divide")
    harness.clock.on_sleep = lambda: harness.answer(said)
    steps = MemorySteps(harness.steps)

    first = await ask(steps, harness.asker, PLAN, step="plan")
    asked_again = harness.clock.moment
    second = await ask(steps, harness.asker, OTHER_PLAN, step="plan 2")

    assert first == said
    assert second == LapsedQuestion("approved", asked_again + timedelta(minutes=20))


async def test_a_question_that_is_gone_from_the_database_is_an_error_in_words(
    harness: RequestHarness,
) -> None:
    harness.steps.append(("ask plan", encode(APPROVAL, Approval)))

    with pytest.raises(StoreError, match="is no longer in the database"):
        await harness.ask()


@pytest.mark.parametrize(
    ("said", "outcome", "event"),
    [
        (
            Answer("denied", "ada", NOON, "no"),
            Answer("denied", "ada", NOON, "no"),
            ApprovalAnswered(APPROVAL.id, "denied", "ada", "no"),
        ),
        (None, LapsedQuestion("approved", DEADLINE), ApprovalLapsed(APPROVAL.id, "approved")),
    ],
)
@pytest.mark.parametrize("things_done", range(1, 11))
async def test_killed_anywhere_it_asks_once_and_goes_on_with_the_same_end(
    harness: RequestHarness,
    things_done: int,
    said: Answer | None,
    outcome: Settlement,
    event: Event,
) -> None:
    if said is not None:
        harness.clock.on_sleep = lambda: harness.answer(said)
    harness.life.left = things_done
    with pytest.raises(ProcessKilled):
        await harness.ask()
    harness.life.left = None

    assert await harness.ask() == outcome
    assert harness.approvals.list_for_run(RUN) == [ApprovalRecord(APPROVAL, outcome)]
    assert harness.recorded == [ApprovalAsked(APPROVAL), event]
