"""Runs one agent session from its prompt to one result, within its limits."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, assert_never

from treadle.domain.agent import (
    SANDBOX_FAULT,
    AgentEnded,
    AgentEvent,
    Allow,
    Decide,
    Decision,
    Fault,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    SessionBrief,
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
from treadle.session.agent_event_reader import AgentEventReader
from treadle.session.agent_text import AgentText, RecordEvent, signal_tools
from treadle.session.budget_refusal import parse_budget_refusal
from treadle.session.cost_meter import CostMeter
from treadle.session.faults import find_unguarded_tool, outcome_of_fault
from treadle.session.price_list import VENDOR_PRICES, PriceList
from treadle.session.wait_clock import WaitClock
from treadle.session.watchdog import ProcessorTime, Watchdog


@dataclass(frozen=True, slots=True)
class SessionState:
    """What is known of a session while it runs."""

    agent_text: AgentText
    processor_time: ProcessorTime
    wait_clock: WaitClock
    meter: CostMeter = field(default_factory=CostMeter)
    # Tool uses by their id: what each is a use of, and which of them were allowed.
    tool_names: dict[str, str] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class PriorSpending:
    """What a session had used before it was cut off; it is part of what the session cost."""

    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


async def no_bill(session: SessionId) -> Bill | None:
    """For agents whose requests nobody meters on the way."""
    return None


@dataclass(frozen=True, slots=True)
class SessionDriver:
    """What every session of a run is driven with."""

    agent: Agent
    clock: Clock
    record: RecordEvent
    stop: asyncio.Event
    # All processor time that a session's processes have used; None where that is not known.
    processor_s: Callable[[SessionId], float | None] = lambda session: None
    # Asked once a session is over; what it says is the truth. None where there is no ledger.
    bill: Callable[[SessionId], Awaitable[Bill | None]] = no_bill
    prices: PriceList = VENDOR_PRICES

    async def run(
        self, brief: SessionBrief, limits: SessionLimits, *, spent: PriorSpending | None = None
    ) -> SessionResult:
        """One prompt to one result. No process of the session can act any more when it returns."""
        started = self.clock.monotonic()
        course = SessionState(
            AgentText(brief.role, self.record),
            lambda: self.processor_s(brief.session),
            WaitClock(self.clock),
            CostMeter(self.prices),
        )
        speech, meter = course.agent_text, course.meter
        self.record(SessionStarted(brief.session, brief.role, brief.model, brief.resume))
        self.record(PromptSent(brief.prompt))
        brief = replace(
            brief,
            decide=_record_decisions(brief.decide, self.record, course),
            tools=(*brief.tools, *signal_tools(speech, brief.role)),
        )
        end = await self._run_conversation(brief, limits, course)
        before, bill = spent or PriorSpending(), await self.bill(brief.session)
        charge = meter.charge(end, bill, cost_before_usd=before.cost_usd, usage_before=before.usage)
        speech.close_block()
        if bill is not None and charge.agent_cost_usd is not None:
            ledger_usd = round(bill.cost_usd, 6)
            self.record(BillDiffered(brief.session, ledger_usd, charge.agent_cost_usd))
        took = self.clock.monotonic() - started
        result = SessionResult(
            session=brief.session,
            outcome=self._final_outcome(end, speech),
            cost_usd=charge.cost_usd,
            usage=charge.usage,
            turns=end.turns or meter.responses,
            duration_s=round(before.seconds + took - course.wait_clock.seconds, 3),
            priced=charge.priced,
        )
        self.record(SessionEnded(result))
        return result

    async def _run_conversation(
        self, brief: SessionBrief, limits: SessionLimits, course: SessionState
    ) -> AgentEnded:
        session = await self._open(brief)
        if session is None:
            return AgentEnded(Cancelled())
        try:
            end = await self._follow_events(session, limits, course)
        finally:
            # Shielded: whatever cancels us, the agent's processes still have to go.
            for process in await asyncio.shield(asyncio.ensure_future(session.close())):
                self.record(ProcessEnded(process.pid, process.command))
        return await self._add_late_cost(session, end, course.meter)

    async def _add_late_cost(
        self, session: AgentSession, end: AgentEnded, meter: CostMeter
    ) -> AgentEnded:
        """The same end, with what the session still owes for a response that it cut short."""
        async for event in session.events():
            if isinstance(event, ResponseUsed):
                self.record(meter.add(event))
            elif isinstance(event, AgentEnded):
                if _is_sandbox_fault(event.outcome):
                    return replace(end, outcome=event.outcome)
                return replace(end, cost_usd=event.cost_usd)
        return end

    async def _open(self, brief: SessionBrief) -> AgentSession | None:
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

    async def _follow_events(
        self, session: AgentSession, limits: SessionLimits, course: SessionState
    ) -> AgentEnded:
        inbox = AgentEventReader(session.events(), self.stop)
        vigil = Watchdog(inbox.next, self.clock, limits, course.processor_time, course.wait_clock)
        try:
            while True:
                match event := await vigil.next_event():
                    case "stopped":
                        return AgentEnded(Cancelled())
                    case TimedOut():
                        return AgentEnded(event)
                    case AgentEnded():
                        return event
                    case _:
                        self._handle_event(event, course.agent_text, course.meter)
                if outcome := _outcome_after(event, limits, course):
                    return AgentEnded(outcome)
        finally:
            await inbox.close()

    def _handle_event(self, event: AgentEvent, speech: AgentText, meter: CostMeter) -> None:
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

    def _final_outcome(self, end: AgentEnded, speech: AgentText) -> Outcome:
        if isinstance(end.outcome, UnguardedTool):
            return end.outcome  # a breach; what the agent says of its work counts no more
        # What lives on in its sandbox could change everything still.
        if speech.ended_by is not None and not _is_sandbox_fault(end.outcome):
            return Completed(speech.ended_by.text)
        if isinstance(end.outcome, Fault):
            return parse_budget_refusal(end.outcome.message) or outcome_of_fault(
                end.outcome, self.clock.now()
            )
        return end.outcome


def _is_sandbox_fault(outcome: Outcome | Fault) -> bool:
    return isinstance(outcome, Fault) and outcome.subtype == SANDBOX_FAULT


def _outcome_after(
    event: AgentEvent, limits: SessionLimits, course: SessionState
) -> Outcome | None:
    """How the session ends with this event, if it does."""
    if isinstance(event, ToolCalled):
        course.tool_names[event.id] = event.name
    elif isinstance(event, ToolFinished) and (
        breach := find_unguarded_tool(event, names=course.tool_names, allowed=course.allowed)
    ):
        return breach
    if course.agent_text.ended_by is not None:
        return Completed(course.agent_text.ended_by.text)
    if course.meter.estimate_usd > limits.max_cost_usd:
        return BudgetExceeded(limits.max_cost_usd)
    return None


def _record_decisions(decide: Decide, record: RecordEvent, course: SessionState) -> Decide:
    """The same decision, stored before it takes effect."""

    async def decided(use: ToolUse) -> Decision:
        with course.wait_clock.waiting_for(use.id):
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
