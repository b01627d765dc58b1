"""Files beside the clone that record what a round lost and what was withheld from import.

Repairing a clone removes the traces of the damage, and the process may be killed before it has
recorded the loss as an event.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from treadle.domain.events.work import WithheldPath
from treadle.workspace.disk import writing_to

EMPTIED = "the workspace was emptied"


def note_loss(clone: Path, reason: str) -> None:
    """Record a loss before the damage is repaired; the first reason is kept."""
    note = _loss_file(clone)
    if note.exists():
        return
    with writing_to(note):
        temporary = note.with_name(f"{note.name}.new")
        temporary.write_text(reason, encoding="utf-8")
        temporary.replace(note)


def note_if_gone(clone: Path) -> None:
    """Record the loss of a clone that is no longer a directory."""
    if not clone.is_dir():
        note_loss(clone, EMPTIED)


def read_loss(clone: Path) -> str:
    """Why part of the round's work is lost; empty if nothing is."""
    try:
        return _loss_file(clone).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def clear_loss(clone: Path) -> None:
    """Remove the record before the next round, after the loss was reported."""
    with writing_to(clone):
        _loss_file(clone).unlink(missing_ok=True)


def _loss_file(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.lost")


def note_withheld(clone: Path, withheld: Sequence[WithheldPath]) -> None:
    """Record the withheld paths; an empty list removes the record."""
    note = _withheld_file(clone)
    if not withheld:
        note.unlink(missing_ok=True)
        return
    with writing_to(note):
        temporary = note.with_name(f"{note.name}.new")
        temporary.write_text(
            json.dumps([[w.path, w.line, w.kind] for w in withheld]), encoding="utf-8"
        )
        temporary.replace(note)


def read_withheld(clone: Path) -> tuple[WithheldPath, ...]:
    try:
        return tuple(WithheldPath(*each) for each in json.loads(_withheld_file(clone).read_bytes()))
    except FileNotFoundError:
        return ()


def _withheld_file(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.withheld")
