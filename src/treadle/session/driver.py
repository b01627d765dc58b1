"""Runs one agent session from its prompt to one result, within its limits."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, assert_never

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
from treadle.domain.diagnosis import FaultTable
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
from treadle.domain.events.run import RunWarned
from treadle.domain.events.session import PromptSent, SessionEnded, SessionStarted
from treadle.domain.ids import SessionId
from treadle.domain.ledger import Bill
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Agent, AgentSession, Clock
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    ExecutionError,
    Outcome,
    QuotaExceeded,
    SessionResult,
    TimedOut,
    UnguardedTool,
)
from treadle.session.agent_event_reader import AgentEventReader
from treadle.session.agent_text import AgentText, RecordEvent, signal_tools
from treadle.session.budget_refusal import parse_budget_refusal
from treadle.session.cost_meter import CostMeter, PriorSpending
from treadle.session.faults import find_unguarded_tool, outcome_of_fault, with_duration
from treadle.session.price_list import PriceList
from treadle.session.session_timer import SessionTimer
from treadle.session.stop_signal import unless_stopped
from treadle.session.wait_clock import WaitClock
from treadle.session.watchdog import ProcessorTime, Watchdog


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of a running session."""

    agent_text: AgentText
    processor_time: ProcessorTime
    wait_clock: WaitClock
    meter: CostMeter
    # Tool names by the id of the use, and the ids of the allowed uses.
    tool_names: dict[str, str] = field(default_factory=dict)
    allowed: set[str] = field(default_factory=set)


class DiskGuard(Protocol):
    """Looks at the disks that a session writes to."""

    def low_now(self, folders: Sequence[Path]) -> str:
        """Which disk is nearly full, for a person; empty: none is."""
        ...

    def wait(self, folders: Sequence[Path]) -> Coroutine[Any, Any, str]:
        """Wait until one is, or until the folders take too much; which."""
        ...


async def no_bill(session: SessionId) -> Bill | None:
    """For agents whose requests do not pass the gateway."""
    return None


