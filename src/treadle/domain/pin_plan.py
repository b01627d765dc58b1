"""The plan of a pinned tree: the work of an agent with the judges of the base. Types only."""

from dataclasses import dataclass
from typing import Literal

# restored: as in the base; left_out: the agent added it; merged: judging parts of the base and
# other parts of the work, as in package.json.
PinAction = Literal["restored", "left_out", "merged"]


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file that the pinned tree does not take from the work."""

    path: str
    action: PinAction
    # What it is, for people: `tests`, `shadows unittest`, `a script that the check runs`.
    reason: str
    # Only for a merged file.
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class PinPlan:
    """How the pinned tree for one command differs from the tree of the work."""

    # The commit whose judges count.
    base: str
    files: tuple[PinnedFile, ...] = ()
    # Changed files that contain both product and tests, such as Rust sources: nothing can be
    # restored, so the command proves nothing.
    mixed: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the pinned tree is the tree of the work."""
        return not self.files
