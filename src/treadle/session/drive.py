"""Drives one agent session from its prompt to one result, inside its limits."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, Literal, assert_never

from treadle.domain.agent import (
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
from treadle.domain.events.session import PromptSent, SessionEnded, SessionStarted
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Agent, AgentSession, Clock
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    ExecutionError,
    Outcome,
    SessionResult,
    TimedOut,
)
from treadle.session.inbox import Inbox
from treadle.session.meaning import outcome_of
from treadle.session.meter import Meter
from treadle.session.speech import Record, Speech, signal_tools
from treadle.session.unallowed_tool import unguarded
from treadle.session.watch import began, deadline, saw


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a session while it runs."""

    speech: Speech
    meter: Meter = field(default_factory=Meter)
    # Tool uses by their id: what each is a use of, and which of them were allowed.
    names: dict[str, str] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Driver:
    """What every session of a run is driven with."""

    agent: Agent
    clock: Clock
    record: Record
    stop: asyncio.Event

    async def run(self, brief: Brief, limits: SessionLimits) -> SessionResult:
        """One prompt to one result. All processes of the session are gone when it returns."""
        started = self.clock.monotonic()
        course = Course(Speech(brief.role, self.record))
        speech, meter = course.speech, course.meter
        self.record(SessionStarted(brief.session, brief.role, brief.model, brief.resume))
        self.record(PromptSent(brief.prompt))
        brief = replace(
            brief,
            decide=_recorded(brief.decide, self.record, course.allowed),
            tools=(*brief.tools, *signal_tools(speech, brief.role)),
        )
        end = await self._converse(brief, limits, course)
        speech.close_block()
        result = SessionResult(
            session=brief.session,
            outcome=self._judge(end, speech),
            cost_usd=meter.cost_usd(end.cost_usd),
            usage=end.usage or meter.usage,
            turns=end.turns or meter.responses,
            duration_s=round(self.clock.monotonic() - started, 3),
            priced=meter.priced,
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
        watch = began(self.clock.monotonic())
        inbox = Inbox(session.events(), self.stop)
        try:
            while True:
                due = deadline(watch, limits)
                left = due.at - self.clock.monotonic()
                # Only the wall limit holds against an agent that never stops talking.
                event = "late" if left <= 0 and due.limit == "wall" else await inbox.next(left)
                match event:
                    case "stopped":
                        return AgentEnded(Cancelled())
                    case "late":
                        return AgentEnded(TimedOut(due.limit, round(due.after_s, 3)))
                    case AgentEnded():
                        return event
                    case _:
                        watch = saw(watch, event, self.clock.monotonic())
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
        if isinstance(end.outcome, ExecutionError):
            return end.outcome  # a breach; what the agent says of its work counts no more
        if speech.ended_by is not None:
            return Completed(speech.ended_by.text)
        if isinstance(end.outcome, Fault):
            return outcome_of(end.outcome, self.clock.now())
        return end.outcome


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


def _recorded(decide: Decide, record: Record, allowed: set[str]) -> Decide:
    """The same decision, stored before it takes effect."""

    async def decided(use: ToolUse) -> Decision:
        decision = await decide(use)
        verdict: Literal["allow", "deny"] = "allow" if isinstance(decision, Allow) else "deny"
        record(ToolDecided(use.id, use.name, verdict, decision.reason))
        if verdict == "allow":
            allowed.add(use.id)
        return decision

    return decided
