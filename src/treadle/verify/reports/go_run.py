"""Collects the events of a run of Go's tests, from JSON or from text. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from treadle.domain.suite_report import CaseOutcome
from treadle.verify.reports.bounds import MOST_CASES, cut_name
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import NO_LOCATION, find_location

# A package and one of its tests; an empty test name means the package itself.
GoKey: TypeAlias = tuple[str, str]

_OUTCOMES: Mapping[str, CaseOutcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_MOST_OUTPUT = 8_000


@dataclass(slots=True)
class GoRun:
    """Collects events, with the action names of `go test -json`."""

    # A test ended without having started: the beginning of the output is missing.
    is_cut: bool = False
    _outputs: dict[GoKey, str] = field(default_factory=dict)
    _outcomes: dict[GoKey, CaseOutcome] = field(default_factory=dict)
    _started: dict[GoKey, None] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether there are more tests than a report may have."""
        sizes = len(self._outputs), len(self._outcomes), len(self._started)
        return max(sizes) > 2 * MOST_CASES

    def add_event(self, action: str, key: GoKey, output: str = "") -> None:
        key = cut_name(key[0]), cut_name(key[1])
        if action in ("output", "build-output"):
            text = self._outputs.get(key, "")
            if len(text) < _MOST_OUTPUT:
                self._outputs[key] = text + output[:_MOST_OUTPUT]
        elif action == "run":
            self._started[key] = None
        elif outcome := _OUTCOMES.get(action):
            self.is_cut = self.is_cut or (key[1] != "" and key not in self._started)
            self._outcomes[key] = outcome

    def cases(self) -> Iterator[ReportedCase]:
        """All tests and subtests, and packages that failed without one, such as a broken build."""
        # A test that started and did not end stopped its package by a panic or os.Exit.
        unfinished: dict[GoKey, CaseOutcome] = {
            key: "failed" for key in self._started if key not in self._outcomes
        }
        outcomes = {**self._outcomes, **unfinished}
        failed_packages = {
            package for (package, test), outcome in outcomes.items() if test and outcome == "failed"
        }
        for (package, test), outcome in outcomes.items():
            if not test and (outcome != "failed" or package in failed_packages):
                continue
            text = self._outputs.get((package, test), "")
            yield ReportedCase(
                package,
                test or LOAD_FAILURE,
                outcome,
                location=find_location(text) if outcome == "failed" else NO_LOCATION,
                message=_message(text),
            )


def _message(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("=== ", "--- ")))
