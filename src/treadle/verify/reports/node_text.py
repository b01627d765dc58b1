"""Parses what `node --test` prints, as TAP or by its reporter `spec`. Pure."""

import re
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace

from treadle.domain.suite_report import CaseOutcome
from treadle.verify.reports.bounds import MOST_CASES, MOST_DEPTH, cut_name
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import SourceLocation, find_location

TAP = re.compile(r"^TAP version 1[34]$", re.MULTILINE)
TAP_END = re.compile(r"^# tests \d+$", re.MULTILINE)
SPEC_END = re.compile(r"^ℹ tests \d+$", re.MULTILINE)

_TAP_RESULT = re.compile(r"^( *)(not )?ok \d+ - (.*?)( # (?:SKIP|TODO)\b.*)?$")
_TAP_DETAIL = re.compile(r"^ *(error|location): '?(.*?)'?$")
_TAP_PLACE = re.compile(r"^(.*):(\d{1,7}):\d{1,7}$")
# A test or suite by the sign of its outcome. Behind the duration stands why it does not count.
_SPEC_RESULT = re.compile(r"^( *)([✔✖﹣]) (.*) \(\d+(?:\.\d+)?ms\)( # .*)?$")
_SPEC_SUITE = re.compile(r"^( *)▶ (.*)$")
_SPEC_FAILED = re.compile(r"^test at (.*):(\d{1,7}):\d{1,7}$")
_FILE = re.compile(r"\S+\.[cm]?[jt]sx?")
_MOST_MESSAGE_LINES = 50


@dataclass(slots=True)
class _Tree:
    """Tests by depth: the line of a suite or test that has others follows on theirs."""

    cases: list[ReportedCase] = field(default_factory=list)
    # Names of the open suites and tests, and how many cases there were before each of them.
    _names: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _last_depth: int = -1
    _last_failed: int = -1

    @property
    def is_full(self) -> bool:
        """Whether there are more cases than a report may have."""
        return len(self.cases) > MOST_CASES

    def open(self, depth: int, name: str) -> None:
        if depth < MOST_DEPTH:
            self._names[depth:] = [cut_name(name)]
            self._starts[depth:] = [len(self.cases)]

    def close(self, depth: int, name: str, outcome: CaseOutcome) -> bool:
        """Take a result, unless it sums up those below it; whether it was taken."""
        has_children = self._last_depth > depth
        self._last_depth = depth
        if has_children and not self._fails_alone(depth, outcome):
            return False
        if depth == 0 and _FILE.fullmatch(name):
            # The file itself, because it reported no test: nothing is known if it passes.
            if outcome == "failed":
                self._add(ReportedCase(cut_name(name), LOAD_FAILURE, outcome))
            return outcome == "failed"
        full = " > ".join((*self._names[:depth], cut_name(name)))
        self._add(ReportedCase("", cut_name(full), outcome))
        return True

    def _add(self, case: ReportedCase) -> None:
        if case.outcome == "failed":
            self._last_failed = len(self.cases)
        self.cases.append(case)

    def _fails_alone(self, depth: int, outcome: CaseOutcome) -> bool:
        """Whether a test fails and none below it does."""
        start = self._starts[depth] if depth < len(self._starts) else len(self.cases)
        return outcome == "failed" and self._last_failed < start


def parse_tap(text: str) -> tuple[ReportedCase, ...]:
    """The tests of a run that prints TAP, with suites as part of their names."""
    tree = _Tree()
    failed = -1
    for line in text.splitlines():
        if tree.is_full:
            break
        stripped = line.lstrip(" ")
        depth = (len(line) - len(stripped)) // 4
        if stripped.startswith("# Subtest: "):
            tree.open(depth, _unescape(stripped.removeprefix("# Subtest: ")))
        elif result := _TAP_RESULT.match(line):
            outcome = _outcome(is_exempt=result[4] is not None, is_red=result[2] is not None)
            is_taken = tree.close(depth, _unescape(result[3]), outcome)
            failed = len(tree.cases) - 1 if is_taken and outcome == "failed" else -1
        elif failed >= 0 and (detail := _TAP_DETAIL.match(line)):
            tree.cases[failed] = _with_detail(tree.cases[failed], detail[1], detail[2])
    return tuple(tree.cases)


def parse_spec(text: str) -> tuple[ReportedCase, ...]:
    """The tests of a run with the reporter `spec`, which is the default since Node 23."""
    run = _SpecRun()
    for line in text.splitlines():
        if run.tree.is_full:
            break
        run.add_line(line)
    return tuple(run.tree.cases)


class _SpecRun:
    """Parser state; failures stand again below the summary, with their places and messages."""

    def __init__(self) -> None:
        self.tree = _Tree()
        # Positions of failed tests by name, and the place of the failure that is read next.
        self._failed: dict[str, deque[int]] = defaultdict(deque)
        self._place: SourceLocation | None = None
        self._current: int | None = None
        self._lines = 0

    def add_line(self, line: str) -> None:
        if place := _SPEC_FAILED.match(line):
            self._place, self._current = SourceLocation(place[1], int(place[2])), None
        elif suite := _SPEC_SUITE.match(line):
            self._current = None
            self.tree.open(len(suite[1]) // 2, suite[2])
        elif result := _SPEC_RESULT.match(line):
            self._add_result(result)
        elif self._current is not None and self._lines < _MOST_MESSAGE_LINES:
            self._lines += 1
            case = self.tree.cases[self._current]
            message = f"{case.message}\n{line.strip()}".strip()
            self.tree.cases[self._current] = replace(case, message=message)

    def _add_result(self, result: re.Match[str]) -> None:
        name, place = result[3], self._place
        self._place = self._current = None
        if place is not None:
            self._lines = 0
            if known := self._failed.get(name):
                self._current = known.popleft()
                case = self.tree.cases[self._current]
                self.tree.cases[self._current] = replace(case, location=place)
            return
        is_exempt = result[4] is not None or result[2] == "﹣"
        outcome = _outcome(is_exempt=is_exempt, is_red=result[2] == "✖")
        if self.tree.close(len(result[1]) // 2, name, outcome) and outcome == "failed":
            self._failed[name].append(len(self.tree.cases) - 1)


def _with_detail(case: ReportedCase, key: str, value: str) -> ReportedCase:
    if key == "error":
        return replace(case, message=case.message or value)
    place = _TAP_PLACE.match(value)
    location = SourceLocation(place[1], int(place[2])) if place else find_location(value)
    return replace(case, location=location)


def _outcome(*, is_exempt: bool, is_red: bool) -> CaseOutcome:
    """Skipped tests and those that are yet to be done do not count, whatever they show."""
    if is_exempt:
        return "skipped"
    return "failed" if is_red else "passed"


def _unescape(name: str) -> str:
    return name.replace("\\#", "#").replace("\\\\", "\\")
