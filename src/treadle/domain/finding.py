"""Findings of audits as files for a person: what is known of them. Types only."""

from dataclasses import dataclass
from typing import Literal

DropReason = Literal["exists", "dismissed"]


@dataclass(frozen=True, slots=True)
class ProjectNote:
    """One text in `.treadle`, as an agent is told of it."""

    kind: Literal["backlog item", "spec issue", "finding", "memory"]
    # The file's, without its ending.
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class KnownFindings:
    """Titles of the findings that are there, and the text that says what is dismissed."""

    titles: tuple[str, ...] = ()
    memory: str = ""
