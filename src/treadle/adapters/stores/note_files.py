"""Writes texts that a run leaves in the project: spec issues, and a backlog of findings."""

from datetime import UTC, datetime
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId, short_id

ISSUES = "spec-issues"
BACKLOG = "backlog"


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

    def _stem(self, at: datetime) -> str:
        return f"{at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}-{short_id(self._run)}"

    def _write_note(self, folder: str, stem: str, text: str) -> str:
        directory = self._root / ".treadle" / folder
        content = text.rstrip("\n").encode(errors="replace") + b"\n"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            path = _write_to_free_name(directory, stem, content)
        except OSError as error:
            raise ProjectError(
                f"cannot write {directory}: {error.strerror}",
                hint="make it a directory you can write to, on a disk with room left",
            ) from error
        return str(path.relative_to(self._root))


class NoNotes:
    """Saves nothing."""

    def save_issue(self, text: str, at: datetime) -> str:
        return ""

    def save_items(self, texts: tuple[str, ...], at: datetime) -> tuple[str, ...]:
        return ()


def _write_to_free_name(directory: Path, stem: str, content: bytes) -> Path:
    """Write to the first name that is free or already has this content."""
    number = 1
    while True:
        path = directory / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            with path.open("xb") as file:
                file.write(content)
        except FileExistsError:
            if path.is_file() and path.read_bytes() == content:
                return path
            number += 1
        else:
            return path
