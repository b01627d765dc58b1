"""Counts the sessions of a recording that a run has played to their end, across its processes."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

FILE = "replay-played"


def count_played(home: Path) -> int:
    """None before the first session has ended."""
    with suppress(OSError, ValueError):
        return max(0, int((home / FILE).read_text(encoding="ascii")))
    return 0


def add_played(home: Path) -> None:
    """One more session has ended."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Renamed over the old file: commands of the project may have put a link in its place.
    descriptor, name = mkstemp(dir=home, prefix=FILE)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(str(count_played(home) + 1))
    os.replace(name, home / FILE)  # noqa: PTH105
