"""Implements the `Agent` port without a process: replays recorded events and calls our tools."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from treadle.domain.agent import (
    OWN_TOOLS,
    AgentEnded,
    AgentEvent,
    Deny,
    Fault,
    LeftoverProcess,
    ResponseUsed,
    SessionBrief,
    ToolReply,
    ToolUse,
)
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.ids import SessionId


@dataclass(frozen=True, slots=True)
class ReplayPause:
    """Wait here for something the test or the recording holds."""

    until: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ResponseUnderway:
    """A response has used this much; who closes the session before its `ResponseUsed` owes it."""

    used: ResponseUsed


ReplayStep: TypeAlias = AgentEvent | ToolUse | ReplayPause | ResponseUnderway


@dataclass(slots=True)
class ReplayAgent:
    """Each session takes the next list of moves; a session too many fails like a crashed agent."""

    sessions: Sequence[Sequence[ReplayStep]]
    briefs: list[SessionBrief] = field(default_factory=list)

    async def open(self, brief: SessionBrief) -> "ReplaySession":
        number = len(self.briefs)
        self.briefs.append(brief)
        if number >= len(self.sessions):
            missing = Fault(f"the recording has no session {number + 1}", subtype="start")
            return ReplaySession(brief, [AgentEnded(missing)])
        return ReplaySession(brief, self.sessions[number])

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return any(brief.session == session for brief in self.briefs)


class ReplaySession:
    def __init__(self, brief: SessionBrief, moves: Sequence[ReplayStep]) -> None:
        self._brief = brief
        self._steps = iter(moves)
        self._unreported_usage: ResponseUsed | None = None
        self._closed = False
        self._ended = False

    async def events(self) -> AsyncIterator[AgentEvent]:
        while not self._ended:
            match self._next():
                case ReplayPause(until):
                    await until()
                case ResponseUnderway(used):
                    self._unreported_usage = used
                case ToolUse() as use:
                    yield ToolCalled(use.id, use.name, dict(use.input))
                    yield await self._use(use)
                case event:
                    self._unreported_usage = (
                        None if isinstance(event, ResponseUsed) else self._unreported_usage
                    )
                    self._ended = isinstance(event, AgentEnded)
                    yield event

    def _next(self) -> ReplayStep:
        # What was not played before the session was closed has not happened.
        if not self._closed:
            return next(self._steps, AgentEnded(Fault("the recording ended without a result")))
        return self._unreported_usage or AgentEnded(Fault("the session was closed"))

    async def _use(self, use: ToolUse) -> ToolFinished:
        try:
            decision = await self._brief.decide(use)
        except Exception as error:  # whatever it is, an unanswered question is a no
            decision = Deny(f"no decision about this tool use ({error!r}): refused.")
        if isinstance(decision, Deny):
            return ToolFinished(use.id, decision.reason, is_error=True)
        reply = await self._reply(use)
        return ToolFinished(use.id, reply.text, is_error=reply.is_error)

    async def _reply(self, use: ToolUse) -> ToolReply:
        for tool in self._brief.tools:
            if use.name == OWN_TOOLS + tool.name:
                try:
                    return await tool.call(use.input)
                except Exception as error:  # an agent's tool server tells the model, and goes on
                    return ToolReply(str(error), is_error=True)
        return ToolReply("")

    async def close(self) -> Sequence[LeftoverProcess]:
        self._closed = True
        return ()
