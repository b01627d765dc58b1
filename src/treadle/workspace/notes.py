"""The hand-over file between sessions, carried between the project and a run's clone."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.contents import NOTES, PRIVATE
from treadle.workspace.disk import writing_to
from treadle.workspace.skeleton import Clone

LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class NotesCarried:
    """The other side has the notes now; `changed` tells whether they were different."""

    changed: bool


@dataclass(frozen=True, slots=True)
class NotesRefused:
    """The file was left alone: why."""

    reason: str


def carry_notes_in(clone: Clone) -> NotesCarried | NotesRefused:
    """Give the notes of the last run to the agent."""
    return _carry(clone.project.root, clone.path, staging=clone.git_dir / "treadle-notes")


def carry_notes_out(
    clone: Clone, clean: Callable[[str], str] = lambda text: text
) -> NotesCarried | NotesRefused:
    """Give the agent's notes to the user; a link in place of the file is not followed."""
    root = clone.project.root
    return _carry(clone.path, root, staging=root / PRIVATE / "notes.partial", clean=clean)


def write_notes(root: Path, text: str) -> NotesCarried | NotesRefused:
    """Replace the user's notes by this text; whatever is in the place of a plain file stays."""
    there = _read(root / NOTES)
    if isinstance(there, NotesRefused):
        return there
    _put(os.fsencode(text), root / NOTES, staging=root / PRIVATE / "notes.partial")
    return NotesCarried(changed=True)


def _carry(
    source: Path,
    target: Path,
    *,
    staging: Path,
    clean: Callable[[str], str] = lambda text: text,
) -> NotesCarried | NotesRefused:
    taken = _read(source / NOTES)
    if taken is None or isinstance(taken, NotesRefused):
        return taken or NotesCarried(changed=False)
    taken = os.fsencode(clean(os.fsdecode(taken)))
    there = _read(target / NOTES)
    if isinstance(there, NotesRefused):
        return there
    if taken == there:
        return NotesCarried(changed=False)
    _put(taken, target / NOTES, staging=staging)
    return NotesCarried(changed=True)


def _put(text: bytes, place: Path, *, staging: Path) -> None:
    with writing_to(place):
        staging.parent.mkdir(exist_ok=True)
        staging.unlink(missing_ok=True)
        staging.write_bytes(text)
        staging.replace(place)


def _read(path: Path) -> bytes | NotesRefused | None:
    try:
        # Not blocking: the file could be a pipe that nobody writes to.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        return NotesRefused(f"{NOTES} cannot be read as a plain file: {error.strerror}")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return NotesRefused(f"{NOTES} is not a plain file")
    with os.fdopen(descriptor, "rb") as opened:
        text = opened.read(LARGEST + 1)
    if len(text) > LARGEST:
        return NotesRefused(f"{NOTES} is larger than 1 MiB")
    return text
