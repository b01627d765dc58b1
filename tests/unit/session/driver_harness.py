"""A driver over a replayed agent that tells whether it was closed and what it left running."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.builders import FAULTS, SESSION_LIMITS, VENDOR_PRICES, FakeClock
from treadle.adapters.agents.replay.agent import ReplayAgent, ReplayPause, ReplaySession, ReplayStep
from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Allow,
    CommitIdentity,
    Decision,
    LeftoverProcess,
    SessionBrief,
    TextClosed,
    TextStreamed,
    Tool,
    ToolReply,
    ToolUse,
)
from treadle.domain.events.all_events import Event
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.session import Completed, SessionResult
from treadle.domain.signal import Role
from treadle.session.agent_text import RecordEvent
from treadle.session.driver import DiskGuard, SessionDriver

SESSION = SessionId("session-1")
FINE = AgentEnded(Completed("all is well"))


@dataclass
class WatchedAgent:
    """Replays one session; says what happened to it in the end."""

    moves: Sequence[ReplayStep]
    leftovers: Sequence[LeftoverProcess] = ()
    # What a session says once it is closed; None: what the replay says.
    after_close: AgentEnded | None = None
    closed: int = 0
    briefs: list[SessionBrief] = field(default_factory=list)

    async def open(self, brief: SessionBrief) -> "WatchedSession":
        self.briefs.append(brief)
        return WatchedSession(self, await ReplayAgent([self.moves]).open(brief))

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return False


@dataclass
class WatchedSession:
    agent: WatchedAgent
    inner: ReplaySession

    async def events(self) -> AsyncIterator[AgentEvent]:
        if self.agent.closed and self.agent.after_close is not None:
            yield self.agent.after_close
            return
        async for event in self.inner.events():
            yield event

    async def close(self) -> Sequence[LeftoverProcess]:
        await asyncio.sleep(0)
        self.agent.closed += 1
        await self.inner.close()
        return self.agent.leftovers


async def allowed(use: ToolUse) -> Decision:
    return Allow()


def brief_for(role: Role, workspace: Path = Path("/clone")) -> SessionBrief:
    return SessionBrief(
        session=SESSION,
        role=role,
        prompt="Do it.",
        context="",
        workspace=workspace,
        home=Path("/home"),
        model="sonnet",
        max_turns=50,
        max_cost_usd=5.0,
        decide=allowed,
        identity=CommitIdentity("Ada", "ada@example.com"),
    )


@dataclass
class DriverHarness:
    """One session, driven from its prompt to its end, with everything that was recorded."""

    agent: WatchedAgent
    clock: FakeClock = field(default_factory=FakeClock)
    events: list[Event] = field(default_factory=list)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    brief: SessionBrief = field(default_factory=lambda: brief_for("implementer"))
    limits: SessionLimits = SESSION_LIMITS
    record: RecordEvent | None = None
    disk: DiskGuard | None = None

    async def run(self) -> SessionResult:
        record = self.record or self.events.append
        return await SessionDriver(
            self.agent,
            self.clock,
            record,
            self.stop,
            FAULTS,
            VENDOR_PRICES,
            disk=self.disk,
        ).run(self.brief, self.limits)

    @property
    def recorded(self) -> list[Event]:
        """What was recorded between the prompt and the end."""
        return self.events[2:-1]


def make_driver_harness(
    *moves: ReplayStep, role: Role = "implementer", **limits: Any
) -> DriverHarness:
    return DriverHarness(
        WatchedAgent(moves), brief=brief_for(role), limits=replace(SESSION_LIMITS, **limits)
    )


def said(text: str) -> tuple[TextStreamed, TextClosed]:
    return TextStreamed(text), TextClosed()


def signalled(kind: str, text: str) -> ToolUse:
    return ToolUse("s", "mcp__treadle__signal", {"kind": kind, "text": text})


async def _never() -> None:
    await asyncio.Event().wait()


FOREVER = ReplayPause(_never)


def tool_that(call_log: list[Mapping[str, Any]]) -> Tool:
    """A tool of ours that remembers its calls."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        call_log.append(arguments)
        return ToolReply("looked")

    return Tool("look", "Look.", {"type": "object"}, call)
