"""Results of a project's tests, whatever ran them. Types only."""

import re
from dataclasses import dataclass
from typing import Literal

# Where reports go that we ask a test command for, from the top of the project. No part of the work.
REPORTS_FOLDER = ".treadle-reports"

_FIGURE = re.compile(r"\d+")

CaseKind = Literal["unit", "integration", "e2e"]
CaseOutcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test. Its id is the same from run to run, whatever line it stands on."""

    id: str
    kind: CaseKind
    outcome: CaseOutcome
    # Where it failed, if the report tells.
    file: str = ""
    line: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All tests of one run of the test command; coverage in percent, if a report tells."""

    cases: tuple[CaseResult, ...] = ()
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class MalformedReport:
    """Why a report cannot be read, with its file and line."""

    reason: str


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """How many tests of a kind there were, and how they ended."""

    kind: CaseKind
    passed: int = 0
    failed: int = 0
    skipped: int = 0


# new: failed, and did not before the work; removed: was there before, and is not any more; skipped:
# ran before, and does not any more.
ObjectionKind = Literal["new_failure", "removed", "newly_skipped", "coverage", "broken_run"]


@dataclass(frozen=True, slots=True)
class SuiteObjection:
    """One reason why the test gate stays shut."""

    finding: ObjectionKind
    test: str
    file: str = ""
    line: int | None = None
    message: str = ""

    @property
    def accepted_as(self) -> str:
        """What a person who accepts it has seen: this finding about this test. Where there is no
        test to name it is what the message says; who lets the command fail has not said that it
        may tell of no tests at all. Figures in that differ from run to run."""
        match self.finding:
            case "coverage":
                return f"{self.finding} {self.summary_line}"
            case "broken_run":
                return f"{self.finding} {_FIGURE.sub('', self.summary_line)}"
            case _:
                return f"{self.finding} {self.test}"

    @property
    def summary_line(self) -> str:
        """The one line of the message that says what is wrong; of Python's calls, what they came
        to."""
        first, *rest = self.message.strip().splitlines() or [""]
        if not first.startswith("Traceback (most recent call last)"):
            return first
        return next((line for line in rest if line.strip() and not line.startswith(" ")), first)
