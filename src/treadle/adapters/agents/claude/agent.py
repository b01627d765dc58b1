"""The `Agent` port on Claude Code, driven through its Agent SDK."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from treadle.adapters.agents.claude.command import child_environment, command_line
from treadle.adapters.agents.claude.enclosure import Enclosure, NotConfined, started_in
from treadle.adapters.agents.claude.inert_prompt import inert
from treadle.adapters.agents.claude.orphans import is_alone, look_inside
from treadle.adapters.agents.claude.parse import StreamParser
from treadle.adapters.agents.claude.private_home import forget_settings, has_transcript, make_folder
from treadle.adapters.agents.claude.processes import end_marked, kill_marked, tree_of
from treadle.adapters.agents.claude.session_files import given_files
from treadle.adapters.agents.claude.speaking import SPEAKER, client_of, interrupt, let_go, unless
from treadle.adapters.sandboxes.first_process import GONE_S, NOT_GONE, First, first_inside
from treadle.adapters.sandboxes.last_moments import can_act_no_more, is_over
from treadle.domain.agent import (
    SANDBOX_FAULT,
    AgentEnded,
    AgentEvent,
    Brief,
    Fault,
    Leftover,
)
from treadle.domain.ids import SessionId

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient

    from treadle.adapters.agents.claude.transport import ProcessTransport

CONNECT_S = 90.0


@dataclass(frozen=True, slots=True)
class ClaudeAgent:
    """Starts sessions of one binary with one environment."""

    binary: Path
    environment: Mapping[str, str] = field(repr=False)
    attribution: str = ""
    # Rehearsals tell the scripted API who is calling; a real model is told nothing.
    headers: tuple[str, ...] = ()
    # Whether the binary is known to send prompts as they are; for one that is not, they are changed
    # so that nothing in them is a command to it.
    verbatim: bool = False
    # What confines its sessions; None: nothing does, because a person said so.
    enclosure: Enclosure | None = None
    connect_s: float = CONNECT_S
    # How long an agent that was killed may take until nothing of it acts any more.
    gone_s: float = GONE_S
    live: dict[str, "ClaudeSession"] = field(default_factory=dict, repr=False)
    # What is left to do for sessions that can do nothing any more.
    ending: set[asyncio.Task[None]] = field(default_factory=set, repr=False)

    async def open(self, brief: Brief) -> "ClaudeSession":
        session = ClaudeSession(self, brief)
        self.live[brief.session] = session
        await session.start()
        return session

    def remembers(self, session: SessionId, home: Path) -> bool:
        """Once its transcript has a line: then `--resume` works, and `--session-id` no more."""
        return has_transcript(home, f"{session}.jsonl")

    def kill(self) -> None:
        """SIGKILL every process of every open session, now; for the second Ctrl-C."""
        for name, session in self.live.items():
            kill_marked(name, pid=session.living_pid)

    async def gone(self) -> None:
        """Wait until the processes of all closed sessions are cleared away."""
        await asyncio.gather(*self.ending)

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
            max_cost_usd=brief.max_cost_usd,
            cost_before_usd=brief.cost_before_usd,
            resumed=brief.resume,
        )
        self._failure: AgentEnded | None = None
        self._client: ClaudeSDKClient | None = None
        self._transport: ProcessTransport | None = None
        self._parsed: deque[AgentEvent] = deque()
        self._ended = False
        self._closing: asyncio.Task[Sequence[Leftover]] | None = None
        # Where the sandbox says whether the agent really ran in it.
        self._report: Path | None = None
        self._heard = False
        self._first: First | None = None
        self._inside: frozenset[int] = frozenset()
        # Whether it was ended without being asked, because it had said all.
        self._killed = False

    async def start(self) -> None:
        """Spawn and send the prompt; what goes wrong becomes the session's only event."""
        try:
            async with asyncio.timeout(self._agent.connect_s):
                await self._connect()
        except asyncio.CancelledError:
            await self.close()
            raise
        except NotConfined as error:
            self._failure = AgentEnded(error.fault)
        except TimeoutError:
            silent = f"it was not ready within {self._agent.connect_s:g} s"
            self._failure = AgentEnded(await self._start_fault(silent))
        except Exception as error:  # the port never raises: every way of not starting is a fault
            self._failure = AgentEnded(await self._start_fault(_reason(error)))

    async def _connect(self) -> None:
        from treadle.adapters.agents.claude.transport import ProcessTransport

        brief, agent = self._brief, self._agent
        make_folder(brief.home, "tmp")
        forget_settings(brief.home)
        with given_files(brief) as given:
            command = command_line(agent.binary, brief, given, attribution=agent.attribution)
            start = started_in(
                agent.enclosure, command, environment=agent.child_environment(brief), brief=brief
            )
            self._report = start.report
            self._transport = ProcessTransport(start, directory=brief.workspace, tools=brief.tools)
            # The agent comes up while what talks to it is loaded.
            await self._transport.connect()
            await asyncio.to_thread(import_module, SPEAKER)
            self._client = client_of(brief, self._transport)
            await unless(self._transport.ended, self._client.connect())
            self._hold_first()
        await self._client.query(brief.prompt if agent.verbatim else inert(brief.prompt))

    async def _start_fault(self, reason: str) -> Fault:
        exit_code = None
        if self._transport is not None:
            await self._transport.wait_for_exit()
            exit_code = self._transport.exit_code
            reason = self._transport.stderr_tail().strip() or reason
        if fault := self._sandbox_fault():
            return fault
        return Fault(
            message=f"the agent did not start: {reason.splitlines()[-1][:300]}",
            subtype="start",
            exit_code=exit_code,
        )

    async def events(self) -> AsyncIterator[AgentEvent]:
        while not self._ended:
            if not self._parsed:
                self._parsed.extend(await self._more())
                continue
            event = self._parsed.popleft()
            self._ended = isinstance(event, AgentEnded)
            yield event

    async def _more(self) -> Sequence[AgentEvent]:
        transport = self._transport
        if self._failure is not None or transport is None:
            return [
                self._failure or AgentEnded(Fault("the agent was not started", subtype="start"))
            ]
        closed = self._closing is not None and self._closing.done()
        # Once all is closed nothing more is on its way, and nobody is to wait for it.
        unread = None if closed and transport.messages.empty() else await transport.messages.get()
        if unread is not None:
            self._heard = True
            return self._parser.parse(unread)
        await transport.wait_for_exit()
        if fault := self._sandbox_fault():
            return [AgentEnded(fault)]
        return self._parser.ended(exit_code=transport.exit_code, stderr=transport.stderr_tail())

    def _sandbox_fault(self) -> Fault | None:
        """The sandbox's own failure, if its report says that the agent never ran inside it."""
        enclosure, transport = self._agent.enclosure, self._transport
        if enclosure is None or self._report is None or transport is None:
            return None
        # Who spoke did run; a sandbox that is killed later has no time for its report.
        if self._heard or transport.exit_code is None:
            return None
        return enclosure.fault(self._report, transport.stderr_tail())

    @property
    def living_pid(self) -> int | None:
        """The agent's own process, while it has not ended."""
        transport = self._transport
        return None if transport is None or transport.exit_code is not None else transport.pid

    async def close(self) -> Sequence[Leftover]:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # Shielded, so that a caller who gives up does not leave the processes behind.
        return await asyncio.shield(self._closing)

    async def _close(self) -> Sequence[Leftover]:
        transport = self._transport
        known: tuple[int, ...] = ()
        left: Sequence[Leftover] = ()
        pid = self.living_pid
        tree = [] if pid is None or self._is_confined else await asyncio.to_thread(tree_of, pid)
        if transport is not None:
            if self._client is not None and not self._ended and not transport.ended.is_set():
                await interrupt(self._client, transport)
            try:
                left = await self._last_look(transport)
            finally:
                # Whatever cannot be looked at, the agent has to go.
                await self._end(transport)
            known = () if transport.pid is None else (transport.pid,)
        if self._is_confined:
            self._hold_first()
            if not await is_over(self._first, self._inside, within_s=self._agent.gone_s):
                self._end_as(Fault(NOT_GONE, subtype=SANDBOX_FAULT))
        else:
            left = await end_marked(self._brief.session, known=known, tree=tree)
        self._forget_report()
        self._agent.live.pop(self._brief.session, None)
        return left

    async def _last_look(self, transport: "ProcessTransport") -> Sequence[Leftover]:
        """What its tools have left in its sandbox; ends an agent that has said all."""
        pid = self.living_pid
        if pid is None:
            return ()
        if self._is_confined:
            self._hold_first()
            # They die with the sandbox, so now is the time to see them.
            found = await asyncio.to_thread(look_inside, pid)
            self._inside = found.everybody
            if self._ended:
                await transport.kill()
                self._killed = self._first is not None
            return found.left
        if self._ended:
            # Not waited for either, unless it has somebody else to end: servers, for one.
            self._killed = is_alone(pid)
            await (transport.kill() if self._killed else transport.end_input())
        return ()

    async def _end(self, transport: "ProcessTransport") -> None:
        """Until the agent is gone; one that was killed is cleared away while we go on."""
        ending = asyncio.ensure_future(let_go(self._client, transport))
        self._agent.ending.add(ending)
        ending.add_done_callback(self._agent.ending.discard)
        if not self._killed or not await self._is_powerless():
            await asyncio.shield(ending)

    async def _is_powerless(self) -> bool:
        """Whether an agent that was killed can act no more; of a sandbox that is asked anyway."""
        pid = self.living_pid
        if self._is_confined or pid is None:
            return self._is_confined
        return await can_act_no_more(frozenset((pid,)), within_s=self._agent.gone_s)

    def _hold_first(self) -> None:
        """Know the sandbox's first process while it runs: a number alone may be used again."""
        enclosure = self._agent.enclosure
        if self._first is None and enclosure is not None and self._report is not None:
            self._first = first_inside(enclosure.first_process(self._report))

    def _end_as(self, fault: Fault) -> None:
        """This is how the session ended, also if it had ended well before."""
        self._failure, self._ended = AgentEnded(fault), False
        self._parsed = deque(e for e in self._parsed if not isinstance(e, AgentEnded))

    @property
    def _is_confined(self) -> bool:
        """In a sandbox of its own processes, none of which outlives the first."""
        return self._report is not None

    def _forget_report(self) -> None:
        if self._report is not None:
            self._report.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
