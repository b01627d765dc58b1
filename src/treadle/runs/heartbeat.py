"""Marks when a run's process was last alive and what its session had taken, so that silent work
counts, too, and a wall clock that jumps does not."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from treadle.domain.ids import SessionId
from treadle.session.session_timer import SessionTime
from treadle.workflows.loop.run_history import RunHistory

BEAT = "alive"
_LONGEST = 200


def beat(directory: Path, time: SessionTime | None) -> None:
    """Mark that the run's process is alive now, and the time of its open session."""
    line = "-" if time is None else f"{time.session} {time.seconds:.3f}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(directory / BEAT, flags, 0o600)
    try:
        # One write of one length, over the line of before: a kill leaves one of the two.
        os.pwrite(descriptor, line.ljust(_LONGEST - 1).encode() + b"\n", 0)
    finally:
        os.close(descriptor)


def with_last_beat(history: RunHistory, directory: Path) -> RunHistory:
    """The history with the time that the last process has marked for a session that was cut off."""
    path = directory / BEAT
    try:
        line, marked_at = path.read_text(encoding="utf-8"), path.stat().st_mtime
    except (OSError, ValueError):
        return history
    if not line.strip():
        # Of an older version, which marked only that it was alive.
        return history.extended_to(datetime.fromtimestamp(marked_at, UTC))
    with suppress(ValueError):
        session, seconds = line.split()
        return history.with_session_time(SessionTime(SessionId(session), float(seconds)))
    return history
