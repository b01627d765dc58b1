"""The time limits of a running session, as pure functions over the events seen so far.

Four limits apply at once; times are floats of one monotonic clock, which the watchdog reads every
`TICK_S`. A reading that comes far too late means that the machine slept or the process was
stopped; that time does not count.

wall        from the start of the session to its end
first_byte  from the prompt, the last open tool's result or the repetition of a failed request,
            until the response starts
idle        since the last activity, while no tool is open; heartbeats, retries and the processor
            time of the agent's own process are activity; that of a program in the background is not
tool        per open tool call, from the call to its result; a subagent is one long tool call, and
            a call that waits for approval starts when it is allowed
"""

from dataclasses import dataclass, replace
from typing import assert_never

from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    TextClosed,
    TextStreamed,
)
from treadle.domain.events.agent import (
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    QuotaReported,
    ToolCalled,
    ToolFinished,
)
from treadle.domain.limits import SessionLimits
from treadle.domain.session import TimeLimit

TICK_S = 5.0
# Longer than two readings are ever apart on a busy machine.
ASLEEP_S = 30.0
# Processor time per elapsed time; a waiting process uses less.
BUSY_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class OpenTool:
    """A tool call without a result yet."""

    id: str
    since: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SessionClocks:
    """The state of one session's time limits."""

    started: float
    last_activity: float
    # Set while the first-byte limit runs; in the future while the agent pauses before a retry.
    awaiting_since: float | None
    open_tools: tuple[OpenTool, ...] = ()
    # From a prompt or tool result until a response starts. A tool may finish while the response
    # that called it still streams, so both flags can be set.
    response_due: bool = True
    responding: bool = False
    # The last clock reading, and the last processor reading as (time, seconds).
    updated_at: float = 0.0
    processor: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Deadline:
    """When the session times out if no event comes, and by which limit."""

    at: float
    limit: TimeLimit
    after_s: float


def start_clocks(now: float) -> SessionClocks:
    """The clocks of a session whose prompt was just sent."""
    return SessionClocks(started=now, last_activity=now, awaiting_since=now, updated_at=now)


def advance_clocks(clocks: SessionClocks, now: float) -> SessionClocks:
    """The clocks after a reading; a gap in which the machine slept does not count."""
    gap = now - clocks.updated_at
    return replace(clocks if gap <= ASLEEP_S else _skip_gap(clocks, gap), updated_at=now)


def apply_processor_time(clocks: SessionClocks, seconds: float, now: float) -> SessionClocks:
    """The clocks after a reading of the agent's own processor time."""
    reading = replace(clocks, processor=(now, seconds))
    if clocks.processor is None:
        return reading
    at, before = clocks.processor
    busy = now > at and seconds - before >= BUSY_SHARE * (now - at)
    return replace(reading, last_activity=max(now, clocks.last_activity)) if busy else reading


def apply_event(clocks: SessionClocks, event: AgentEvent, now: float) -> SessionClocks:
    """The clocks after an event; every event is activity."""
    active = replace(clocks, last_activity=max(now, clocks.last_activity))
    match event:
        case ResponseStarted():
            after = replace(active, response_due=False, responding=True)
        case TextStreamed() | AgentThought():
            after = _mark_response_begun(active)
        case ToolCalled():
            after = _add_call(_mark_response_begun(active), event, now)
        case ToolFinished():
            after = replace(
                active, open_tools=_remove_call(active.open_tools, event.id), response_due=True
            )
        case ResponseUsed():
            after = replace(active, responding=False)
        case ApiRetried():
            return _restart_after_retry(active, now + max(0.0, event.delay_s))
        case (
            Heartbeat()
            | TextClosed()
            | AgentStarted()
            | QuotaReported()
            | MessageSkipped()
            | AgentEnded()
        ):
            after = active
        case _:
            assert_never(event)
    return _rearm_first_byte(after, now)


def hold_waiting_calls(clocks: SessionClocks, waiting: frozenset[str], now: float) -> SessionClocks:
    """Restart the limits of calls that wait for a decision: they have not started."""
    if not waiting:
        return clocks
    tools = (replace(t, since=now) if t.id in waiting else t for t in clocks.open_tools)
    return replace(clocks, open_tools=tuple(tools))


def open_calls(clocks: SessionClocks) -> frozenset[str]:
    """The open calls, without those of subagents that wait for a call of their own."""
    parents = {tool.parent for tool in clocks.open_tools}
    return frozenset(tool.id for tool in clocks.open_tools if tool.id not in parents)


def next_deadline(clocks: SessionClocks, limits: SessionLimits) -> Deadline:
    """The earliest deadline; of two at the same time, the more specific limit."""
    deadlines = [Deadline(clocks.started + limits.wall_s, "wall", limits.wall_s)]
    if clocks.open_tools:
        oldest = min(tool.since for tool in clocks.open_tools)
        deadlines.append(Deadline(oldest + limits.tool_s, "tool", limits.tool_s))
    else:
        deadlines.append(Deadline(clocks.last_activity + limits.idle_s, "idle", limits.idle_s))
    if clocks.awaiting_since is not None:
        at = clocks.awaiting_since + limits.first_byte_s
        deadlines.append(Deadline(at, "first_byte", limits.first_byte_s))
    return min(reversed(deadlines), key=lambda deadline: deadline.at)


def _skip_gap(clocks: SessionClocks, seconds: float) -> SessionClocks:
    """Move all times later by these seconds."""
    awaiting_since = clocks.awaiting_since
    return replace(
        clocks,
        started=clocks.started + seconds,
        last_activity=clocks.last_activity + seconds,
        awaiting_since=None if awaiting_since is None else awaiting_since + seconds,
        open_tools=tuple(replace(tool, since=tool.since + seconds) for tool in clocks.open_tools),
        processor=None,
    )


def _mark_response_begun(clocks: SessionClocks) -> SessionClocks:
    """Content shows that the due response has started, even if the agent did not announce it.

    While a response streams, its content says nothing about the next one.
    """
    return clocks if clocks.responding else replace(clocks, response_due=False)


def _add_call(clocks: SessionClocks, call: ToolCalled, now: float) -> SessionClocks:
    if any(tool.id == call.id for tool in clocks.open_tools):
        return clocks
    return replace(clocks, open_tools=(*clocks.open_tools, OpenTool(call.id, now, call.parent)))


def _remove_call(tools: tuple[OpenTool, ...], tool_id: str) -> tuple[OpenTool, ...]:
    """The calls without a finished one and the open calls of its subagent."""
    removed = {tool_id}
    for tool in tools:  # in the order of the calls, so a parent always comes before its children
        if tool.parent in removed:
            removed.add(tool.id)
    return tuple(tool for tool in tools if tool.id not in removed)


def _restart_after_retry(clocks: SessionClocks, sent_at: float) -> SessionClocks:
    """Start the idle and first-byte limits when the request is sent again."""
    after = replace(
        clocks, last_activity=sent_at, response_due=True, responding=False, awaiting_since=None
    )
    return _rearm_first_byte(after, sent_at)


def _rearm_first_byte(clocks: SessionClocks, now: float) -> SessionClocks:
    is_awaiting = clocks.response_due and not clocks.responding and not clocks.open_tools
    if not is_awaiting:
        return replace(clocks, awaiting_since=None)
    return clocks if clocks.awaiting_since is not None else replace(clocks, awaiting_since=now)
