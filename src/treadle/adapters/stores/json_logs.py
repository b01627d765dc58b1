"""Writes events as JSON lines to log files that rotate, for log collectors, `jq` and `tail -F`.

The files are copies: what counts is the log in the database, and what it keeps out is not here.
"""

import fcntl
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from treadle.adapters.stores.session_logs import escape_unprintable
from treadle.domain.events.agent import ToolDecided
from treadle.domain.events.all_events import DISPLAY_ONLY, Event, RecordedEvent
from treadle.domain.events.run import RunEnded
from treadle.domain.exit_reasons import DONE, ERROR, exit_code
from treadle.domain.wire import encode

Level = Literal["info", "warning", "error"]

# The log of all runs of this installation, below its root; that of one run, in its directory.
ALL_RUNS_LOG = Path("logs") / "treadle.log"
RUN_LOG = "run.log"
# Bytes of an event in a line; the database has the rest.
MOST_OF_AN_EVENT = 16 * 1024
# Texts of an event that say what happened, the best first.
_MESSAGE_FIELDS = (
    *("message", "reason", "text", "question", "title", "description", "summary"),
    *("command", "path", "branch", "item", "service", "instruction", "role", "workflow", "name"),
)
_LONGEST_MESSAGE = 500
_LEVELS: Mapping[str, Level] = {
    "run.warned": "warning",
    "round.failed": "warning",
    "run.paused": "warning",
    "signal.refused": "warning",
    "promise.refused": "warning",
    "api.retried": "warning",
    "claim.refused": "warning",
    "regression.found": "warning",
    "work.withheld": "warning",
    "work.kept": "warning",
    "commit.failed": "warning",
    "item.kept": "warning",
    "item.skipped": "warning",
    "limit.neared": "warning",
    "breaker.opened": "warning",
    "bill.differed": "warning",
    "approval.asked": "warning",
    "approval.lapsed": "warning",
}


@dataclass(frozen=True, slots=True)
class RotatedFile:
    """A file that is renamed to `.1`, `.2`, … once it is full; the oldest is removed."""

    path: Path
    most_bytes: int = 10 * 1024 * 1024
    kept: int = 5

    def append(self, line: bytes) -> None:
        """Append the line whole, whoever else writes to the file; raises OSError."""
        with self._locked() as file:
            state = os.fstat(file)
            is_full = state.st_size > 0 and state.st_size + len(line) > self.most_bytes
            if is_full and stat.S_ISREG(state.st_mode):
                self._rotate()
                with self._locked() as new:
                    os.write(new, line)
            else:
                os.write(file, line)

    def _locked(self) -> "_Descriptor":
        """The file that has the name now, which is nobody else's while it is open."""
        while True:
            file = _Descriptor(self.path)
            fcntl.flock(file.number, fcntl.LOCK_EX)
            # Whoever had it before may have renamed it.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.number), self.path.stat()):
                    return file
            file.close()

    def _rotate(self) -> None:
        numbered = [self.path.with_name(f"{self.path.name}.{n}") for n in range(1, self.kept + 1)]
        for older, newer in zip(numbered[:0:-1], numbered[-2::-1], strict=True):
            with suppress(FileNotFoundError):
                newer.replace(older)
        self.path.replace(numbered[0])


class _Descriptor:
    """An open file; a pipe that nobody reads is an error, and never a wait."""

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        self.number = os.open(path, flags, 0o600)

    def __enter__(self) -> int:
        return self.number

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self.number)


@dataclass(frozen=True, slots=True)
class JsonLog:
    """A reader of the log of a run. It never raises: a full disk ends no run here."""

    file: RotatedFile

    def read_event(self, recorded: RecordedEvent) -> None:
        """Append the event, unless it is only there to be displayed."""
        if isinstance(recorded.event, DISPLAY_ONLY):
            return
        with suppress(OSError):
            self.file.append(line_of(recorded))


def line_of(recorded: RecordedEvent) -> bytes:
    """One line; `action` is the type of the event, which never changes its meaning."""
    event, body = recorded.event, encode(recorded.event)
    data: dict[str, Any] = orjson.loads(body)
    line = {
        "timestamp": recorded.at.isoformat(timespec="milliseconds"),
        "level": level_of(event),
        "component": event.type.partition(".")[0],
        "action": event.type,
        "message": message_of(data),
        "run": recorded.run,
        "seq": recorded.seq,
    }
    if len(body) <= MOST_OF_AN_EVENT:
        line["data"] = {name: value for name, value in data.items() if name != "type"}
    else:
        line["cut"] = True
    return escape_unprintable(orjson.dumps(line)) + b"\n"


def level_of(event: Event) -> Level:
    if isinstance(event, RunEnded):
        by_code: Mapping[int, Level] = {DONE: "info", ERROR: "error"}
        return by_code.get(exit_code(event.result.reason), "warning")
    if isinstance(event, ToolDecided):
        return "warning" if event.decision == "deny" else "info"
    return _LEVELS.get(event.type, "info")


def message_of(data: Mapping[str, Any]) -> str:
    """The type, and the text of the event that says most."""
    nested = (value for value in data.values() if isinstance(value, dict))
    for fields in (data, *nested):
        for name in _MESSAGE_FIELDS:
            if isinstance(text := fields.get(name), str) and text.strip():
                first = text.strip().splitlines()[0]
                return f"{data['type']}: {first[:_LONGEST_MESSAGE]}"
    return str(data["type"])
