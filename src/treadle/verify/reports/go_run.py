"""Collects the events of a run of Go's tests, from JSON or from text. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from treadle.domain.suite_report import CaseOutcome
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import NO_LOCATION, find_location

# A package and a test of it; the empty name stands for the package itself.
GoKey: TypeAlias = tuple[str, str]

_OUTCOMES: Mapping[str, CaseOutcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_MOST_WORDS = 8_000


@dataclass(slots=True)
class GoRun:
    """Takes in one thing after the other, in the words of `go test -json`."""

    # A test ended that never began: the beginning is lost.
    is_cut: bool = False
    _words: dict[GoKey, str] = field(default_factory=dict)
    _outcomes: dict[GoKey, CaseOutcome] = field(default_factory=dict)
    _started: dict[GoKey, None] = field(default_factory=dict)

    def add_event(self, action: str, key: GoKey, output: str = "") -> None:
        if action in ("output", "build-output"):
            said = self._words.get(key, "")
            if len(said) < _MOST_WORDS:
                self._words[key] = said + output[:_MOST_WORDS]
        elif action == "run":
            self._started[key] = None
        elif outcome := _OUTCOMES.get(action):
            self.is_cut = self.is_cut or (key[1] != "" and key not in self._started)
            self._outcomes[key] = outcome

    def cases(self) -> Iterator[ReportedCase]:
        """Every test and subtest; a package that failed without one, as when it does not build."""
        # A test that began and did not end took its package down, by a panic or os.Exit.
        unended: dict[GoKey, CaseOutcome] = {
            key: "failed" for key in self._started if key not in self._outcomes
        }
        ended = {**self._outcomes, **unended}
        red = {package for (package, test), how in ended.items() if test and how == "failed"}
        for (package, test), outcome in ended.items():
            if not test and (outcome != "failed" or package in red):
                continue
            words = self._words.get((package, test), "")
            yield ReportedCase(
                package,
                test or LOAD_FAILURE,
                outcome,
                location=find_location(words) if outcome == "failed" else NO_LOCATION,
                message=_message(words),
            )


def _message(words: str) -> str:
    lines = words.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("=== ", "--- ")))
