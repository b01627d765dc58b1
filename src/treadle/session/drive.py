"""Drives one agent session from its prompt to one result, inside its limits."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, assert_never

from treadle.domain.agent import (
    SANDBOX_FAULT,
    AgentEnded,
    AgentEvent,
    Allow,
    Brief,
    Decide,
    Decision,
    Fault,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    TextClosed,
    TextStreamed,
    ToolUse,
)
from treadle.domain.events.agent import (
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    ProcessEnded,
    QuotaReported,
    ToolCalled,
    ToolDecided,
    ToolFinished,
)
from treadle.domain.events.oversight import BillDiffered
from treadle.domain.events.session import PromptSent, SessionEnded, SessionStarted
from treadle.domain.ids import SessionId
from treadle.domain.ledger import Bill
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Agent, AgentSession, Clock
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Outcome,
    SessionResult,
    TimedOut,
    UnguardedTool,
)
from treadle.domain.usage import Usage
from treadle.session.inbox import Inbox
from treadle.session.meaning import outcome_of
from treadle.session.meter import Meter
from treadle.session.prices import LISTED, PriceList
from treadle.session.recess import Recess
from treadle.session.refusal import refused
from treadle.session.speech import Record, Speech, signal_tools
from treadle.session.unallowed_tool import unguarded
from treadle.session.vigil import ProcessorTime, Vigil


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a session while it runs."""

    speech: Speech
    processor: ProcessorTime
    recess: Recess
    meter: Meter = field(default_factory=Meter)
    # Tool uses by their id: what each is a use of, and which of them were allowed.
    names: dict[str, str] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a session had used before it was cut off; it is part of what the session cost."""

    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


async def no_ledger(session: SessionId) -> Bill | None:
    """For agents whose requests nobody meters on the way."""
    return None


@dataclass(frozen=True, slots=True)
class Driver:
    """What every session of a run is driven with."""

    agent: Agent
    clock: Clock
    record: Record
    stop: asyncio.Event
    # All processor time that a session's processes have used; None where that is not known.
    processor_s: Callable[[SessionId], float | None] = lambda session: None
    # Asked once a session is over; what it says is the truth. None where there is no ledger.
    bill: Callable[[SessionId], Awaitable[Bill | None]] = no_ledger
    prices: PriceList = LISTED

    async def run(
        self, brief: Brief, limits: SessionLimits, *, spent: Spent | None = None
    ) -> SessionResult:
        """One prompt to one result. No process of the session can act any more when it returns."""
        started = self.clock.monotonic()
        course = Course(
            Speech(brief.role, self.record),
            lambda: self.processor_s(brief.session),
            Recess(self.clock),
            Meter(self.prices),
        )
        speech, meter = course.speech, course.meter
        self.record(SessionStarted(brief.session, brief.role, brief.model, brief.resume))
        self.record(PromptSent(brief.prompt))
        brief = replace(
            brief,
            decide=_recorded(brief.decide, self.record, course),
            tools=(*brief.tools, *signal_tools(speech, brief.role)),
        )
        end = await self._converse(brief, limits, course)
        before, bill = spent or Spent(), await self.bill(brief.session)
        charge = meter.charge(end, bill, cost_before_usd=before.cost_usd, usage_before=before.usage)
        speech.close_block()
        if bill is not None and charge.differing_usd is not None:
            ledger_usd = round(bill.cost_usd, 6)
            self.record(BillDiffered(brief.session, ledger_usd, charge.differing_usd))
        took = self.clock.monotonic() - started
        result = SessionResult(
            session=brief.session,
            outcome=self._judge(end, speech),
            cost_usd=charge.cost_usd,
            usage=charge.usage,
            turns=end.turns or meter.responses,
            duration_s=round(before.seconds + took - course.recess.seconds, 3),
            priced=charge.priced,
        )
        self.record(SessionEnded(result))
        return result

    async def _converse(self, brief: Brief, limits: SessionLimits, course: Course) -> AgentEnded:
        session = await self._open(brief)
        if session is None:
            return AgentEnded(Cancelled())
        try:
            end = await self._follow(session, limits, course)
        finally:
            # Shielded: whatever cancels us, the agent's processes still have to go.
            for process in await asyncio.shield(asyncio.ensure_future(session.close())):
                self.record(ProcessEnded(process.pid, process.command))
        return await self._settled(session, end, course.meter)

    async def _settled(self, session: AgentSession, end: AgentEnded, meter: Meter) -> AgentEnded:
        """The same end, with what the session still owes for a response that it cut short."""
        async for event in session.events():
            if isinstance(event, ResponseUsed):
                self.record(meter.add(event))
            elif isinstance(event, AgentEnded):
                if _is_of_sandbox(event.outcome):
                    return replace(end, outcome=event.outcome)
                return replace(end, cost_usd=event.cost_usd)
        return end

    async def _open(self, brief: Brief) -> AgentSession | None:
        """The session, or None when the run was asked to stop before it was up."""
        opening = asyncio.ensure_future(self.agent.open(brief))
        stopping = asyncio.ensure_future(self.stop.wait())
        waited: set[asyncio.Task[Any]] = {opening, stopping}
        try:
            await asyncio.wait(waited, return_when="FIRST_COMPLETED")
        finally:
            stopping.cancel()
            if not opening.done():
                opening.cancel()
        await asyncio.wait({opening})
        return None if opening.cancelled() else opening.result()

    async def _follow(
        self, session: AgentSession, limits: SessionLimits, course: Course
    ) -> AgentEnded:
        inbox = Inbox(session.events(), self.stop)
        vigil = Vigil(inbox.next, self.clock, limits, course.processor, course.recess)
        try:
            while True:
                match event := await vigil.next():
                    case "stopped":
                        return AgentEnded(Cancelled())
                    case TimedOut():
                        return AgentEnded(event)
                    case AgentEnded():
                        return event
                    case _:
                        self._take(event, course.speech, course.meter)
                if outcome := _ended_by(event, limits, course):
                    return AgentEnded(outcome)
        finally:
            await inbox.close()

    def _take(self, event: AgentEvent, speech: Speech, meter: Meter) -> None:
        match event:
            case TextStreamed():
                speech.stream(event.text)
            case TextClosed():
                speech.close_block()
            case ResponseUsed():
                self.record(meter.add(event))
            case Heartbeat() | ResponseStarted() | AgentEnded():
                pass
            case (
                AgentStarted()
                | AgentThought()
                | ToolCalled()
                | ToolFinished()
                | ApiRetried()
                | QuotaReported()
                | MessageSkipped()
            ):
                self.record(event)
            case _:
                assert_never(event)

    def _judge(self, end: AgentEnded, speech: Speech) -> Outcome:
        if isinstance(end.outcome, UnguardedTool):
            return end.outcome  # a breach; what the agent says of its work counts no more
        # What lives on in its sandbox could change everything still.
        if speech.ended_by is not None and not _is_of_sandbox(end.outcome):
            return Completed(speech.ended_by.text)
        if isinstance(end.outcome, Fault):
            return refused(end.outcome.message) or outcome_of(end.outcome, self.clock.now())
        return end.outcome


def _is_of_sandbox(outcome: Outcome | Fault) -> bool:
    return isinstance(outcome, Fault) and outcome.subtype == SANDBOX_FAULT


def _ended_by(event: AgentEvent, limits: SessionLimits, course: Course) -> Outcome | None:
    """How the session ends with this event, if it does."""
    if isinstance(event, ToolCalled):
        course.names[event.id] = event.name
    elif isinstance(event, ToolFinished) and (
        breach := unguarded(event, names=course.names, allowed=course.allowed)
    ):
        return breach
    if course.speech.ended_by is not None:
        return Completed(course.speech.ended_by.text)
    if course.meter.estimate_usd > limits.max_cost_usd:
        return BudgetExceeded(limits.max_cost_usd)
    return None


def _recorded(decide: Decide, record: Record, course: Course) -> Decide:
    """The same decision, stored before it takes effect."""

    async def decided(use: ToolUse) -> Decision:
        with course.recess.taken(use.id):
            decision = await decide(use)
        verdict: Literal["allow", "deny"] = "allow" if isinstance(decision, Allow) else "deny"
        record(
            ToolDecided(
                use.id, use.name, verdict, decision.reason, decision.rule, decision.approval
            )
        )
        if verdict == "allow":
            course.allowed.add(use.id)
        return decision

    return decided
