"""Marks when a run's process was last alive, so that silent work counts, too."""

import os
from datetime import UTC, datetime
from pathlib import Path

BEAT = "alive"


def beat(directory: Path) -> None:
    """Mark that the run's process is alive now."""
    path = directory / BEAT
    try:
        os.utime(path)
    except FileNotFoundError:
        path.touch(mode=0o600)


def last_beat(directory: Path) -> datetime | None:
    """When the last process of the run was alive."""
    try:
        return datetime.fromtimestamp((directory / BEAT).stat().st_mtime, UTC)
    except OSError:
        return None
