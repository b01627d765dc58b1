"""That a round's work is not all there, kept beside the clone until the run has acted on it.

What mends a clone wipes out the traces of the damage, and whoever mends it may be killed before
anybody is told.
"""

from pathlib import Path

from treadle.workspace.disk import writing_to

EMPTIED = "the workspace was emptied"


def note_loss(clone: Path, reason: str) -> None:
    """To be called before the damage is mended; the first reason stands."""
    note = _note(clone)
    if note.exists():
        return
    with writing_to(note):
        new = note.with_name(f"{note.name}.new")
        new.write_text(reason, encoding="utf-8")
        new.replace(note)


def note_if_gone(clone: Path) -> None:
    """A clone that was there once and is not even a directory now."""
    if not clone.is_dir():
        note_loss(clone, EMPTIED)


def noted_loss(clone: Path) -> str:
    """Why the round's work is not all there; empty if it is."""
    try:
        return _note(clone).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def forget_loss(clone: Path) -> None:
    """The next round begins: what the last one lost is told."""
    with writing_to(clone):
        _note(clone).unlink(missing_ok=True)


def _note(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.lost")
