"""How a file differs between two commits. Types only."""

from dataclasses import dataclass
from typing import Literal

How = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One path of the project; a file that was moved is one removed and one added."""

    path: str
    how: How
