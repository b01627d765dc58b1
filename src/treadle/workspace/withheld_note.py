"""Which places kept files of the last round from coming home, kept beside the clone until the
agent has been told and none is left.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from treadle.domain.events.work import Withheld
from treadle.workspace.disk import writing_to


def note_withheld(clone: Path, withheld: Sequence[Withheld]) -> None:
    """What is left out now; nothing removes the note."""
    note = _note(clone)
    if not withheld:
        note.unlink(missing_ok=True)
        return
    with writing_to(note):
        new = note.with_name(f"{note.name}.new")
        new.write_text(json.dumps([[w.path, w.line, w.kind] for w in withheld]), encoding="utf-8")
        new.replace(note)


def noted_withheld(clone: Path) -> tuple[Withheld, ...]:
    try:
        return tuple(Withheld(*each) for each in json.loads(_note(clone).read_bytes()))
    except FileNotFoundError:
        return ()


def _note(clone: Path) -> Path:
    return clone.with_name(f"{clone.name}.withheld")
