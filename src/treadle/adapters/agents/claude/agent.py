"""Implements the `Agent` port with Claude Code."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from treadle.adapters.agents.claude.command import (
    child_environment,
    command_line,
    escape_prompt,
    servers_of,
    write_session_files,
)
from treadle.adapters.agents.claude.control import Control
from treadle.adapters.agents.claude.orphans import has_no_children, list_sandbox_processes
from treadle.adapters.agents.claude.private_home import has_transcript, make_folder, reset_settings
from treadle.adapters.agents.claude.sandboxed_process import SandboxedProcess
from treadle.adapters.agents.claude.sandboxed_start import (
    NotConfined,
    name_limit,
    prepare_start,
)
from treadle.adapters.agents.claude.stream_parser import StreamParser
from treadle.adapters.agents.claude.terminal_session import TerminalSession
from treadle.adapters.agents.claude.transport import ProcessTransport, error_text
from treadle.adapters.processes.marked_processes import end_marked, kill_marked, tree_of
from treadle.adapters.sandboxes.init_process import GONE_S, NOT_GONE
from treadle.adapters.sandboxes.process_exit import wait_until_inactive
from treadle.domain.agent import (
    SANDBOX_FAULT,
    AgentEnded,
    AgentEvent,
    Fault,
    LeftoverProcess,
    SessionBrief,
)
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.ids import SessionId
from treadle.domain.model_access import SecretSource

CONNECT_S = 60.0


@dataclass(frozen=True, slots=True)
class ClaudeAgent:
    """Starts sessions of one binary with one environment."""

    binary: Path
    environment: Mapping[str, str] = field(repr=False)
    attribution: str = ""
    # Rehearsals tell the scripted API who is calling; a real model is told nothing.
    headers: tuple[str, ...] = ()
    # Whether the binary sends prompts as they are; else commands in them are made inert.
    verbatim: bool = False
    # Where the login of a variable comes from that the environment does not have; the gateway asks.
    login_sources: Mapping[str, SecretSource] = field(default_factory=dict, repr=False)
    # What confines its sessions; None: nothing does, because a person said so.
    sandbox: SessionSandbox | None = None
    connect_s: float = CONNECT_S
    # How long an agent that was killed may take until nothing of it acts any more.
    gone_s: float = GONE_S
    open_sessions: dict[str, "ClaudeSession | TerminalSession"] = field(
        default_factory=dict, repr=False
    )
    # What is left to do for sessions that can do nothing any more.
    cleanup_tasks: set[asyncio.Future[None]] = field(default_factory=set, repr=False)

    async def open(self, brief: SessionBrief) -> "ClaudeSession | TerminalSession":
        session: ClaudeSession | TerminalSession
        if brief.terminal is None:
            session = ClaudeSession(self, brief)
        else:
            session = TerminalSession(self, brief, brief.terminal)
        self.open_sessions[brief.session] = session
        await session.start()
        return session

    def can_resume(self, session: SessionId, home: Path) -> bool:
        """Once its transcript has a line: then `--resume` works, and `--session-id` no more."""
        return has_transcript(home, f"{session}.jsonl")

    def kill(self) -> None:
        """SIGKILL every process of every open session, now; for the second Ctrl-C."""
        for name, session in self.open_sessions.items():
            kill_marked(name, pid=session.living_pid)
            if isinstance(session, TerminalSession):
                session.restore_terminal()

    async def gone(self) -> None:
        """Wait until the processes of all closed sessions are cleared away."""
        await asyncio.gather(*self.cleanup_tasks)

    def child_environment(self, brief: SessionBrief) -> dict[str, str]:
        environment = child_environment(self.environment, brief)
        if self.headers:
            # Header values are ASCII, so a path goes percent-encoded.
            given = {"role": brief.role, "workspace": quote(str(brief.workspace))}
            lines = [line.format(**given) for line in self.headers]
            environment["ANTHROPIC_CUSTOM_HEADERS"] = "\n".join(lines)
        return environment


class ClaudeSession:
    """One process, one conversation. The stream is read in one task, from start to close."""

    def __init__(self, agent: ClaudeAgent, brief: SessionBrief) -> None:
        self._agent = agent
        self._brief = brief
        self._parser = StreamParser(
            max_cost_usd=brief.max_cost_usd,
            cost_before_usd=brief.cost_before_usd,
            resumed=brief.resume,
        )
        self._failure: AgentEnded | None = None
        self._control: Control | None = None
        self._pending: deque[AgentEvent] = deque()
        self._ended = False
        self._closing: asyncio.Task[Sequence[LeftoverProcess]] | None = None
        self._sandboxed = SandboxedProcess(agent.sandbox)
        self._has_output = False
        # Whether it was ended without being asked, because it had said all.
        self._killed = False

    async def start(self) -> None:
        """Spawn and send the prompt; what goes wrong becomes the session's only event."""
        try:
            await self._try_start()
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _try_start(self) -> None:
        try:
            async with asyncio.timeout(self._agent.connect_s):
                await self._connect()
        except NotConfined as error:
            self._failure = AgentEnded(error.fault)
        except TimeoutError:
            silent = f"it was not ready after {self._agent.connect_s:g} s"
            self._failure = AgentEnded(await self._start_fault(silent))
        except Exception as error:  # the port never raises: every way of not starting is a fault
            self._failure = AgentEnded(await self._start_fault(error_text(error)))

    async def _connect(self) -> None:
        brief, agent = self._brief, self._agent
        make_folder(brief.home, "tmp")
        reset_settings(brief.home)
        with write_session_files(brief, servers_of(brief)) as given:
            command = command_line(agent.binary, brief, given, attribution=agent.attribution)
            start = prepare_start(
                agent.sandbox, command, environment=agent.child_environment(brief), brief=brief
            )
            self._sandboxed.set_start(start)
            transport = ProcessTransport(start, directory=brief.workspace)
            self._control = control = Control(transport, decide=brief.decide, tools=brief.tools)
            await transport.connect()
            await control.initialize()
            self._sandboxed.find_first()
        await control.send_prompt(brief.prompt if agent.verbatim else escape_prompt(brief.prompt))

    async def _start_fault(self, reason: str) -> Fault:
        exit_code = None
        if self._control is not None:
            await self._control.close()
            exit_code = self._control.transport.exit_code
            reason = self._control.transport.stderr_tail().strip() or reason
        if fault := self._sandbox_fault():
            return fault
        return Fault(
            message=f"the agent did not start: {reason.splitlines()[-1][:300]}",
            subtype="start",
            exit_code=exit_code,
        )

    async def events(self) -> AsyncIterator[AgentEvent]:
        while not self._ended:
            if not self._pending:
                self._pending.extend(await self._next_events())
                continue
            event = self._pending.popleft()
            self._ended = isinstance(event, AgentEnded)
            yield event

    async def _next_events(self) -> Sequence[AgentEvent]:
        control = self._control
        if self._failure is not None or control is None:
            return [
                self._failure or AgentEnded(Fault("the agent was not started", subtype="start"))
            ]
        closed = self._closing is not None and self._closing.done()
        # Once all is closed nothing more is on its way, and nobody is to wait for it.
        unread = None if closed and control.messages.empty() else await control.messages.get()
        if unread is not None:
            self._has_output = True
            return self._parser.parse(unread)
        transport = control.transport
        await transport.wait_for_exit()
        if fault := self._sandbox_fault():
            return [AgentEnded(fault)]
        ended = self._parser.end_of_stream(
            exit_code=transport.exit_code, stderr=transport.stderr_tail()
        )
        return name_limit(ended, self._sandboxed.exceeded())

    def _sandbox_fault(self) -> Fault | None:
        control = self._control
        # Who spoke did run; a sandbox that is killed later has no time for its report.
        if control is None or self._has_output or control.transport.exit_code is None:
            return None
        return self._sandboxed.fault(control.transport.stderr_tail())

    @property
    def living_pid(self) -> int | None:
        """The agent's own process, while it has not ended."""
        if self._control is None or self._control.transport.exit_code is not None:
            return None
        return self._control.transport.pid

    async def close(self) -> Sequence[LeftoverProcess]:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # Shielded, so that a caller who gives up does not leave the processes behind.
        return await asyncio.shield(self._closing)

    async def _close(self) -> Sequence[LeftoverProcess]:
        control = self._control
        known: tuple[int, ...] = ()
        left: Sequence[LeftoverProcess] = ()
        pid = self.living_pid
        tree = (
            []
            if pid is None or self._sandboxed.is_confined
            else await asyncio.to_thread(tree_of, pid)
        )
        if control is not None:
            if not self._ended:
                await control.interrupt()
            try:
                left = await self._find_leftovers(control.transport)
            finally:
                # Whatever cannot be looked at, the agent has to go.
                await self._end_process(control)
            known = () if control.transport.pid is None else (control.transport.pid,)
        if self._sandboxed.is_confined:
            if not await self._sandboxed.is_inactive(within_s=self._agent.gone_s):
                self._fail_with(Fault(NOT_GONE, subtype=SANDBOX_FAULT))
        else:
            left = await end_marked(self._brief.session, known=known, tree=tree)
        self._sandboxed.leave()
        self._finish_later(asyncio.ensure_future(self._sandboxed.clear()))
        self._agent.open_sessions.pop(self._brief.session, None)
        return left

    async def _find_leftovers(self, transport: ProcessTransport) -> Sequence[LeftoverProcess]:
        """What its tools have left in its sandbox; ends an agent that has said all."""
        pid = self.living_pid
        if pid is None:
            return ()
        if self._sandboxed.is_confined:
            self._sandboxed.find_first()
            # They die with the sandbox, so now is the time to see them.
            found = await asyncio.to_thread(list_sandbox_processes, pid)
            self._sandboxed.pids = found.pids
            if self._ended:
                await transport.kill()
                self._killed = self._sandboxed.first is not None
            return found.leftovers
        if self._ended:
            # Not waited for either, unless it has somebody else to end: servers, for one.
            self._killed = has_no_children(pid)
            await (transport.kill() if self._killed else transport.end_input())
        return ()

    async def _end_process(self, control: Control) -> None:
        """Until the agent is gone; one that was killed is cleared away meanwhile."""
        ending = asyncio.ensure_future(control.close())
        self._finish_later(ending)
        if not self._killed or not await self._is_inactive():
            await asyncio.shield(ending)

    async def _is_inactive(self) -> bool:
        """Whether an agent that was killed can act no more; of a sandbox that is asked anyway."""
        pid = self.living_pid
        if self._sandboxed.is_confined or pid is None:
            return self._sandboxed.is_confined
        return await wait_until_inactive(frozenset((pid,)), within_s=self._agent.gone_s)

    def _fail_with(self, fault: Fault) -> None:
        """This is how the session ended, also if it had ended well before."""
        self._failure, self._ended = AgentEnded(fault), False
        self._pending = deque(e for e in self._pending if not isinstance(e, AgentEnded))

    def _finish_later(self, task: asyncio.Future[None]) -> None:
        self._agent.cleanup_tasks.add(task)
        task.add_done_callback(self._agent.cleanup_tasks.discard)
