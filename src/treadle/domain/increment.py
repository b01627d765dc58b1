"""Increments: pieces of work with dependencies, one folder each. Types only."""

from dataclasses import dataclass
from typing import Literal

# waiting: something that it depends on is not done. ready: it may start. broken: its files cannot
# be used, or it depends on itself. The other ones come from what Treadle did with it.
IncrementStatus = Literal["broken", "waiting", "ready", "working", "done", "failed", "skipped"]
# What to do about the others once an increment has failed.
FailurePolicy = Literal["stop", "skip_dependants", "ask"]


@dataclass(frozen=True, slots=True)
class Increment:
    """One increment as its folder says; names of dependencies are those of other folders."""

    name: str
    title: str
    depends_on: tuple[str, ...] = ()
    # Starts only while fewer increments than this are in work; None: the setting.
    wip: int | None = None
    has_plan: bool = False
    has_tasks: bool = False


@dataclass(frozen=True, slots=True)
class IncrementProblem:
    """Why a folder cannot be used, in one line."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class IncrementList:
    """What is in the folder of increments, by name."""

    increments: tuple[Increment, ...] = ()
    problems: tuple[IncrementProblem, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (
            *(each.name for each in self.increments),
            *(each.name for each in self.problems),
        )
