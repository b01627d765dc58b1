"""Asks a person during a run: records the question, waits for the answer, records it once."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
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
from treadle.session.stop_signal import unless_stopped

# An answer from another process is noticed within this time.
POLL_S = 1.0

ApprovalEvent: TypeAlias = ApprovalAnswered | ApprovalLapsed | ApprovalVoided


@dataclass(frozen=True, slots=True)
class ApprovalRequester:
    """What one run needs to ask a person."""

    run: RunId
    # A reopened run asks again, because its questions became void when it ended.
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
    steps: Steps, requester: ApprovalRequester, question: ApprovalQuestion, *, step: str
) -> ApprovalOutcome:
    """Ask the question and poll until it is settled or the run is asked to stop.

    `step` identifies a question within a run. A question that is asked again after a reply needs
    another name; the same name with another subject voids the earlier question.
    """
    approval = await steps.step(
        f"ask {step}", partial(_ask_once, requester, question, step), returns=Approval
    )
    # Waiting is part of the step, so that a replay does not wait for a known answer.
    return await steps.step(
        f"await {step}", partial(_wait_for_answer, requester, approval), returns=ApprovalOutcome
    )


async def ask_within(
    requester: ApprovalRequester, question: ApprovalQuestion, *, step: str
) -> tuple[ApprovalId, ApprovalOutcome]:
    """The same inside a step that is repeated as a whole after a crash: the repetition finds the
    stored question and its answer."""
    approval = await _ask_once(requester, question, step)
    return approval.id, await _wait_for_answer(requester, approval)


def id_of(requester: ApprovalRequester, step: str, subject_hash: str) -> ApprovalId:
    """The id of a question of this step about this subject, asked or not."""
    return make_approval_id(requester.run, _step_key(requester, step), subject_hash)


def void_questions(requester: ApprovalRequester, *, reason: str) -> None:
    """Void the open questions of a run that ends, and record that. Must come before `run.ended`;
    safe to repeat."""
    for record in requester.approvals.void_open(
        requester.run, reason=reason, now=requester.clock.now()
    ):
        _record_settled(requester, record)


def event_of(approval: ApprovalId, settled: Settlement) -> ApprovalEvent:
    """The event that records how a question was settled."""
    match settled:
        case Answer(verdict=verdict, by=by, text=text):
            return ApprovalAnswered(approval, verdict, by, text)
        case LapsedQuestion(verdict=outcome):
            return ApprovalLapsed(approval, outcome)
        case VoidedQuestion(reason=reason):
            return ApprovalVoided(approval, reason)
        case _:
            assert_never(settled)


async def _ask_once(
    requester: ApprovalRequester, question: ApprovalQuestion, step: str
) -> Approval:
    step_key = _step_key(requester, step)
    approval = requester.approvals.ask(
        make_approval(question, run=requester.run, step=step_key, now=requester.clock.now())
    )
    for earlier in requester.approvals.list_for_run(requester.run):
        # A question about an older subject: a crash may have come before its end was recorded.
        if earlier.approval.step == step_key and earlier.approval.id != approval.id:
            _record_settled(requester, earlier)
    requester.log.record(ApprovalAsked(approval), once=f"asked {approval.id}")
    return approval


def _step_key(requester: ApprovalRequester, step: str) -> str:
    return f"{requester.leg}: {step}"


async def _wait_for_answer(requester: ApprovalRequester, approval: Approval) -> ApprovalOutcome:
    # By no clock that can be set: one that jumps forward would end the person's time to answer.
    began_at, began = requester.clock.now(), requester.clock.elapsed()
    while True:
        now = began_at + timedelta(seconds=requester.clock.elapsed() - began)
        record = requester.approvals.lapse(approval.id, now)
        if record is None:
            raise StoreError(
                f"the question {approval.id} is no longer in the database",
                hint="the run cannot continue without its answer; start a new one",
            )
        if record.settled is not None:
            _record_settled(requester, record)
            return record.settled
        if requester.stop.is_set():
            return NotAnswered(approval.id)
        pause_s = _seconds_to_poll(approval, now)
        await unless_stopped(requester.clock.sleep(pause_s), requester.stop)


def _seconds_to_poll(approval: Approval, now: datetime) -> float:
    """The time to the deadline counts while the machine sleeps, too."""
    if approval.deadline is None:
        return POLL_S
    return min(POLL_S, (approval.deadline - now).total_seconds())


def _record_settled(requester: ApprovalRequester, record: ApprovalRecord) -> None:
    if record.settled is not None:
        approval = record.approval.id
        requester.log.record(event_of(approval, record.settled), once=f"settled {approval}")
