"""Reads a recording: a file of JSON lines, each a step of a session. Pure.

{"session": "plan"}
{"tool": "create_deliverable", "input": {"deliverables": [...]}}
{"write": "hello.txt", "content": "hello\\n"}
{"text": "Written down."}
{"end": "done"}
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from treadle.domain.errors import AgentUnavailable


@dataclass(frozen=True, slots=True)
class SessionText:
    """A text that the agent says."""

    text: str


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of one of Treadle's own tools, by its name without a prefix."""

    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A file that the agent writes, by its path in the workspace."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class RecordedEnd:
    """The session's last step, with the agent's last words."""

    text: str


RecordedStep: TypeAlias = SessionText | RecordedCall | FileWrite | RecordedEnd


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The title is for people; sessions are played in the order of the file."""

    title: str
    steps: tuple[RecordedStep, ...]


_STEPS = "session, text, tool with input, write with content, end"


@dataclass(frozen=True, slots=True)
class _SessionStart:
    title: str


class _InvalidStep(Exception):
    """Why a line is not a step."""


def parse_recording(text: str, name: str) -> tuple[RecordedSession, ...]:
    """The sessions of a file called `name`; the first line that is wrong raises."""
    sessions: list[RecordedSession] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                _add_step(sessions, _parse_step(line))
            if number == len(lines):
                _require_end(sessions)
        except _InvalidStep as error:
            raise AgentUnavailable(
                f"{name}:{number}: {error}", hint=f"each line is a JSON object: {_STEPS}"
            ) from None
    return tuple(sessions)


def _add_step(sessions: list[RecordedSession], step: RecordedStep | _SessionStart) -> None:
    if isinstance(step, _SessionStart):
        _require_end(sessions)
        sessions.append(RecordedSession(step.title, ()))
        return
    if not sessions:
        raise _InvalidStep("a step before the first session")
    last = sessions[-1]
    if last.steps and isinstance(last.steps[-1], RecordedEnd):
        raise _InvalidStep("a step after the end of its session")
    sessions[-1] = RecordedSession(last.title, (*last.steps, step))


def _require_end(sessions: list[RecordedSession]) -> None:
    if sessions and not isinstance([None, *sessions[-1].steps][-1], RecordedEnd):
        raise _InvalidStep(f"the session {sessions[-1].title!r} has no end")


def _parse_step(line: str) -> RecordedStep | _SessionStart:
    try:
        step = json.loads(line)
    except (ValueError, RecursionError):
        raise _InvalidStep("is not JSON") from None
    match step:
        case {"session": str(title), **rest} if not rest:
            return _SessionStart(title)
        case {"text": str(text), **rest} if not rest:
            return SessionText(text)
        case {"tool": str(tool), "input": dict(given), **rest} if not rest:
            return RecordedCall(tool, given)
        case {"write": str(path), "content": str(content), **rest} if not rest:
            return FileWrite(_checked_path(path), content)
        case {"end": str(text), **rest} if not rest:
            return RecordedEnd(text)
        case _:
            raise _InvalidStep("is not a step")


def _checked_path(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in text:
        raise _InvalidStep(f"{text!r} is not a path inside the workspace")
    return text
