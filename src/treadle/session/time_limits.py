"""The time limits of a running session, as pure functions over the events seen so far.

Four clocks, all of them always on; times are floats of one monotonic clock. Who watches looks at
that clock every `TICK_S`. A look that comes far too late means that nobody was awake: the lid was
closed, the process was stopped, the machine was frozen. None of that time counts.

wall        from the start of the session to its end
first_byte  while the model owes a response: from the prompt, from the last open tool's result, or
            from the moment a failed request is sent again, until the response begins
idle        since the last sign of life, while no tool is open; heartbeats, retries and processor
            time that the agent's processes use are signs
tool        per open tool call, from the call to its result; a subagent is one long tool call, and
            a call that somebody has to allow first begins when they do
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
# However busy the machine is, two looks are never so far apart while it is awake.
ASLEEP_S = 30.0
# Of the time since the last reading; a process that waits uses less.
BUSY_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class OpenTool:
    """A tool call whose result is still to come."""

    id: str
    since: float
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class SessionClocks:
    """What the clocks of one session run on."""

    started: float
    last_sign: float
    # Set while the first-byte clock runs; lies ahead while the agent pauses before a retry.
    awaiting_since: float | None
    open_tools: tuple[OpenTool, ...] = ()
    # A response is owed from a prompt or tool result until one begins; a tool may finish while
    # the response that called it still streams, so the two are kept apart.
    owed: bool = True
    responding: bool = False
    # The last look at the clock, and the last reading of processor time: when, and how much.
    looked: float = 0.0
    processor: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment a session has to be ended if nothing more is seen, and by which limit."""

    at: float
    limit: TimeLimit
    after_s: float


def start_clocks(now: float) -> SessionClocks:
    """The watch over a session whose prompt is on its way."""
    return SessionClocks(started=now, last_sign=now, awaiting_since=now, looked=now)


def advance_clocks(watch: SessionClocks, now: float) -> SessionClocks:
    """The watch after a look at the clock; all clocks stood still for a gap that was slept."""
    gap = now - watch.looked
    return replace(watch if gap <= ASLEEP_S else _shift(watch, gap), looked=now)


def apply_processor_time(watch: SessionClocks, seconds: float, now: float) -> SessionClocks:
    """The watch after a reading of all processor time the agent's processes have used so far."""
    reading = replace(watch, processor=(now, seconds))
    if watch.processor is None:
        return reading
    at, before = watch.processor
    busy = now > at and seconds - before >= BUSY_SHARE * (now - at)
    return replace(reading, last_sign=max(now, watch.last_sign)) if busy else reading


def apply_event(watch: SessionClocks, event: AgentEvent, now: float) -> SessionClocks:
    """The watch after an event; every event is a sign of life."""
    sign = replace(watch, last_sign=max(now, watch.last_sign))
    match event:
        case ResponseStarted():
            seen = replace(sign, owed=False, responding=True)
        case TextStreamed() | AgentThought():
            seen = _mark_response_begun(sign)
        case ToolCalled():
            seen = _add_call(_mark_response_begun(sign), event, now)
        case ToolFinished():
            seen = replace(sign, open_tools=_remove_call(sign.open_tools, event.id), owed=True)
        case ResponseUsed():
            seen = replace(sign, responding=False)
        case ApiRetried():
            return _restart_after_retry(sign, now + max(0.0, event.delay_s))
        case (
            Heartbeat()
            | TextClosed()
            | AgentStarted()
            | QuotaReported()
            | MessageSkipped()
            | AgentEnded()
        ):
            seen = sign
        case _:
            assert_never(event)
    return _rearm_first_byte(seen, now)


def hold_waiting_calls(watch: SessionClocks, waiting: frozenset[str], now: float) -> SessionClocks:
    """The watch while these calls wait to be allowed: they have not begun."""
    if not waiting:
        return watch
    tools = (replace(t, since=now) if t.id in waiting else t for t in watch.open_tools)
    return replace(watch, open_tools=tuple(tools))


def open_calls(watch: SessionClocks) -> frozenset[str]:
    """The open calls, without those of sub-agents that wait for a call of their own."""
    parents = {tool.parent for tool in watch.open_tools}
    return frozenset(tool.id for tool in watch.open_tools if tool.id not in parents)


def next_deadline(watch: SessionClocks, limits: SessionLimits) -> Deadline:
    """The nearest of the clocks that run; of two that end together, the more telling one."""
    running = [Deadline(watch.started + limits.wall_s, "wall", limits.wall_s)]
    if watch.open_tools:
        oldest = min(tool.since for tool in watch.open_tools)
        running.append(Deadline(oldest + limits.tool_s, "tool", limits.tool_s))
    else:
        running.append(Deadline(watch.last_sign + limits.idle_s, "idle", limits.idle_s))
    if watch.awaiting_since is not None:
        at = watch.awaiting_since + limits.first_byte_s
        running.append(Deadline(at, "first_byte", limits.first_byte_s))
    return min(reversed(running), key=lambda due: due.at)


def _shift(watch: SessionClocks, seconds: float) -> SessionClocks:
    """The same watch, as if everything it saw had happened so much later."""
    awaiting = watch.awaiting_since
    return replace(
        watch,
        started=watch.started + seconds,
        last_sign=watch.last_sign + seconds,
        awaiting_since=None if awaiting is None else awaiting + seconds,
        open_tools=tuple(replace(tool, since=tool.since + seconds) for tool in watch.open_tools),
        processor=None,
    )


def _mark_response_begun(watch: SessionClocks) -> SessionClocks:
    """Content proves that the response has begun, also where an agent does not announce it.

    While one streams, it is that response's content and pays nothing that fell due since.
    """
    return watch if watch.responding else replace(watch, owed=False)


def _add_call(watch: SessionClocks, call: ToolCalled, now: float) -> SessionClocks:
    if any(tool.id == call.id for tool in watch.open_tools):
        return watch
    return replace(watch, open_tools=(*watch.open_tools, OpenTool(call.id, now, call.parent)))


def _remove_call(tools: tuple[OpenTool, ...], tool_id: str) -> tuple[OpenTool, ...]:
    """The rest once a call is over; what a subagent left open is over with it."""
    over = {tool_id}
    for tool in tools:  # in the order of the calls, so a parent always comes before its children
        if tool.parent in over:
            over.add(tool.id)
    return tuple(tool for tool in tools if tool.id not in over)


def _restart_after_retry(watch: SessionClocks, sent_at: float) -> SessionClocks:
    """An announced pause is no silence: both clocks start when the request is sent again."""
    seen = replace(watch, last_sign=sent_at, owed=True, responding=False, awaiting_since=None)
    return _rearm_first_byte(seen, sent_at)


def _rearm_first_byte(watch: SessionClocks, now: float) -> SessionClocks:
    awaiting = watch.owed and not watch.responding and not watch.open_tools
    if not awaiting:
        return replace(watch, awaiting_since=None)
    return watch if watch.awaiting_since is not None else replace(watch, awaiting_since=now)
