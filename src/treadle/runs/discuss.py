"""What a person has to settle in a project: findings of audits, and open spec issues."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treadle.adapters.stores.note_files import (
    DISCUSS,
    ISSUES,
    MEMORY,
    append_line,
    dismissed_line,
    note_files,
    read_note,
    title_of,
)
from treadle.domain.errors import ProjectError, UsageError

NoteKind = Literal["finding", "spec_issue"]
FOLDERS: dict[NoteKind, str] = {"spec_issue": ISSUES, "finding": DISCUSS}


@dataclass(frozen=True, slots=True)
class Note:
    """One file; its name is what a person refers to it by."""

    kind: NoteKind
    name: str
    title: str
    path: Path

    @property
    def text(self) -> str:
        return read_note(self.path)


def list_notes(project: Path) -> list[Note]:
    """Spec issues first, because runs wait for them."""
    notes = []
    for kind, folder in FOLDERS.items():
        files = note_files(project / ".treadle" / folder)
        notes += [Note(kind, file.stem, _title(kind, file), file) for file in files]
    return notes


def find_note(project: Path, reference: str) -> Note:
    """The note with this name, or with this unique part of a name."""
    notes = list_notes(project)
    name = Path(reference).name.removesuffix(".md")
    exact = [note for note in notes if note.name == name]
    found = exact or [note for note in notes if name and name in note.name]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(note.name for note in found[:5])
        raise UsageError(f"{reference!r} matches several: {names}", hint="give more of the name")
    raise UsageError(
        f"no finding or spec issue matches {reference!r}", hint="list them: treadle discuss"
    )


def dismiss(project: Path, note: Note, because: str) -> Path:
    """Remove the note. A finding is remembered, so that no audit hands it over again: returns the
    file that says so."""
    memory = project / ".treadle" / MEMORY
    try:
        if note.kind == "finding":
            # First: a finding that is remembered and still there is dismissed again.
            append_line(memory, f"- {dismissed_line(note.title, because)}")
        note.path.unlink(missing_ok=True)
    except OSError as error:
        raise ProjectError(
            f"cannot write {error.filename}: {error.strerror}", hint="make it writable"
        ) from error
    return memory


def _title(kind: NoteKind, file: Path) -> str:
    """The first words of the matter; a spec issue begins with who found it."""
    if kind == "finding":
        return title_of(file)
    lines = [line for line in read_note(file).splitlines() if line.strip()]
    own = [line for line in lines if not line.startswith(("# Spec issue", "Found by the "))]
    return own[-1] if own else file.stem
