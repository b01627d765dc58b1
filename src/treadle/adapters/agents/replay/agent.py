"""Implements the `Agent` port without a process: replays recorded events and calls our tools."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkstemp
from typing import TypeAlias, assert_never

from treadle.adapters.agents.replay.recording import (
    FileWrite,
    RecordedCall,
    RecordedEnd,
    RecordedStep,
    SessionText,
)
from treadle.domain.agent import (
    OWN_TOOLS,
    AgentEnded,
    AgentEvent,
    Deny,
    Fault,
    LeftoverProcess,
    ResponseUsed,
    SessionBrief,
    TextClosed,
    TextStreamed,
    ToolReply,
    ToolUse,
)
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.ids import SessionId
from treadle.domain.session import Completed

# The tool by which agents write files; the policy knows it by this name.
WRITE = "Write"
# In the private home of a run: how many sessions were played to their end, by all its processes.
PLAYED_FILE = "replay-played"


@dataclass(frozen=True, slots=True)
class ReplayPause:
    """Wait here for something the test or the recording holds."""

    until: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ResponseUnderway:
    """A response has used this much; who closes the session before its `ResponseUsed` owes it."""

    used: ResponseUsed


@dataclass(frozen=True, slots=True)
class ReplayWrite:
    """A use of the tool that writes files; where it is allowed, the file is written."""

    use: ToolUse


ReplayStep: TypeAlias = AgentEvent | ToolUse | ReplayWrite | ReplayPause | ResponseUnderway


def replay_steps(recorded: Sequence[RecordedStep]) -> list[ReplayStep]:
    """The steps of a recorded session, as this agent plays them."""
    return [step for number, each in enumerate(recorded, 1) for step in _replay(each, number)]


def _replay(step: RecordedStep, number: int) -> list[ReplayStep]:
    match step:
        case SessionText(text):
            return [TextStreamed(text), TextClosed()]
        case RecordedCall(tool, given):
            return [ToolUse(str(number), OWN_TOOLS + tool, given)]
        case FileWrite(path, content):
            use = ToolUse(str(number), WRITE, {"file_path": path, "content": content})
            return [ReplayWrite(use)]
        case RecordedEnd(text):
            return [AgentEnded(Completed(text))]
        case _:
            assert_never(step)


@dataclass(slots=True)
class ReplayAgent:
    """Each session takes the next list of steps; a session too many fails like a crashed agent."""

    sessions: Sequence[Sequence[ReplayStep]]
    briefs: list[SessionBrief] = field(default_factory=list)
    # Called when the last step of a session was played.
    on_end: Callable[[], None] = lambda: None

    async def open(self, brief: SessionBrief) -> "ReplaySession":
        number = len(self.briefs)
        self.briefs.append(brief)
        if number >= len(self.sessions):
            missing = Fault(f"the recording has no session {number + 1}", subtype="start")
            return ReplaySession(brief, [AgentEnded(missing)])
        return ReplaySession(brief, self.sessions[number], self.on_end)

    def can_resume(self, session: SessionId, home: Path) -> bool:
        return any(brief.session == session for brief in self.briefs)

    def kill(self) -> None:
        """It has no process."""

    async def gone(self) -> None:
        """It has no process."""


class ReplaySession:
    def __init__(
        self,
        brief: SessionBrief,
        steps: Sequence[ReplayStep],
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._brief = brief
        self._steps = iter(steps)
        self._on_end = on_end
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
                    yield await self._use(use, self._reply)
                case ReplayWrite(use):
                    yield ToolCalled(use.id, use.name, dict(use.input))
                    yield await self._use(use, self._write)
                case event:
                    self._unreported_usage = (
                        None if isinstance(event, ResponseUsed) else self._unreported_usage
                    )
                    self._ended = isinstance(event, AgentEnded)
                    yield self._note_end(event) if self._ended and not self._closed else event

    def _note_end(self, event: AgentEvent) -> AgentEvent:
        """The end, or why it could not be noted: a session never raises."""
        try:
            self._on_end()
        except OSError as error:
            return AgentEnded(Fault(f"cannot note the end of the session: {error.strerror}"))
        return event

    def _next(self) -> ReplayStep:
        # What was not played before the session was closed has not happened.
        if not self._closed:
            return next(self._steps, AgentEnded(Fault("the recording ended without a result")))
        return self._unreported_usage or AgentEnded(Fault("the session was closed"))

    async def _use(
        self, use: ToolUse, reply_to: Callable[[ToolUse], Awaitable[ToolReply]]
    ) -> ToolFinished:
        try:
            decision = await self._brief.decide(use)
        except Exception as error:  # whatever it is, an unanswered question is a no
            decision = Deny(f"no decision about this tool use ({error!r}): refused.")
        if isinstance(decision, Deny):
            return ToolFinished(use.id, decision.reason, is_error=True)
        reply = await reply_to(use)
        return ToolFinished(use.id, reply.text, is_error=reply.is_error)

    async def _reply(self, use: ToolUse) -> ToolReply:
        for tool in self._brief.tools:
            if use.name == OWN_TOOLS + tool.name:
                try:
                    return await tool.call(use.input)
                except Exception as error:  # an agent's tool server tells the model, and goes on
                    return ToolReply(str(error), is_error=True)
        return ToolReply("")

    async def _write(self, use: ToolUse) -> ToolReply:
        return _write_file(
            self._brief.workspace, str(use.input["file_path"]), str(use.input["content"])
        )

    async def close(self) -> Sequence[LeftoverProcess]:
        self._closed = True
        return ()


def _write_file(workspace: Path, path: str, content: str) -> ToolReply:
    target = Path(os.path.realpath(workspace / path))
    if not target.is_relative_to(os.path.realpath(workspace)):
        return ToolReply(f"{path} leads out of the workspace", is_error=True)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    except OSError as error:
        return ToolReply(f"{path}: {error.strerror}", is_error=True)
    return ToolReply(f"wrote {path}")


def count_played(home: Path) -> int:
    """None before the first session has ended."""
    with suppress(OSError, ValueError):
        return max(0, int((home / PLAYED_FILE).read_text(encoding="ascii")))
    return 0


def add_played(home: Path) -> None:
    """One more session has ended."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Renamed over the old file: commands of the project may have put a link in its place.
    descriptor, name = mkstemp(dir=home, prefix=PLAYED_FILE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(str(count_played(home) + 1))
    os.replace(name, home / PLAYED_FILE)  # noqa: PTH105
