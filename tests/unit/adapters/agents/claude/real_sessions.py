"""Sessions of real binaries on a scripted model, in an environment built from nothing."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from treadle.adapters.agents.claude.agent import ClaudeAgent, ClaudeSession
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.processes.marked_processes import marked_processes
from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Allow,
    CommitIdentity,
    Decision,
    Heartbeat,
    LeftoverProcess,
    SessionBrief,
    ToolUse,
)
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.ids import SessionId
from treadle.domain.session import Completed
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

REPOSITORY = Path(__file__).parents[5]
BUNDLED = bundled_binary()
OLDER = REPOSITORY / ".venv/older-claude/claude_agent_sdk/_bundled/claude"
HEADERS = ("x-treadle-role: {role}", "x-treadle-workspace: {workspace}")
GIVEN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "ANTHROPIC_API_KEY": "rehearsal"}


async def allow(use: ToolUse) -> Decision:
    return Allow()


def brief_in(place: Path) -> SessionBrief:
    """A brief whose workspace and home are directories of its own."""
    workspace = place / "work space"
    workspace.mkdir(exist_ok=True)
    return SessionBrief(
        session=SessionId(str(uuid4())),
        role="implementer",
        prompt="Please begin.",
        context="",
        workspace=workspace,
        home=place / "home",
        model="claude-sonnet-5-5",
        max_turns=20,
        max_cost_usd=5.0,
        decide=allow,
        identity=CommitIdentity("Ada Lovelace", "ada@example.com"),
        builtin_tools=("Bash", "Read", "Write"),
    )


def api_of(*turns: str) -> ScriptedApi:
    """A model that says these turns, in one session."""
    script = f"{{version: 1, sessions: [{{turns: [{', '.join(turns)}]}}]}}"
    return ScriptedApi(parse_script(script, source="turns"))


def agent_on(api: ScriptedApi, binary: Path = BUNDLED, attribution: str = "") -> ClaudeAgent:
    environment = {**GIVEN, "ANTHROPIC_BASE_URL": api.base_url}
    return ClaudeAgent(binary, environment, attribution, HEADERS)


@asynccontextmanager
async def opened(agent: ClaudeAgent, brief: SessionBrief) -> AsyncIterator[ClaudeSession]:
    """A session that is closed in any case; no process of it may be left then."""
    session = await agent.open(brief)
    assert isinstance(session, ClaudeSession)
    try:
        yield session
    finally:
        await session.close()
        await agent.gone()
    assert (marked_processes(brief.session), agent.open_sessions) == ([], {})


@dataclass(frozen=True)
class FinishedSession:
    """A whole session: what it yielded and what it left behind."""

    events: tuple[AgentEvent, ...]
    left: tuple[LeftoverProcess, ...] = ()

    @property
    def without_heartbeats(self) -> list[AgentEvent]:
        return [event for event in self.events if not isinstance(event, Heartbeat)]

    @property
    def ended(self) -> AgentEnded:
        (ended,) = (event for event in self.events if isinstance(event, AgentEnded))
        assert self.events[-1] is ended
        return ended

    @property
    def called(self) -> list[str]:
        return [event.name for event in self.events if isinstance(event, ToolCalled)]

    @property
    def finished(self) -> list[tuple[str, bool]]:
        return [(e.output, e.is_error) for e in self.events if isinstance(e, ToolFinished)]


async def play(agent: ClaudeAgent, brief: SessionBrief) -> FinishedSession:
    async with opened(agent, brief) as session:
        events = tuple([event async for event in session.events()])
        return FinishedSession(events, tuple(await session.close()))


async def play_and_note(agent: ClaudeAgent, brief: SessionBrief) -> FinishedSession:
    """The same, ended only when the agent has all of it in its transcript."""
    async with opened(agent, brief) as session:
        events = tuple([event async for event in session.events()])
        ended = events[-1]
        assert isinstance(ended, AgentEnded)
        assert isinstance(ended.outcome, Completed)
        async with asyncio.timeout(30):
            while ended.outcome.summary not in _transcripts(brief.home):  # noqa: ASYNC110  # no file rings
                await asyncio.sleep(0.01)
        return FinishedSession(events, tuple(await session.close()))


def _transcripts(home: Path) -> str:
    return "".join(path.read_text() for path in home.glob(".claude/projects/*/*.jsonl"))


async def until(events: AsyncIterator[AgentEvent], kind: type[AgentEvent]) -> list[AgentEvent]:
    """The events up to the first of a kind."""
    seen: list[AgentEvent] = []
    async for event in events:
        seen.append(event)
        if isinstance(event, kind):
            break
    return seen


def resumed(brief: SessionBrief, prompt: str, cost_before_usd: float) -> SessionBrief:
    return replace(brief, prompt=prompt, resume=True, cost_before_usd=cost_before_usd)


def texts_in(request: Mapping[str, Any], role: str) -> Sequence[str]:
    """Every text of the given role in a request to the model, in order."""
    found: list[str] = []
    for message in request["messages"]:
        if message["role"] == role:
            content = message["content"]
            blocks = [{"text": content}] if isinstance(content, str) else content
            found += [str(block.get("text") or block.get("content") or "") for block in blocks]
    return found


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits to be noticed does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
