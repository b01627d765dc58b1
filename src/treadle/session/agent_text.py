"""Records the agent's text, and its signals given as markers or by tool."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SignalGiven, SignalRefused
from treadle.domain.signal import (
    ACCEPTED_SIGNALS,
    SIGNAL_KINDS,
    TERMINAL_SIGNALS,
    Role,
    Signal,
    SignalKind,
)
from treadle.session.markers import MarkerReader, Piece, PlainText

MAX_TEXT = 4000

RecordEvent = Callable[[Event], None]


class AgentText:
    """The text of one session. `ended_by` is the first terminal signal that its role may give."""

    def __init__(self, role: Role, record: RecordEvent) -> None:
        self._role = role
        self._record = record
        self._markers = MarkerReader()
        self._text: list[str] = []
        self.ended_by: Signal | None = None

    def stream(self, chunk: str) -> None:
        self._handle_pieces(self._markers.feed(chunk))

    def close_block(self) -> None:
        self._handle_pieces(self._markers.close())
        self._record_text()

    def _handle_pieces(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            match piece:
                case PlainText():
                    self._text.append(piece.text)
                case Signal():
                    self._record_text()
                    self.record_signal(piece, "marker")

    def _record_text(self) -> None:
        text = "".join(self._text).strip("\n")
        self._text = []
        if text.strip():
            self._record(AgentSpoke(text if len(text) <= MAX_TEXT else _shorten(text)))

    def record_signal(self, signal: Signal, via: Literal["marker", "tool"]) -> bool:
        """Record the signal; False when this role may not give it."""
        if signal.kind not in ACCEPTED_SIGNALS[self._role]:
            self._record(SignalRefused(signal.kind, self._role, via))
            return False
        self._record(SignalGiven(signal.kind, signal.text, via))
        if signal.kind in TERMINAL_SIGNALS and self.ended_by is None:
            self.ended_by = signal
        return True


def _shorten(text: str) -> str:
    """Cut between two words, because half a word could be half a secret."""
    start = text[: MAX_TEXT + 1]
    end = max(start.rfind(" "), start.rfind("\n"))
    if end < MAX_TEXT // 2:
        end = MAX_TEXT
    return f"{text[:end]}… ({len(text) - end} more)"


def signal_tools(agent_text: AgentText, role: Role) -> tuple[Tool, ...]:
    """The tool that gives the same signals as the markers; none for a role without signals."""
    return (_signal_tool(agent_text, role),) if ACCEPTED_SIGNALS[role] else ()


def _signal_tool(agent_text: AgentText, role: Role) -> Tool:
    kinds = [kind for kind in SIGNAL_KINDS if kind in ACCEPTED_SIGNALS[role]]

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        kind, text = arguments.get("kind"), arguments.get("text")
        if kind not in SIGNAL_KINDS:
            return ToolReply(f"Unknown signal {kind!r}. Known: {', '.join(kinds)}.", is_error=True)
        if not isinstance(text, str):
            return ToolReply("Pass `text`: what you want to say, in full.", is_error=True)
        if not agent_text.record_signal(Signal(cast("SignalKind", kind), text), "tool"):
            only = f"only: {', '.join(kinds)}."
            return ToolReply(
                f"In the role {role} you cannot give the signal {kind!r}, {only}", is_error=True
            )
        return ToolReply("Recorded.")

    return Tool(
        name="signal",
        description="Say something about the work that the people and programs behind it act on.",
        schema={
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": kinds},
                "text": {"type": "string", "description": "What you want to say, in full."},
            },
            "required": ["kind", "text"],
        },
        call=call,
    )
