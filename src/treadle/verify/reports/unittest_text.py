"""Parses the output of `python3 -m unittest -v`; without -v it lists no passed test. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import CUT, MOST_CASES, MOST_MESSAGE, cut_name, refuse
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import find_location

NAME = "the output of unittest"
RAN = re.compile(r"^Ran (\d{1,7}) tests? in [\d.]+s$", re.MULTILINE)
VERBOSE = re.compile(r"^[\w.]+ \([\w.<>]+\)(?:$|\n.*| \.\.\. )", re.MULTILINE)

_STARTED = re.compile(r"^( *)([\w.]+) \(([\w.<>]+)\)(.*)$")
_VERDICT = re.compile(r"(ok|FAIL|ERROR|expected failure|unexpected success)$")
# Up to a quote at the end of the line.
_SKIPPED = re.compile(r"skipped (['\"])")
_SECTION = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS): ([\w.]+) \(([\w.<>]+)\)(.*)$")
# A test that is expected to fail shows nothing, so it does not count as one that passed.
_OUTCOMES: Mapping[str, CaseOutcome] = {
    "ok": "passed",
    "expected failure": "skipped",
    "FAIL": "failed",
    "ERROR": "failed",
    "unexpected success": "failed",
}
_WHY = {
    "expected failure": "it failed, and was expected to",
    "unexpected success": "it passed, and was expected to fail",
}
_RULE = "-" * 70
_DOUBLE_RULE = "=" * 70
# A failure of one of these means a class or module whose tests could not run.
_FIXTURES = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})


def parse(text: str) -> tuple[ReportedCase, ...] | MalformedReport:
    """Each test with its class; failing sub-tests count as their test."""
    run = _UnittestRun()
    for line in text.splitlines():
        run.add_line(line)
        if len(run.cases) > MOST_CASES:
            return tuple(run.cases.values())
    ran = sum(int(count) for count in RAN.findall(text))
    if run.counted < ran:
        return refuse(NAME, f"{run.counted} tests where it ran {ran}", remedy=CUT)
    return tuple(_with_message_end(case) for case in run.cases.values())


def _with_message_end(case: ReportedCase) -> ReportedCase:
    """Add the location, and keep the end of a long message: a traceback ends with the error."""
    end = case.message
    if len(end) > MOST_MESSAGE:
        end = f"…{end[-MOST_MESSAGE + 1 :]}"
    return replace(case, message=end, location=find_location(case.message))


class _UnittestRun:
    """Parser state; a test's verdict may follow several lines later."""

    def __init__(self) -> None:
        self.cases: dict[tuple[str, str], ReportedCase] = {}
        self._waiting: tuple[str, str] | None = None
        self._failing: tuple[str, str] | None = None
        # Counted as unittest does: a class imported by several modules runs in each of them.
        self.counted = 0

    def add_line(self, line: str) -> None:
        section = _SECTION.match(line)
        if section:
            self._failing = _key(section[2], section[3])
            self._set_outcome(self._failing, "failed", "")
        elif line in (_DOUBLE_RULE, _RULE) or RAN.match(line):
            self._failing = self._failing if line == _RULE else None
        elif self._failing:
            self._add_message(self._failing, line)
        else:
            self._progress(line)

    def _progress(self, line: str) -> None:
        started = _STARTED.match(line)
        if started and "." in started[3] and (" ... " in line or line.endswith(")")):
            self._waiting = _key(started[2], started[3])
            # Sub-tests are indented.
            self.counted += not started[1] and started[2] not in _FIXTURES
            rest = started[4]
        else:
            rest = line
        if self._waiting and (verdict := _verdict(rest[-2_000:])):
            self._set_outcome(self._waiting, *verdict)
            self._waiting = None

    def _set_outcome(self, key: tuple[str, str], outcome: CaseOutcome, why: str) -> None:
        known = self.cases.get(key)
        if known is None:
            self.cases[key] = ReportedCase(*key, outcome, message=why)
        elif outcome == "failed":
            self.cases[key] = replace(known, outcome=outcome)

    def _add_message(self, key: tuple[str, str], line: str) -> None:
        case = self.cases[key]
        if len(case.message) >= 8_000:
            return
        message = f"{case.message}\n{line}" if case.message else line
        self.cases[key] = replace(case, message=message)


def _verdict(text: str) -> tuple[CaseOutcome, str] | None:
    """The outcome at the end of a line, and why."""
    if found := _VERDICT.search(text):
        return _OUTCOMES[found[1]], _WHY.get(found[1], "")
    for skipped in _SKIPPED.finditer(text):
        if text.endswith(skipped[1]) and skipped.end() < len(text):
            return "skipped", text[skipped.end() : -1]
    return None


def _key(name: str, container: str) -> tuple[str, str]:
    """Container and name; since Python 3.11 the container ends with the name."""
    name, container = cut_name(name), cut_name(container.removesuffix(f".{name}"))
    if name in _FIXTURES:
        return container, LOAD_FAILURE
    if container.startswith("unittest.loader._FailedTest"):
        return name, LOAD_FAILURE
    return container, name
