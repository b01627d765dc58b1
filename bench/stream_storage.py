"""The lines of a real stream, parsed, judged and stored, against plainly reading their JSON."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.adapters.agents.claude.stream_parser import StreamParser
from treadle.adapters.agents.claude.transport import parse_message
from treadle.adapters.clock import SystemClock, fresh_run_id
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.agent import (
    AgentEvent,
    Allow,
    CommitIdentity,
    Decision,
    LeftoverProcess,
    SessionBrief,
    ToolUse,
)
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.storage import Storage
from treadle.session.driver import SessionDriver
from treadle.session.price_list import PriceList

LINES = 4000
LIMITS = SessionLimits(
    max_cost_usd=1e9, max_turns=1000, wall_s=1e6, first_byte_s=1e6, idle_s=1e6, tool_s=1e6
)


@dataclass(frozen=True, slots=True)
class Stored:
    """One pass over the lines, both ways."""

    lines: int
    events: int
    ours_s: float
    plain_s: float


@dataclass(frozen=True, slots=True)
class LineAgent:
    """An agent that has said it all already."""

    lines: Sequence[bytes]

    async def open(self, _: SessionBrief) -> "LineSession":
        return LineSession(self.lines)

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class LineSession:
    lines: Sequence[bytes]

    async def events(self) -> AsyncIterator[AgentEvent]:
        parser = StreamParser(max_cost_usd=LIMITS.max_cost_usd)
        for line in self.lines:
            message = parse_message(line)
            if message is not None:
                for event in parser.parse(message):
                    yield event

    async def close(self) -> Sequence[LeftoverProcess]:
        return ()


def sessions_in(output: Path) -> list[list[bytes]]:
    """The lines of each session in what several printed, one after the other."""
    sessions: list[list[bytes]] = [[]]
    for line in output.read_bytes().splitlines(keepends=True):
        sessions[-1].append(line)
        if json.loads(line).get("type") == "result":
            sessions.append([])
    return sessions[:-1]


def measure(output: Path, directory: Path, *, times: int) -> list[Stored]:
    """So many passes over all sessions in the output, each into a log of its own."""
    recorded = sessions_in(output)
    # Repeated, so that opening a log weighs as little as it does in a long run.
    sessions = recorded * (1 + LINES // sum(map(len, recorded)))
    return [_pass(sessions, directory / str(n)) for n in range(times)]


def figures(done: Sequence[Stored]) -> list[Figure]:
    slower = ratios([each.ours_s for each in done], [each.plain_s for each in done])
    return [
        Figure("stream lines parsed and stored / json.loads, time", "x", slower),
        _rate("stream lines parsed and stored", done, [each.lines / each.ours_s for each in done]),
        _rate("events stored from them", done, [each.events / each.ours_s for each in done]),
        _rate("json.loads of the lines", done, [each.lines / each.plain_s for each in done]),
    ]


def _rate(name: str, done: Sequence[Stored], rates: Sequence[float]) -> Figure:
    return Figure(f"{name} ({done[0].lines:,} lines)", "/s", Spread.of(rates))


def _pass(sessions: Sequence[Sequence[bytes]], directory: Path) -> Stored:
    started = time.perf_counter()
    for lines in sessions:
        for line in lines:
            json.loads(line)
    read = time.perf_counter()
    events = asyncio.run(_store(sessions, directory))
    stored = time.perf_counter()
    return Stored(sum(map(len, sessions)), events, stored - read, read - started)


async def _store(sessions: Sequence[Sequence[bytes]], directory: Path) -> int:
    stored: list[RecordedEvent] = []
    with closing(open_store(Storage(directory))) as store:
        recorder = Recorder(store, fresh_run_id(), SystemClock(), [stored.append])
        for lines in sessions:
            driver = SessionDriver(
                LineAgent(lines),
                SystemClock(),
                recorder.record,
                asyncio.Event(),
                CLAUDE.faults,
                PriceList(CLAUDE.prices),
            )
            await driver.run(_brief(directory), LIMITS)
        recorder.flush()
    return len(stored)


def _brief(directory: Path) -> SessionBrief:
    async def allowed(_: ToolUse) -> Decision:
        return Allow()

    return SessionBrief(
        session=SessionId("bench"),
        role="implementer",
        prompt="",
        context="",
        workspace=directory,
        home=directory,
        model="",
        max_turns=LIMITS.max_turns,
        max_cost_usd=LIMITS.max_cost_usd,
        decide=allowed,
        identity=CommitIdentity("Ada Example", "ada@example.com"),
    )
