"""One Claude Code process in a person's terminal: the person talks to it, nothing is parsed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from treadle.adapters.agents.claude.command import write_session_files
from treadle.adapters.agents.claude.private_home import make_folder, reset_settings
from treadle.adapters.agents.claude.sandboxed_process import SandboxedProcess
from treadle.adapters.agents.claude.sandboxed_start import NotConfined, prepare_start
from treadle.adapters.agents.claude.terminal_relay import TerminalRelay
from treadle.adapters.agents.claude.terminal_start import (
    first_settings,
    terminal_command,
    terminal_environment,
)
from treadle.adapters.agents.claude.tool_socket import INSIDE, ToolSocket, connector
from treadle.adapters.agents.claude.transport import error_text, kill_with_parent
from treadle.adapters.sandboxes.init_process import NOT_GONE
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.agent import (
    OWN_SERVER,
    SANDBOX_FAULT,
    AgentEnded,
    AgentEvent,
    Fault,
    LeftoverProcess,
    SessionBrief,
    Terminal,
)
from treadle.domain.sandbox import ConfinedCommand
from treadle.domain.session import Completed, Crashed

if TYPE_CHECKING:
    from treadle.adapters.agents.claude.agent import ClaudeAgent

# How long an agent may take that has lost its terminal.
HANG_UP_S = 2.0
SLICE_S = 0.1


class TerminalSession:
    """Implements `AgentSession`; its only event is its end."""

    def __init__(self, agent: "ClaudeAgent", brief: SessionBrief, terminal: Terminal) -> None:
        self._agent = agent
        self._brief = brief
        self._terminal = terminal
        self._sandboxed = SandboxedProcess(agent.sandbox)
        self._sockets = ToolSocket(brief.tools)
        self._files = ExitStack()
        self._relay: TerminalRelay | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._failure: AgentEnded | None = None
        self._ended = False
        self._closing: asyncio.Task[Sequence[LeftoverProcess]] | None = None

    async def start(self) -> None:
        """Hand the terminal over; what goes wrong becomes the session's only event."""
        try:
            await self._try_start()
        except asyncio.CancelledError:
            await self.close()
            raise
        except NotConfined as error:
            self._failure = AgentEnded(error.fault)
        except OSError as error:
            reason = f"the agent did not start: {error_text(error)}"
            self._failure = AgentEnded(Fault(reason, subtype="start"))

    async def _try_start(self) -> None:
        brief, agent, python = self._brief, self._agent, this_interpreter().program
        environment = terminal_environment(agent.child_environment(brief), self._terminal)
        make_folder(brief.home, "tmp")
        reset_settings(brief.home, first_settings(brief.workspace, environment))
        await self._sockets.open()
        servers = {**brief.mcp_servers, OWN_SERVER: connector(python)}
        # The files stay until the end: nobody says when the agent has read them.
        given = self._files.enter_context(write_session_files(brief, servers))
        command = terminal_command(python, agent.binary, brief, given)
        start = prepare_start(
            agent.sandbox,
            command,
            environment=environment,
            brief=brief,
            sockets={INSIDE: self._sockets.path},
        )
        self._sandboxed.set_start(start)
        self._relay = relay = TerminalRelay(self._terminal)
        self._process = await self._spawn(start, relay)
        relay.start()

    async def _spawn(
        self, start: ConfinedCommand, relay: TerminalRelay
    ) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *kill_with_parent(list(start.command)),
                stdin=relay.inside,
                stdout=relay.inside,
                stderr=relay.inside,
                env=dict(start.environment),
                cwd=str(self._brief.workspace),
                start_new_session=True,
                pass_fds=start.descriptors,
            )
        finally:
            for descriptor in start.descriptors:
                os.close(descriptor)

    async def events(self) -> AsyncIterator[AgentEvent]:
        if self._ended:
            return
        if self._failure is None and self._process is not None:
            waiting = asyncio.ensure_future(self._process.wait())
            try:
                while not (await asyncio.wait({waiting}, timeout=SLICE_S))[0]:
                    self._sandboxed.find_first()
            finally:
                waiting.cancel()
        self._ended = True
        yield self._failure or self._end()

    def _end(self) -> AgentEnded:
        code = None if self._process is None else self._process.returncode
        if code == 0:
            return AgentEnded(Completed("the person ended the session"))
        if code is not None and (fault := self._sandboxed.fault("")):
            return AgentEnded(fault)
        limit = self._sandboxed.exceeded()
        return AgentEnded(Crashed(limit or f"the agent ended with exit code {code}", code))

    @property
    def living_pid(self) -> int | None:
        """The agent's own process, while it has not ended."""
        ended = self._process is None or self._process.returncode is not None
        return None if ended or self._process is None else self._process.pid

    def restore_terminal(self) -> None:
        """Give the terminal back at once, for a person who will not wait."""
        if self._relay is not None:
            self._relay.restore()

    async def close(self) -> Sequence[LeftoverProcess]:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        return await asyncio.shield(self._closing)

    async def _close(self) -> Sequence[LeftoverProcess]:
        relay, process = self._relay, self._process
        self._sandboxed.find_first()
        if relay is not None:
            relay.stop()
            # Without a terminal the agent ends by itself, and writes its transcript before.
            relay.close()
        if process is not None and not await self._has_ended(process):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if not await self._sandboxed.is_inactive(within_s=self._agent.gone_s):
            self._failure, self._ended = AgentEnded(Fault(NOT_GONE, subtype=SANDBOX_FAULT)), False
        self._sandboxed.leave()
        await self._sandboxed.clear()
        await self._sockets.close()
        self._files.close()
        self._agent.open_sessions.pop(self._brief.session, None)
        return ()

    async def _has_ended(self, process: asyncio.subprocess.Process) -> bool:
        waiting = asyncio.ensure_future(process.wait())
        done, _ = await asyncio.wait({waiting}, timeout=HANG_UP_S)
        waiting.cancel()
        return bool(done)
