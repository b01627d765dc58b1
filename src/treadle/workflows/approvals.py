"""Asking a person in the middle of a run: asked once, waited for, settled and told once."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeAlias, assert_never

from treadle.domain.approval import (
    Answer,
    Approval,
    ApprovalDesk,
    ApprovalId,
    Lapsed,
    Question,
    Settled,
    Standing,
    Voided,
    approval_id,
    asked,
)
from treadle.domain.errors import StoreError
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.ids import RunId
from treadle.domain.ports import Clock
from treadle.durable.port import Steps

# How soon an answer from another process is noticed.
LOOK_EVERY_S = 1.0

RecordOnce: TypeAlias = Callable[[str, Event], None]
ApprovalEvent: TypeAlias = ApprovalAnswered | ApprovalLapsed | ApprovalVoided


@dataclass(frozen=True, slots=True)
class Asker:
    """What one run asks through; `record_once(key, event)` tells a fact once per key and run."""

    run: RunId
    # A run that was reopened asks anew: what it had asked before is void since it ended.
    leg: int
    desk: ApprovalDesk
    clock: Clock
    stop: asyncio.Event
    record_once: RecordOnce


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The run was asked to stop first. The question stays open until `void_questions`."""

    approval: ApprovalId


Outcome: TypeAlias = Settled | Unanswered


async def ask(steps: Steps, asker: Asker, question: Question, *, step: str) -> Outcome:
    """Put the question and wait for what becomes of it, at no cost but a look a second.

    `step` tells the questions of a run apart, so a question that is put again after a reply needs
    another name; the same name with another subject voids what was asked before.
    """
    approval = await steps.step(
        f"ask {step}", partial(_put, asker, question, step), returns=Approval
    )
    # Waiting is part of the step: whoever tells the story again must not wait for what is known.
    return await steps.step(f"await {step}", partial(_awaited, asker, approval), returns=Outcome)


async def ask_within(asker: Asker, question: Question, *, step: str) -> tuple[ApprovalId, Outcome]:
    """The same inside a step that is taken again as a whole after a crash: the question is found
    as it was put, with the answer that came meanwhile."""
    approval = await _put(asker, question, step)
    return approval.id, await _awaited(asker, approval)


def id_of(asker: Asker, step: str, subject_hash: str) -> ApprovalId:
    """The id that a question of this step about this subject has, asked or not."""
    return approval_id(asker.run, _place(asker, step), subject_hash)


def void_questions(asker: Asker, *, reason: str) -> None:
    """The run ends: what it still asks is void, and its log says so. Before `run.ended`, and safe
    to repeat."""
    for standing in asker.desk.void_open(asker.run, reason=reason, now=asker.clock.now()):
        _tell(asker, standing)


def event_of(approval: ApprovalId, settled: Settled) -> ApprovalEvent:
    """How a question was settled, as the run's log tells it."""
    match settled:
        case Answer(verdict=verdict, by=by, text=text):
            return ApprovalAnswered(approval, verdict, by, text)
        case Lapsed(verdict=outcome):
            return ApprovalLapsed(approval, outcome)
        case Voided(reason=reason):
            return ApprovalVoided(approval, reason)
        case _:
            assert_never(settled)


async def _put(asker: Asker, question: Question, step: str) -> Approval:
    place = _place(asker, step)
    approval = asker.desk.ask(asked(question, run=asker.run, step=place, now=asker.clock.now()))
    for earlier in asker.desk.asked_by(asker.run):
        # About an older subject of this step: its end may not have been told before a crash.
        if earlier.approval.step == place and earlier.approval.id != approval.id:
            _tell(asker, earlier)
    asker.record_once(f"asked {approval.id}", ApprovalAsked(approval))
    return approval


def _place(asker: Asker, step: str) -> str:
    return f"{asker.leg}: {step}"


async def _awaited(asker: Asker, approval: Approval) -> Outcome:
    while True:
        now = asker.clock.now()
        standing = asker.desk.lapse(approval.id, now)
        if standing is None:
            raise StoreError(
                f"the question {approval.id} is no longer in the database",
                hint="the run cannot go on without its answer; start a new one",
            )
        if standing.settled is not None:
            _tell(asker, standing)
            return standing.settled
        if asker.stop.is_set():
            return Unanswered(approval.id)
        await _pause(asker, _until(approval, now))


def _until(approval: Approval, now: datetime) -> float:
    """By the clock on the wall: a machine that slept meanwhile has waited, too."""
    if approval.deadline is None:
        return LOOK_EVERY_S
    return min(LOOK_EVERY_S, (approval.deadline - now).total_seconds())


async def _pause(asker: Asker, seconds: float) -> None:
    sleeping = asyncio.ensure_future(asker.clock.sleep(seconds))
    stopping = asyncio.ensure_future(asker.stop.wait())
    try:
        await asyncio.wait({sleeping, stopping}, return_when="FIRST_COMPLETED")
    finally:
        for task in (sleeping, stopping):
            task.cancel()


def _tell(asker: Asker, standing: Standing) -> None:
    if standing.settled is not None:
        approval = standing.approval.id
        asker.record_once(f"settled {approval}", event_of(approval, standing.settled))
