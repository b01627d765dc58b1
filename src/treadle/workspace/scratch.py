"""Directories for a moment in the system's temporary place; what killed processes left is swept."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from treadle.workspace.held_folder import make_held, sweep_unheld

PREFIX = "treadle-index-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Held by a lock that dies with the process, so that others know what may be removed."""
    place = Path(tempfile.gettempdir())
    _sweep_once(place)
    path, lock = make_held(place, PREFIX)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def sweep(place: Path) -> None:
    """Remove the directories whose processes are gone."""
    sweep_unheld(place, PREFIX)


@cache
def _sweep_once(place: Path) -> None:
    sweep(place)
