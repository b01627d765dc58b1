"""Files beside the clone that note what a round lost and what was withheld from import.

What mends a clone wipes out the traces of the damage, and whoever mends it may be killed before
anybody is told.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from treadle.domain.events.work import WithheldPath
from treadle.workspace.disk import writing_to

EMPTIED = "the workspace was emptied"


def note_loss(clone: Path, reason: str) -> None:
    """To be called before the damage is mended; the first reason stands."""
    note = _loss_file(clone)
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


def read_loss(clone: Path) -> str:
    """Why the round's work is not all there; empty if it is."""
    try:
        return _loss_file(clone).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def clear_loss(clone: Path) -> None:
    """The next round begins: what the last one lost is told."""
    with writing_to(clone):
        _loss_file(clone).unlink(missing_ok=True)


def _loss_file(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.lost")


def note_withheld(clone: Path, withheld: Sequence[WithheldPath]) -> None:
    """What is left out now; nothing removes the note."""
    note = _withheld_file(clone)
    if not withheld:
        note.unlink(missing_ok=True)
        return
    with writing_to(note):
        new = note.with_name(f"{note.name}.new")
        new.write_text(json.dumps([[w.path, w.line, w.kind] for w in withheld]), encoding="utf-8")
        new.replace(note)


def read_withheld(clone: Path) -> tuple[WithheldPath, ...]:
    try:
        return tuple(WithheldPath(*each) for each in json.loads(_withheld_file(clone).read_bytes()))
    except FileNotFoundError:
        return ()


def _withheld_file(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.withheld")
