"""The `Agent` port on Claude Code, driven through its Agent SDK."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from treadle.adapters.agents.claude.command import child_environment, command_line
from treadle.adapters.agents.claude.parse import StreamParser
from treadle.adapters.agents.claude.processes import end_marked, kill_marked
from treadle.domain.agent import AgentEnded, AgentEvent, Brief, Fault, Leftover

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient

    from treadle.adapters.agents.claude.transport import ProcessTransport

INTERRUPT_S = 2.0
CONNECT_S = 90.0

_END = object()


@dataclass(frozen=True, slots=True)
class ClaudeAgent:
    """Starts sessions of one binary with one environment."""

    binary: Path
    environment: Mapping[str, str] = field(repr=False)
    attribution: str = ""
    # Rehearsals tell the scripted API who is calling; a real model is told nothing.
    headers: tuple[str, ...] = ()
    live: set[str] = field(default_factory=set)

    async def open(self, brief: Brief) -> "ClaudeSession":
        self.live.add(brief.session)
        session = ClaudeSession(self, brief)
        await session.start()
        return session

    def kill(self) -> None:
        """SIGKILL every process of every open session, now; for the second Ctrl-C."""
        for session in self.live:
            kill_marked(session)

    def child_environment(self, brief: Brief) -> dict[str, str]:
        environment = child_environment(self.environment, brief)
        if self.headers:
            # Header values are ASCII, so a path goes percent-encoded.
            place = quote(str(brief.workspace))
            lines = [line.format(role=brief.role, workspace=place) for line in self.headers]
            environment["ANTHROPIC_CUSTOM_HEADERS"] = "\n".join(lines)
        return environment


class ClaudeSession:
    """One process, one conversation. The stream is read in one task, from start to close."""

    def __init__(self, agent: ClaudeAgent, brief: Brief) -> None:
        self._agent = agent
        self._brief = brief
        self._parser = StreamParser(
            max_cost_usd=brief.max_cost_usd, cost_before_usd=brief.cost_before_usd
        )
        self._messages: asyncio.Queue[dict[str, Any] | object] = asyncio.Queue()
        self._failure: AgentEnded | None = None
        self._client: ClaudeSDKClient | None = None
        self._transport: ProcessTransport | None = None
        self._drain: asyncio.Task[None] | None = None
        self._ended = False
        self._closed: Sequence[Leftover] | None = None

    async def start(self) -> None:
        """Spawn and send the prompt; what goes wrong becomes the session's only event."""
        try:
            async with asyncio.timeout(CONNECT_S):
                await self._connect()
        except Exception as error:  # the port never raises: every way of not starting is a fault
            self._failure = AgentEnded(await self._start_fault(error))

    async def _connect(self) -> None:
        from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, HookMatcher

        from treadle.adapters.agents.claude.tools import before_tool_use, tool_server
        from treadle.adapters.agents.claude.transport import ProcessTransport

        brief, agent = self._brief, self._agent
        (brief.home / "tmp").mkdir(parents=True, exist_ok=True)
        self._transport = ProcessTransport(
            command_line(agent.binary, brief, attribution=agent.attribution),
            environment=agent.child_environment(brief),
            directory=brief.workspace,
            on_message=self._messages.put_nowait,
        )
        options = ClaudeAgentOptions(
            mcp_servers={"treadle": tool_server(brief.tools)},
            hooks={"PreToolUse": [HookMatcher(hooks=[before_tool_use(brief.decide)])]},
        )
        self._client = ClaudeSDKClient(options, transport=self._transport)
        await self._client.connect()
        self._drain = asyncio.create_task(self._drain_client(self._client))
        await self._client.query(brief.prompt)

    async def _drain_client(self, client: "ClaudeSDKClient") -> None:
        """Keep the SDK reading; its own view of the messages is not used, nor are its errors."""
        from claude_agent_sdk import ClaudeSDKError

        try:
            with suppress(ClaudeSDKError):
                async for _ in client.receive_messages():
                    pass
        finally:
            self._messages.put_nowait(_END)

    async def _start_fault(self, error: Exception) -> Fault:
        exit_code, said = None, str(error) or type(error).__name__
        if self._transport is not None:
            await self._transport.wait_for_exit()
            exit_code = self._transport.exit_code
            said = self._transport.stderr_tail().strip() or said
        return Fault(
            message=f"the agent did not start: {said.splitlines()[-1][:300]}",
            subtype="start",
            exit_code=exit_code,
        )

    async def events(self) -> AsyncIterator[AgentEvent]:
        if self._failure is not None:
            yield self._failure
            return
        while not self._ended:
            message = await self._messages.get()
            if not isinstance(message, dict):
                yield await self._lost()
                return
            for event in self._parser.parse(message):
                self._ended = self._ended or isinstance(event, AgentEnded)
                yield event

    async def _lost(self) -> AgentEvent:
        self._ended = True
        if self._transport is None:
            return self._parser.ended(exit_code=None, stderr="")
        await self._transport.wait_for_exit()
        return self._parser.ended(
            exit_code=self._transport.exit_code, stderr=self._transport.stderr_tail()
        )

    async def close(self) -> Sequence[Leftover]:
        if self._closed is None:
            self._closed = await self._close()
        return self._closed

    async def _close(self) -> Sequence[Leftover]:
        if self._client is not None:
            if not self._ended and self._drain is not None:
                # Lets the agent end its tool and write its transcript, so that it can be resumed.
                with suppress(Exception):
                    await asyncio.wait_for(self._client.interrupt(), INTERRUPT_S)
            with suppress(Exception):
                await self._client.disconnect()
        if self._transport is not None:
            await self._transport.close()
        if self._drain is not None:
            self._drain.cancel()
            with suppress(asyncio.CancelledError):
                await self._drain
        pid = self._transport.pid if self._transport is not None else None
        self._agent.live.discard(self._brief.session)
        return await end_marked(self._brief.session, known=() if pid is None else (pid,))
