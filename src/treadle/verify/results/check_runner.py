"""Port for running checks and tests on a committed tree, and the result types. Types only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.pin_plan import PinPlan


@dataclass(frozen=True, slots=True)
class CheckCommand:
    """A command to be run on the tree of a commit."""

    command: str
    commit: str
    when: CheckTiming
    seconds: float
    # Glob patterns of output files to return.
    collect: tuple[str, ...] = ()
    # Added to the usual environment.
    variables: Mapping[str, str] = field(default_factory=dict)
    # The files that differ from the commit; None: the tree of the commit.
    pins: PinPlan | None = None
    # Files of the project; the result says which of them the command has read.
    watched: tuple[str, ...] = ()
    # A program; the result says whether the project has it, after the setup.
    find_program: str = ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command. `output` is the end of its log, without secrets."""

    evidence: Evidence
    output: str
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    # The whole stored log, for parsers that read test results from it.
    log: str = field(default="", repr=False, compare=False)
    # How the setup before it failed; empty if it did not.
    setup_failure: str = ""
    # The watched files that the command has read; None if the file system does not tell.
    read_files: tuple[str, ...] | None = ()
    # Whether the program that was asked for is a file of the project.
    program_present: bool = False


@dataclass(frozen=True, slots=True)
class CommandStopped:
    """The run was asked to stop before the command finished, so there is no result."""


class CheckRunner(Protocol):
    """Runs commands in a sandbox, on clean checkouts after the project's setup command.

    It never runs them in a directory that an agent can write to.
    """

    async def run(self, check: CheckCommand) -> CommandResult | CommandStopped:
        """Run a command and store its log before returning; a failing sandbox raises."""
        ...
