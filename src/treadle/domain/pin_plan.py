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


# tests: the work changed tests in it; runner: new code in it could make tests pass by itself;
# expectations: it names what its output is compared with; linters: it makes a tool ignore problems;
# unread: it is too large to be read, and could have any of these. Worst first.
MixedCause = Literal["tests", "runner", "expectations", "linters", "unread"]


@dataclass(frozen=True, slots=True)
class MixedFile:
    """A changed file that is the product and has a part in judging it."""

    path: str
    cause: MixedCause = "tests"
    # The new line in it, or the file that it names; empty if nothing alone shows the cause.
    text: str = ""


@dataclass(frozen=True, slots=True)
class PinPlan:
    """How the pinned tree for one command differs from the tree of the work."""

    # The commit whose judges count.
    base: str
    files: tuple[PinnedFile, ...] = ()
    # Nothing of these can be restored, so the command proves nothing.
    mixed: tuple[MixedFile, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the pinned tree is the tree of the work."""
        return not self.files
