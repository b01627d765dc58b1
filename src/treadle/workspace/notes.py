"""Copies the hand-over notes between the project and a run's clone."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk import writing_to
from treadle.workspace.disk_tree import NOTES_FILE, PRIVATE_FOLDER

LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class NotesCopied:
    """The target has the notes; `changed` says whether they differed."""

    changed: bool


@dataclass(frozen=True, slots=True)
class NotesRefused:
    """The file was not copied, and why."""

    reason: str


def copy_notes_in(clone: Clone) -> NotesCopied | NotesRefused:
    """Copy the notes of the last run into the clone."""
    return _copy_notes(clone.project.root, clone.path, staging=clone.git_dir / "treadle-notes")


def copy_notes_out(
    clone: Clone, clean: Callable[[str], str] = lambda text: text
) -> NotesCopied | NotesRefused:
    """Copy the agent's notes into the project; links are not followed."""
    root = clone.project.root
    return _copy_notes(
        clone.path, root, staging=root / PRIVATE_FOLDER / "notes.partial", clean=clean
    )


def write_notes(root: Path, text: str) -> NotesCopied | NotesRefused:
    """Replace the user's notes by this text, unless the path is not a plain file."""
    existing = _read_notes_file(root / NOTES_FILE)
    if isinstance(existing, NotesRefused):
        return existing
    _write_notes_file(
        os.fsencode(text), root / NOTES_FILE, staging=root / PRIVATE_FOLDER / "notes.partial"
    )
    return NotesCopied(changed=True)


def _copy_notes(
    source: Path,
    target: Path,
    *,
    staging: Path,
    clean: Callable[[str], str] = lambda text: text,
) -> NotesCopied | NotesRefused:
    content = _read_notes_file(source / NOTES_FILE)
    if content is None or isinstance(content, NotesRefused):
        return content or NotesCopied(changed=False)
    content = os.fsencode(clean(os.fsdecode(content)))
    existing = _read_notes_file(target / NOTES_FILE)
    if isinstance(existing, NotesRefused):
        return existing
    if content == existing:
        return NotesCopied(changed=False)
    _write_notes_file(content, target / NOTES_FILE, staging=staging)
    return NotesCopied(changed=True)


def _write_notes_file(text: bytes, target: Path, *, staging: Path) -> None:
    with writing_to(target):
        staging.parent.mkdir(exist_ok=True)
        staging.unlink(missing_ok=True)
        staging.write_bytes(text)
        staging.replace(target)


def _read_notes_file(path: Path) -> bytes | NotesRefused | None:
    try:
        # Non-blocking: the file could be a pipe without a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        return NotesRefused(f"{NOTES_FILE} cannot be read as a plain file: {error.strerror}")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return NotesRefused(f"{NOTES_FILE} is not a plain file")
    with os.fdopen(descriptor, "rb") as file:
        text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        return NotesRefused(f"{NOTES_FILE} is larger than 1 MiB")
    return text
