"""Results of a project's tests, for any test runner. Types only."""

import re
from dataclasses import dataclass
from typing import Literal

# The directory for reports of the test command, in the project; not part of the work.
REPORTS_FOLDER = ".treadle-reports"

# The test id of an objection that no reported test explains.
TEST_COMMAND = "the test command"

_FIGURE = re.compile(r"\d+")

CaseKind = Literal["unit", "integration", "e2e"]
CaseOutcome = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test; its id does not change with its line."""

    id: str
    kind: CaseKind
    outcome: CaseOutcome
    # Where it failed, if the report says so.
    file: str = ""
    line: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All tests of one run of the test command; coverage in percent, if reported."""

    cases: tuple[CaseResult, ...] = ()
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class MalformedReport:
    """Why a report cannot be read, with its file and line."""

    reason: str


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """The number of tests of one kind by outcome."""

    kind: CaseKind
    passed: int = 0
    failed: int = 0
    skipped: int = 0


# new_failure: it did not fail before the work; removed: it existed before; newly_skipped: it ran
# before.
ObjectionKind = Literal["new_failure", "removed", "newly_skipped", "coverage", "broken_run"]


@dataclass(frozen=True, slots=True)
class SuiteObjection:
    """One reason why the tests do not pass."""

    finding: ObjectionKind
    test: str
    file: str = ""
    line: int | None = None
    message: str = ""

    @property
    def accepted_as(self) -> str:
        """The key under which a person accepts it: the finding and its test. Without a test it
        includes the message, so that accepting one failure of the command does not accept every
        other; numbers that change from run to run are left out."""
        match self.finding:
            case "coverage":
                return f"{self.finding} {self.summary_line}"
            case "broken_run":
                return f"{self.finding} {_FIGURE.sub('', self.summary_line)}"
            case _:
                return f"{self.finding} {self.test}"

    @property
    def summary_line(self) -> str:
        """The line of the message that says what is wrong; for a Python traceback, its error."""
        first, *rest = self.message.strip().splitlines() or [""]
        if not first.startswith("Traceback (most recent call last)"):
            return first
        return next((line for line in rest if line.strip() and not line.startswith(" ")), first)
