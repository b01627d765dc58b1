"""Asks a person during a run: recorded once, waited for, settled once."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeAlias, assert_never

from treadle.domain.approval import (
    Answer,
    Approval,
    ApprovalId,
    ApprovalQuestion,
    ApprovalRecord,
    ApprovalStore,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
    make_approval,
    make_approval_id,
)
from treadle.domain.errors import StoreError
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.ids import RunId
from treadle.domain.ports import Clock, Log
from treadle.durable.port import Steps

# How soon an answer from another process is noticed.
LOOK_EVERY_S = 1.0

ApprovalEvent: TypeAlias = ApprovalAnswered | ApprovalLapsed | ApprovalVoided


@dataclass(frozen=True, slots=True)
class ApprovalRequester:
    """What one run needs to ask a person."""

    run: RunId
    # A run that was reopened asks anew: what it had asked before is void since it ended.
    leg: int
    approvals: ApprovalStore
    clock: Clock
    stop: asyncio.Event
    log: Log


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """The run was asked to stop first. The question stays open until `void_questions`."""

    approval: ApprovalId


ApprovalOutcome: TypeAlias = Settlement | NotAnswered


async def ask(
    steps: Steps, asker: ApprovalRequester, question: ApprovalQuestion, *, step: str
) -> ApprovalOutcome:
    """Put the question and wait for what becomes of it, at no cost but a look a second.

    `step` tells the questions of a run apart, so a question that is put again after a reply needs
    another name; the same name with another subject voids what was asked before.
    """
    approval = await steps.step(
        f"ask {step}", partial(_ask_once, asker, question, step), returns=Approval
    )
    # Waiting is part of the step: whoever tells the story again must not wait for what is known.
    return await steps.step(
        f"await {step}", partial(_wait_for_answer, asker, approval), returns=ApprovalOutcome
    )


async def ask_within(
    asker: ApprovalRequester, question: ApprovalQuestion, *, step: str
) -> tuple[ApprovalId, ApprovalOutcome]:
    """The same inside a step that is taken again as a whole after a crash: the question is found
    as it was put, with the answer that came meanwhile."""
    approval = await _ask_once(asker, question, step)
    return approval.id, await _wait_for_answer(asker, approval)


def id_of(asker: ApprovalRequester, step: str, subject_hash: str) -> ApprovalId:
    """The id that a question of this step about this subject has, asked or not."""
    return make_approval_id(asker.run, _step_key(asker, step), subject_hash)


def void_questions(asker: ApprovalRequester, *, reason: str) -> None:
    """The run ends: what it still asks is void, and its log says so. Before `run.ended`, and safe
    to repeat."""
    for standing in asker.approvals.void_open(asker.run, reason=reason, now=asker.clock.now()):
        _record_settled(asker, standing)


def event_of(approval: ApprovalId, settled: Settlement) -> ApprovalEvent:
    """How a question was settled, as the run's log tells it."""
    match settled:
        case Answer(verdict=verdict, by=by, text=text):
            return ApprovalAnswered(approval, verdict, by, text)
        case LapsedQuestion(verdict=outcome):
            return ApprovalLapsed(approval, outcome)
        case VoidedQuestion(reason=reason):
            return ApprovalVoided(approval, reason)
        case _:
            assert_never(settled)


async def _ask_once(asker: ApprovalRequester, question: ApprovalQuestion, step: str) -> Approval:
    place = _step_key(asker, step)
    approval = asker.approvals.ask(
        make_approval(question, run=asker.run, step=place, now=asker.clock.now())
    )
    for earlier in asker.approvals.list_for_run(asker.run):
        # About an older subject of this step: its end may not have been told before a crash.
        if earlier.approval.step == place and earlier.approval.id != approval.id:
            _record_settled(asker, earlier)
    asker.log.record(ApprovalAsked(approval), once=f"asked {approval.id}")
    return approval


def _step_key(asker: ApprovalRequester, step: str) -> str:
    return f"{asker.leg}: {step}"


async def _wait_for_answer(asker: ApprovalRequester, approval: Approval) -> ApprovalOutcome:
    while True:
        now = asker.clock.now()
        standing = asker.approvals.lapse(approval.id, now)
        if standing is None:
            raise StoreError(
                f"the question {approval.id} is no longer in the database",
                hint="the run cannot go on without its answer; start a new one",
            )
        if standing.settled is not None:
            _record_settled(asker, standing)
            return standing.settled
        if asker.stop.is_set():
            return NotAnswered(approval.id)
        await _pause(asker, _until(approval, now))


def _until(approval: Approval, now: datetime) -> float:
    """By the clock on the wall: a machine that slept meanwhile has waited, too."""
    if approval.deadline is None:
        return LOOK_EVERY_S
    return min(LOOK_EVERY_S, (approval.deadline - now).total_seconds())


async def _pause(asker: ApprovalRequester, seconds: float) -> None:
    sleeping = asyncio.ensure_future(asker.clock.sleep(seconds))
    stopping = asyncio.ensure_future(asker.stop.wait())
    try:
        await asyncio.wait({sleeping, stopping}, return_when="FIRST_COMPLETED")
    finally:
        for task in (sleeping, stopping):
            task.cancel()


def _record_settled(asker: ApprovalRequester, standing: ApprovalRecord) -> None:
    if standing.settled is not None:
        approval = standing.approval.id
        asker.log.record(event_of(approval, standing.settled), once=f"settled {approval}")
