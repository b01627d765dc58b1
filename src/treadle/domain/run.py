"""A run: its workflow, why it ended and its result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.domain.deliverable import Tally
from treadle.domain.exit_reasons import DONE, ExitReason, exit_code
from treadle.domain.usage import Usage

# pull_request: the branch is pushed and proposed, and the checkout stays as it is.
LandingMode = Literal["auto", "ask", "never", "pull_request"]
# incremental: the commits of a session as it made them. single: one commit for each session.
CommitStrategy = Literal["incremental", "single"]


@dataclass(frozen=True, slots=True)
class DeletionLimits:
    """The deleted files, and the percent of files or lines, above which landing asks first."""

    files: int
    percent: int


@dataclass(frozen=True, slots=True)
class WeakeningLimits:
    """The lost tests, and the percent of lost assertions, above which landing asks first."""

    tests: int
    percent: int


@dataclass(frozen=True, slots=True)
class LandingChoice:
    """Whether finished work lands, and where the question is asked if there is one."""

    when: LandingMode = "auto"
    by_approval: bool = False
    # None for runs that began without them: deletions never ask.
    deletions: DeletionLimits | None = None
    # None for runs that began without them: weaker tests never ask.
    weakenings: WeakeningLimits | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    reason: ExitReason
    rounds: int
    tally: Tally
    cost_usd: float
    usage: Usage
    duration_s: float
    message: str = ""
    # False if part of the cost was estimated with the highest known price.
    priced: bool = True
    # Another version of Treadle stored the steps of this leg; a new leg continues the run.
    outdated: bool = False
    # A new leg follows the pull request until then; None: nothing follows.
    follow_until: datetime | None = None

    @property
    def succeeded(self) -> bool:
        return exit_code(self.reason) == DONE
