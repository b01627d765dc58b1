"""The forms of a fact about a run: a label and a text, a command, a sentence. Types only."""

from dataclasses import dataclass
from typing import TypeAlias

from treadle.domain.suite_report import SuiteObjection
from treadle.views.style import Style


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a text; without a label it continues the fact above it."""

    label: str
    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class CommandFact:
    """A command to copy: a surface may break its line and must not cut it."""

    label: str
    command: str


@dataclass(frozen=True, slots=True)
class ReasonFact:
    """A sentence that continues the fact above it: a surface may break it and must not cut it."""

    text: str


@dataclass(frozen=True, slots=True)
class ObjectionFacts:
    """What the tests object to, below their verdict."""

    objections: tuple[SuiteObjection, ...]


RunFact: TypeAlias = Fact | CommandFact | ReasonFact | ObjectionFacts
