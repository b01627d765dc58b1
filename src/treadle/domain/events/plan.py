"""Events of a planning session: what it hands over for the files in `.treadle`."""

from dataclasses import dataclass
from typing import Literal

NoteAction = Literal["add_item", "resolve_issue", "dismiss_finding", "remember"]


@dataclass(frozen=True, slots=True)
class NoteSubmitted:
    """Kept until the specifications are in the checkout; a later one with the same action and name
    replaces it, and an empty text takes it back."""

    action: NoteAction
    # The file that it is about, without its ending; of a line to remember, the line.
    name: str
    text: str
    type: Literal["note.submitted"] = "note.submitted"


@dataclass(frozen=True, slots=True)
class NoteApplied:
    """What was handed over is in the files of the project."""

    action: NoteAction
    name: str
    # The file that was written or removed; empty: it was gone already.
    path: str
    type: Literal["note.applied"] = "note.applied"
