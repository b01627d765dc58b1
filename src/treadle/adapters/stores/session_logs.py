"""Writes the events of each session to a text file of its own, for `tail`, `grep` and editors.

The files are copies: what counts is the log in the database, and what it keeps out is not here.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.ids import RunId, SessionId
from treadle.domain.wire import encode

# The folder of these files in the directory of a run.
SESSION_LOGS = "sessions"
# Bytes of a line and of a file; the database has the rest.
MOST_OF_A_LINE = 8 * 1024
MOST_OF_A_FILE = 8 * 1024 * 1024


class SessionLogs:
    """A reader of the log of a run. It never raises: a full disk ends no session here."""

    def __init__(self, run_directory: Path) -> None:
        self._directory = run_directory / SESSION_LOGS
        self._file: BinaryIO | None = None
        self._left = 0

    def read_event(self, recorded: RecordedEvent) -> None:
        """Append the event to the file of the session that runs; one that goes on gets more."""
        event = recorded.event
        with suppress(OSError):
            if isinstance(event, SessionStarted):
                self.close()
                self._open(event.session)
            if self._file is not None:
                self._append(self._file, recorded)
        if isinstance(event, SessionEnded):
            self.close()

    def _open(self, session: SessionId) -> None:
        self._directory.mkdir(mode=0o700, exist_ok=True)
        path = session_log(self._directory.parent, session)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        # Without a buffer, so that nothing is missing after a kill.
        self._file = os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0)
        self._left = MOST_OF_A_FILE - path.stat().st_size

    def _append(self, file: BinaryIO, recorded: RecordedEvent) -> None:
        if self._left <= 0:
            return
        line = line_of(recorded)
        self._left -= len(line)
        if self._left <= 0:
            line = _end_line(recorded.run)
        file.write(line)

    def close(self) -> None:
        """Close the file of a session that was cut off; safe to call twice."""
        file, self._file = self._file, None
        with suppress(OSError):
            if file is not None:
                file.close()


def session_log(run_directory: Path, session: SessionId) -> Path:
    """The file of a session."""
    return run_directory / SESSION_LOGS / f"{Path(session).name}.log"


def line_of(recorded: RecordedEvent) -> bytes:
    """Time, number and type of an event, then the event as JSON, cut if it is long."""
    event = recorded.event
    body = encode(event)
    cut = body[:MOST_OF_A_LINE] + b"..." if len(body) > MOST_OF_A_LINE else body
    cut = escape_unprintable(cut)
    at = recorded.at.isoformat(timespec="milliseconds")
    return f"{at} {recorded.seq} {event.type} ".encode() + cut + b"\n"


def escape_unprintable(line: bytes) -> bytes:
    """JSON that means the same, with everything written as an escape that a terminal would obey or
    hide: JSON itself escapes the first controls only."""
    text = line.decode(errors="replace")
    return line if text.isprintable() else "".join(map(_escape, text)).encode()


def _escape(character: str) -> str:
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _end_line(run: RunId) -> bytes:
    return f"This file is full; all events: treadle logs {run} --json\n".encode()
