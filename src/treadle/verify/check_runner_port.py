"""Port for running checks and tests on a committed tree, and the result types. Types only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from treadle.domain.check import CheckTiming, Evidence


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """A command to be run on the tree of a commit."""

    command: str
    commit: str
    when: CheckTiming
    seconds: float
    # Files that the command leaves and whoever asked wants to read, as glob patterns.
    collect: tuple[str, ...] = ()
    # Given to the command besides its usual environment.
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What came of a trial. `output` is the end of its log, without secrets."""

    evidence: Evidence
    output: str
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    # All of the log that was kept, for those who look for results in it.
    log: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CommandStopped:
    """The run was asked to stop first: nothing was found out."""


class CheckRunner(Protocol):
    """Runs commands confined, on clean checkouts of committed trees, set up as the project says;
    never in a directory that an agent can write."""

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        """Run it. The log is kept before this returns. A sandbox that fails raises."""
        ...