@dataclass(frozen=True, slots=True)
class SessionDriver:
    """Runs the sessions of one run."""

    agent: Agent
    clock: Clock
    record: RecordEvent
    stop: asyncio.Event
    # What the agent's errors mean, and what its models cost.
    faults: FaultTable
    prices: PriceList
    # Processor seconds of a session's agent, without what it started; None if unknown.
    processor_s: Callable[[SessionId], float | None] = lambda session: None
    # Called at the end of a session; the bill takes precedence. None without a ledger.
    bill: Callable[[SessionId], Awaitable[Bill | None]] = no_bill
    # None: nobody looks at the disks.
    disk: DiskGuard | None = None
    # Tells the time of the open session.
    timer: SessionTimer = field(default_factory=SessionTimer)

    async def run(
        self, brief: SessionBrief, limits: SessionLimits, *, spent: PriorSpending | None = None
    ) -> SessionResult:
        """Run one prompt to one result; on return no process of the session can act any more."""
        started = self.clock.monotonic()
        state = SessionState(
            AgentText(brief.role, self.record),
            lambda: self.processor_s(brief.session),
            WaitClock(self.clock),
            CostMeter(self.prices),
        )
        agent_text, meter = state.agent_text, state.meter
        in_terminal = brief.terminal is not None
        start = SessionStarted(brief.session, brief.role, brief.model, brief.resume, in_terminal)
        self.record(start)
        self.record(PromptSent(brief.prompt))
        brief = replace(
            brief,
            decide=_record_decisions(brief.decide, self.record, state),
            tools=(*brief.tools, *signal_tools(agent_text, brief.role)),
        )
        prior = spent or PriorSpending()

        def worked_s() -> float:
            elapsed_s = self.clock.monotonic() - started
            return round(prior.seconds + elapsed_s - state.wait_clock.seconds, 3)

        with self.timer.measure(brief.session, worked_s):
            end = await self._run_conversation(brief, limits, state)
        bill = await self.bill(brief.session)
        charge = meter.charge(end, bill, cost_before_usd=prior.cost_usd, usage_before=prior.usage)
        agent_text.close_block()
        for warning in () if bill is None else bill.warnings:
            self.record(RunWarned(warning))
        if bill is not None and charge.agent_cost_usd is not None:
            ledger_usd = round(bill.cost_usd, 6)
            self.record(BillDiffered(brief.session, ledger_usd, charge.agent_cost_usd))
        result = SessionResult(
            session=brief.session,
            outcome=self._final_outcome(end, agent_text),
            cost_usd=charge.cost_usd,
            usage=charge.usage,
            turns=end.turns or meter.responses,
            duration_s=worked_s(),
            priced=charge.priced,
        )
        self.record(SessionEnded(result))
        return result

    async def _run_conversation(
        self, brief: SessionBrief, limits: SessionLimits, state: SessionState
    ) -> AgentEnded:
        folders = (brief.workspace, brief.home)
        if self.disk is not None and (problem := self.disk.low_now(folders)):
            return AgentEnded(ExecutionError(problem, "fatal"))
        session = await self._open(brief)
        if session is None:
            return AgentEnded(Cancelled())
        disk_problem = None if self.disk is None else self.disk.wait(folders)
        reader = AgentEventReader(session.events(), self.stop, disk_problem)
        try:
            end = await self._follow_events(reader, limits, state)
        finally:
            # Shielded: the agent's processes must end even if this task is cancelled.
            for process in await asyncio.shield(asyncio.ensure_future(session.close())):
                self.record(ProcessEnded(process.pid, process.command))
        return await self._add_late_cost(session, end, state.meter)

    async def _add_late_cost(
        self, session: AgentSession, end: AgentEnded, meter: CostMeter
    ) -> AgentEnded:
        """Add the cost of a response that was interrupted by the end of the session."""
        async for event in session.events():
            if isinstance(event, ResponseUsed):
                self.record(meter.add(event))
            elif isinstance(event, AgentEnded):
                if _is_sandbox_fault(event.outcome):
                    return replace(end, outcome=event.outcome)
                return replace(end, cost_usd=event.cost_usd)
        return end

    async def _open(self, brief: SessionBrief) -> AgentSession | None:
        """Open the session; None if the run was stopped first."""
        return await unless_stopped(self.agent.open(brief), self.stop)

    async def _follow_events(
        self, reader: AgentEventReader, limits: SessionLimits, state: SessionState
    ) -> AgentEnded:
        watchdog = Watchdog(reader.next, self.clock, limits, state.processor_time, state.wait_clock)
        try:
            while True:
                match event := await watchdog.next_event():
                    case "stopped" if not reader.problem:
                        return AgentEnded(Cancelled())
                    case "stopped":
                        return AgentEnded(ExecutionError(reader.problem, "fatal"))
                    case TimedOut():
                        return AgentEnded(event)
                    case AgentEnded():
                        return event
                    case _:
                        self._handle_event(event, state.agent_text, state.meter)
                if outcome := _outcome_after(event, limits, state):
                    return AgentEnded(outcome)
                if reader.problem:
                    return AgentEnded(ExecutionError(reader.problem, "fatal"))
        finally:
            await reader.close()

    def _handle_event(self, event: AgentEvent, agent_text: AgentText, meter: CostMeter) -> None:
        match event:
            case TextStreamed():
                agent_text.stream(event.text)
            case TextClosed():
                agent_text.close_block()
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

    def _final_outcome(self, end: AgentEnded, agent_text: AgentText) -> Outcome:
        if isinstance(end.outcome, UnguardedTool):
            return end.outcome  # the agent's signals cannot be trusted any more
        # After a sandbox fault, processes may still be changing the work.
        if agent_text.ended_by is not None and not _is_sandbox_fault(end.outcome):
            return Completed(agent_text.ended_by.text)
        if isinstance(end.outcome, Fault):
            return parse_budget_refusal(end.outcome.message) or outcome_of_fault(
                end.outcome, self.clock.now(), self.faults
            )
        if isinstance(end.outcome, QuotaExceeded):
            return with_duration(end.outcome, self.clock.now(), self.faults)
        return end.outcome


def _is_sandbox_fault(outcome: Outcome | Fault) -> bool:
    return isinstance(outcome, Fault) and outcome.subtype == SANDBOX_FAULT


def _outcome_after(event: AgentEvent, limits: SessionLimits, state: SessionState) -> Outcome | None:
    """The outcome, if this event ends the session."""
    if isinstance(event, ToolCalled):
        state.tool_names[event.id] = event.name
    elif isinstance(event, ToolFinished) and (
        unguarded := find_unguarded_tool(event, names=state.tool_names, allowed=state.allowed)
    ):
        return unguarded
    if state.agent_text.ended_by is not None:
        return Completed(state.agent_text.ended_by.text)
    if state.meter.estimate_usd > limits.max_cost_usd:
        return BudgetExceeded(limits.max_cost_usd)
    return None


def _record_decisions(decide: Decide, record: RecordEvent, state: SessionState) -> Decide:
    """Record each decision before it takes effect."""

    async def decide_and_record(use: ToolUse) -> Decision:
        with state.wait_clock.waiting_for(use.id):
            decision = await decide(use)
        verdict: Literal["allow", "deny"] = "allow" if isinstance(decision, Allow) else "deny"
        record(
            ToolDecided(
                use.id, use.name, verdict, decision.reason, decision.rule, decision.approval
            )
        )
        if verdict == "allow":
            state.allowed.add(use.id)
        return decision

    return decide_and_record
