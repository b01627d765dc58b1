"""Writes texts that a run leaves in the project: spec issues, a backlog, findings of audits."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Literal

from treadle.domain.errors import ProjectError
from treadle.domain.finding import KnownFindings, ProjectNote
from treadle.domain.ids import RunId, short_id

ISSUES = "spec-issues"
BACKLOG = "backlog"
DISCUSS = "discuss"
MEMORY = "memory.md"
NOTE_FOLDERS: dict[Literal["backlog item", "spec issue", "finding"], str] = {
    "backlog item": BACKLOG,
    "spec issue": ISSUES,
    "finding": DISCUSS,
}
# Of one file. Longer ones are read up to here.
LONGEST = 1 << 20
# Of one folder, in the order of names, and of all texts that are read at once.
MOST_FILES = 1_000
MOST_TEXT = 4 << 20
# What is looked through for a title.
MOST_TITLE = 1 << 14


class NoteFiles:
    """One markdown file per text. Existing files are never overwritten; saving the same text again
    returns the same file."""

    def __init__(self, root: Path, run: RunId) -> None:
        self._root = root
        self._run = run

    def save_issue(self, text: str, at: datetime) -> str:
        """Save the text; returns its path in the project."""
        return self._write_note(ISSUES, self._stem(at), text)

    def save_items(self, texts: tuple[str, ...], at: datetime) -> tuple[str, ...]:
        """Save the texts; returns their paths, which sort in this order."""
        stem = self._stem(at)
        return tuple(
            self._write_note(BACKLOG, f"{stem}-{number:02}", text)
            for number, text in enumerate(texts, start=1)
        )

    def save_finding(self, name: str, text: str) -> str:
        """Save the text in a file of this name; returns its path."""
        return self._write_note(DISCUSS, name, text)

    def save_item(self, name: str, text: str) -> str:
        """Save a backlog item in a file of this name; returns its path."""
        return self._write_note(BACKLOG, name, text)

    def remove_note(self, name: str) -> str:
        """Remove the spec issue or the finding; returns its path, empty if it is gone."""
        found = [(folder, self._find(folder, name)) for folder in (ISSUES, DISCUSS)]
        paths = [path for _, path in found if path is not None]
        for path in paths:
            with writing_notes(path.parent):
                path.unlink(missing_ok=True)
        return "" if not paths else str(paths[0].relative_to(self._root))

    def dismiss_finding(self, name: str, because: str) -> str:
        """Remove the finding, and remember that; returns its path, empty if it is gone."""
        path = self._find(DISCUSS, name)
        if path is not None:
            # First: a finding that is remembered and still there is dismissed again.
            self.remember(dismissed_line(title_of(path), because))
        return self.remove_note(name) if path is not None else ""

    def remember(self, line: str) -> str:
        """Add the line to the memory, unless it has it; returns its path."""
        folder = self._root / ".treadle"
        memory, line = folder / MEMORY, f"- {line}"
        if line not in read_note(memory).splitlines():
            with writing_notes(folder):
                folder.mkdir(exist_ok=True)
                append_line(memory, line)
        return str(memory.relative_to(self._root))

    def read_notes(self) -> tuple[ProjectNote, ...]:
        """All texts for people: the backlog, open spec issues, findings, the memory."""
        folder = self._root / ".treadle"
        notes: list[ProjectNote] = []
        left = MOST_TEXT
        for kind, name in NOTE_FOLDERS.items():
            for file in note_files(folder / name):
                text = read_note(file, min(LONGEST, max(0, left)))
                left -= len(text)
                notes.append(ProjectNote(kind, file.stem, text))
        memory = read_note(folder / MEMORY)
        return (*notes, *([ProjectNote("memory", "memory", memory)] if memory.strip() else []))

    def _find(self, folder: str, name: str) -> Path | None:
        files = note_files(self._root / ".treadle" / folder)
        return next((file for file in files if file.stem == name), None)

    def read_findings(self) -> KnownFindings:
        """What is there to discuss, and what a person has dismissed."""
        files = note_files(self._root / ".treadle" / DISCUSS)
        text = read_note(self._root / ".treadle" / MEMORY)
        return KnownFindings(tuple(title_of(file) for file in files), text)

    def _stem(self, at: datetime) -> str:
        return f"{at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}-{short_id(self._run)}"

    def _write_note(self, folder: str, stem: str, text: str) -> str:
        directory = self._root / ".treadle" / folder
        content = text.rstrip("\n").encode(errors="replace") + b"\n"
        if link := next(
            (each for each in (directory.parent, directory) if each.is_symlink()), None
        ):
            raise ProjectError(f"{link} is a link", hint="make it a folder of the project")
        with writing_notes(directory):
            directory.mkdir(parents=True, exist_ok=True)
            path = _write_to_free_name(directory, stem, content)
        return str(path.relative_to(self._root))


@contextmanager
def writing_notes(folder: Path) -> Iterator[None]:
    """Raises ProjectError for a folder that cannot be written."""
    try:
        yield
    except OSError as error:
        raise ProjectError(
            f"cannot write {folder}: {error.strerror}",
            hint="make it a directory you can write to, on a disk with free space",
        ) from error


class NoNotes:
    """Saves nothing."""

    def save_issue(self, text: str, at: datetime) -> str:
        return ""

    def save_items(self, texts: tuple[str, ...], at: datetime) -> tuple[str, ...]:
        return ()

    def save_finding(self, name: str, text: str) -> str:
        return ""

    def save_item(self, name: str, text: str) -> str:
        return ""

    def remove_note(self, name: str) -> str:
        return ""

    def dismiss_finding(self, name: str, because: str) -> str:
        return ""

    def remember(self, line: str) -> str:
        return ""

    def read_notes(self) -> tuple[ProjectNote, ...]:
        return ()

    def read_findings(self) -> KnownFindings:
        return KnownFindings()


def title_of(file: Path) -> str:
    """The first line of a text that is not empty, without its mark."""
    lines = read_note(file, MOST_TITLE).splitlines()
    return next((line.strip("# ").strip() for line in lines if line.strip("# ").strip()), file.stem)


def dismissed_line(title: str, because: str) -> str:
    """What the memory keeps of a finding that a person has dismissed."""
    reason = " ".join(because.split())
    return f"Dismissed: {title}" + (f" (because: {reason})" if reason else "")


def note_files(folder: Path) -> list[Path]:
    """The first texts of a folder, by name. None behind a link: what it leads to is nobody's
    note."""
    if folder.parent.is_symlink() or folder.is_symlink() or not folder.is_dir():
        return []
    texts = (file for file in sorted(folder.glob("*.md")) if read_start(file, 0) is not None)
    return list(islice(texts, MOST_FILES))


def read_note(file: Path, most: int = LONGEST) -> str:
    """The beginning of a text; empty for what is not a plain file."""
    return (read_start(file, most) or b"").decode(errors="replace")


def append_line(file: Path, line: str) -> None:
    """Add a line to a plain file, or make one; OSError for a link."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(file, flags, 0o666), "a", encoding="utf-8", errors="replace") as opened:
        opened.write(f"{line}\n")


def read_start(file: Path, most: int = LONGEST) -> bytes | None:
    """The first bytes; None for what is not a plain file: a link is not followed, and a pipe not
    waited for."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(file, flags)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read(most)


def _write_to_free_name(directory: Path, stem: str, content: bytes) -> Path:
    """Write to the first name that is free or already has this content."""
    number = 1
    while True:
        path = directory / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            with path.open("xb") as file:
                file.write(content)
        except FileExistsError:
            if read_start(path) == content:
                return path
            number += 1
        else:
            return path
