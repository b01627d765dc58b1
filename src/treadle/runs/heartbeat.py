"""When a run's process was last alive: work that says nothing for an hour has taken that hour."""

import os
from datetime import UTC, datetime
from pathlib import Path

BEAT = "alive"


def beat(directory: Path) -> None:
    """The process that works on the run is alive now."""
    path = directory / BEAT
    try:
        os.utime(path)
    except FileNotFoundError:
        path.touch(mode=0o600)


def last_beat(directory: Path) -> datetime | None:
    """The last sign of life of whoever worked on the run before."""
    try:
        return datetime.fromtimestamp((directory / BEAT).stat().st_mtime, UTC)
    except OSError:
        return None
