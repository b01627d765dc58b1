"""A project of a user and what an agent does in it to get a green that it has not earned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from treadle.domain.check import Grade
from treadle.domain.exit_reasons import ExitReason


@dataclass(frozen=True, slots=True)
class BaseProject:
    """What the user has before the run."""

    files: Mapping[str, str]
    # The check of the only criterion of SPEC.md; empty: it has none.
    check: str = ""
    # The test command; empty: the project has none.
    test: str = ""
    setup: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    # Programs of the system.
    needs: tuple[str, ...] = ()
    # Symbolic links, and where they lead.
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trick:
    """What an agent does, and what comes of it."""

    # A sentence about the agent, which is the name of the test.
    name: str
    base: BaseProject
    # The files that turn the judge green.
    files: Mapping[str, str] = field(default_factory=dict)
    # Shell lines after that.
    commands: tuple[str, ...] = ()
    # The work without the trick; the judge is red on it.
    product: Mapping[str, str] = field(default_factory=dict)
    # Whom it deceives outside of Treadle.
    deceives: Literal["the judge", "nobody"] = "the judge"
    # None: the claim is refused.
    grade: Grade | None = "self-tested"
    # The one line that a person reads about it; empty: its words are not settled.
    why: str = ""
    reason: ExitReason = "all_passed"
    # short: one of the few that every test run has.
    length: Literal["short", "long"] = "long"

    @property
    def judge(self) -> str:
        """The command that is deceived."""
        return self.base.test or self.base.check
