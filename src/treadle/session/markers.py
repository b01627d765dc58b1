"""Finds markers: signals written as tags in an agent's text, while the text still arrives.

The rules are in docs/concepts/signals.md.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.domain.signal import SIGNAL_KINDS, Signal, SignalKind

# The longest body of a signal, in characters; a longer one makes its tag plain text.
BODY_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text without its markers."""

    text: str


Piece: TypeAlias = PlainText | Signal


@dataclass(frozen=True, slots=True)
class _Tag:
    kind: SignalKind
    opening: str
    closing: str
    again: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _FoundSignal:
    signal: Signal
    begin: int
    end: int


def _tag(kind: SignalKind) -> _Tag:
    # Agents know the promise of completion by this tag from other loops.
    name = "auto-complete" if kind == "auto_complete" else kind.upper()
    opening = f"<{name}>"
    return _Tag(kind, opening, f"</{name}>", re.compile(rf"\n {{0,3}}{opening}"))


_TAGS = tuple(_tag(kind) for kind in SIGNAL_KINDS)
_TAG_OF = {tag.opening: tag for tag in _TAGS}
_LONGEST = max(len(tag.opening) for tag in _TAGS)
_OPENING = re.compile("|".join(tag.opening for tag in _TAGS))
_RUN_ENDS = {"`": re.compile("[^`]"), "~": re.compile("[^~]")}

# start: only blanks so far; run: in backticks or tildes that may open or close a fence;
# info: after them; plain: the rest of the line does not matter.
_LineState = Literal["start", "run", "info", "plain"]


class MarkerReader:
    """Reads one block of text at a time; `close` makes it ready for the next."""

    def __init__(self, *, body_limit: int = BODY_LIMIT) -> None:
        self._body_limit = body_limit
        self._reset()

    def _reset(self) -> None:
        self._held = ""
        self._line_state: _LineState = "start"
        self._fence: tuple[str, int] | None = None
        self._run = ("", 0)
        # No closing tag of a kind starts below this offset of the held text. Without it, each of
        # many unclosed tags would search the same text again.
        self._searched: dict[SignalKind, int] = {}

    def feed(self, chunk: str) -> list[Piece]:
        """The pieces that are certain; text that could still become a tag is held back."""
        return self._read(chunk, final=False)

    def close(self) -> list[Piece]:
        """The rest of the block; a tag that was never closed is text."""
        pieces = self._read("", final=True)
        self._reset()
        return pieces

    def _read(self, chunk: str, *, final: bool) -> list[Piece]:
        text = self._held + chunk
        pieces: list[Piece] = []
        done = at = 0
        while at < len(text):
            step = self._step(text, at, final=final)
            if step is None:
                break
            if isinstance(step, int):
                at = step
                continue
            if step.begin > done:
                pieces.append(PlainText(text[done : step.begin]))
            pieces.append(step.signal)
            done = at = step.end
        if at > done:
            pieces.append(PlainText(text[done:at]))
        self._held = text[at:]
        self._searched = {kind: max(0, n - at) for kind, n in self._searched.items()}
        return pieces

    def _step(self, text: str, at: int, *, final: bool) -> int | _FoundSignal | None:
        """The next offset, or a signal and its position, or None if more text is needed."""
        match self._line_state:
            case "start":
                return self._start(text, at, final=final)
            case "run":
                return self._in_run(text, at)
            case "info":
                return self._in_info(text, at)
            case "plain":
                return self._to_line_end(text, at)

    def _start(self, text: str, at: int, *, final: bool) -> int | _FoundSignal | None:
        margin = text[at : at + 3]
        begin = at + len(margin) - len(margin.lstrip(" "))
        if begin == len(text):
            return begin if final else None
        first = text[begin]
        if first in _RUN_ENDS:
            self._line_state, self._run = "run", (first, 0)
            return begin
        if first == "<" and self._fence is None:
            return self._tag_at(text, begin, final=final)
        self._line_state = "plain"
        return begin

    def _tag_at(self, text: str, begin: int, *, final: bool) -> int | _FoundSignal | None:
        match = _OPENING.match(text, begin)
        if match is None:
            start = text[begin : begin + _LONGEST]
            if not final and any(tag.opening.startswith(start) for tag in _TAGS):
                return None
            self._line_state = "plain"
            return begin
        tag, body = _TAG_OF[match.group()], match.end()
        closed = self._closing(tag, text, body)
        if closed is None and not final and len(text) < body + self._body_limit + len(tag.closing):
            return None
        if closed is None or tag.again.search(text, body, closed):
            self._line_state = "plain"
            return body
        signal = Signal(tag.kind, text[body:closed].strip())
        return _FoundSignal(signal, begin, closed + len(tag.closing))

    def _closing(self, tag: _Tag, text: str, body: int) -> int | None:
        end = min(len(text), body + self._body_limit + len(tag.closing))
        start = max(body, self._searched.get(tag.kind, 0))
        found = text.find(tag.closing, start, end)
        if found >= 0:
            self._searched[tag.kind] = found
            return found
        self._searched[tag.kind] = max(start, end - len(tag.closing) + 1)
        return None

    def _in_run(self, text: str, at: int) -> int:
        character, length = self._run
        run_end = _RUN_ENDS[character].search(text, at)
        end = run_end.start() if run_end else len(text)
        self._run = (character, length + end - at)
        if end < len(text):
            self._line_state = "info" if self._may_fence() else "plain"
        return end

    def _may_fence(self) -> bool:
        character, length = self._run
        if self._fence is None:
            return length >= 3
        return character == self._fence[0] and length >= self._fence[1]

    def _in_info(self, text: str, at: int) -> int:
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        part = text[at:end]
        is_no_fence = part.strip(" \t\r") if self._fence else self._run[0] == "`" and "`" in part
        if is_no_fence:
            self._line_state = "plain"
        elif newline >= 0:
            self._fence = None if self._fence else self._run
            self._line_state = "start"
            return end + 1
        return end

    def _to_line_end(self, text: str, at: int) -> int:
        newline = text.find("\n", at)
        if newline < 0:
            return len(text)
        self._line_state = "start"
        return newline + 1
