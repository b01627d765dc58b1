"""Parses the output of `python3 -m unittest -v`; without -v it lists no passed test. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import CUT, MOST_MESSAGE, refuse
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import find_location

NAME = "the output of unittest"
RAN = re.compile(r"^Ran (\d{1,7}) tests? in [\d.]+s$", re.MULTILINE)
VERBOSE = re.compile(r"^[\w.]+ \([\w.<>]+\)(?:$|\n.*| \.\.\. )", re.MULTILINE)

_STARTED = re.compile(r"^( *)([\w.]+) \(([\w.<>]*\.[\w.<>]*)\)(.*)$")
_VERDICT = re.compile(
    r"(ok|FAIL|ERROR|skipped (?:'.*'|\".*\")|expected failure|unexpected success)$"
)
_SECTION = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS): ([\w.]+) \(([\w.<>]+)\)(.*)$")
_OUTCOMES: Mapping[str, CaseOutcome] = {
    "ok": "passed",
    "expected failure": "passed",
    "FAIL": "failed",
    "ERROR": "failed",
    "unexpected success": "failed",
}
_WHY = {"unexpected success": "it passed, and was expected to fail"}
_RULE = "-" * 70
_DOUBLE_RULE = "=" * 70
# These stand for a class or module whose tests could not run.
_FIXTURES = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})


def parse(text: str) -> tuple[ReportedCase, ...] | MalformedReport:
    """Each test with its class; sub-tests that fail are part of their test."""
    run = _UnittestRun()
    for line in text.splitlines():
        run.add_line(line)
    ran = sum(int(count) for count in RAN.findall(text))
    if run.counted < ran:
        return refuse(NAME, f"{run.counted} tests where it ran {ran}", remedy=CUT)
    return tuple(_with_message_end(told) for told in run.cases.values())


def _with_message_end(told: ReportedCase) -> ReportedCase:
    """With its place; a call chain says at its end what went wrong."""
    end = told.message
    if len(end) > MOST_MESSAGE:
        end = f"…{end[-MOST_MESSAGE + 1 :]}"
    return replace(told, message=end, location=find_location(told.message))


class _UnittestRun:
    """The output so far; a test may wait for its verdict over several lines."""

    def __init__(self) -> None:
        self.cases: dict[tuple[str, str], ReportedCase] = {}
        self._waiting: tuple[str, str] | None = None
        self._failing: tuple[str, str] | None = None
        # As unittest itself counts: a class that several modules import is run by each of them.
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
        if started and (" ... " in line or line.endswith(")")):
            self._waiting = _key(started[2], started[3])
            # Parts of a test are indented.
            self.counted += not started[1] and started[2] not in _FIXTURES
            rest = started[4]
        else:
            rest = line
        verdict = _VERDICT.search(rest[-2_000:])
        if self._waiting and verdict:
            said = verdict[1]
            why = said[9:-1] if said.startswith("skipped ") else _WHY.get(said, "")
            self._set_outcome(self._waiting, _OUTCOMES.get(said, "skipped"), why)
            self._waiting = None

    def _set_outcome(self, key: tuple[str, str], outcome: CaseOutcome, why: str) -> None:
        known = self.cases.get(key)
        if known is None:
            self.cases[key] = ReportedCase(*key, outcome, message=why)
        elif outcome == "failed":
            self.cases[key] = replace(known, outcome=outcome)

    def _add_message(self, key: tuple[str, str], line: str) -> None:
        told = self.cases[key]
        if len(told.message) >= 8_000:
            return
        message = f"{told.message}\n{line}" if told.message else line
        self.cases[key] = replace(told, message=message)


def _key(name: str, place: str) -> tuple[str, str]:
    """Place and name; since Python 3.11 the place ends with the name."""
    if name in _FIXTURES:
        return place, LOAD_FAILURE
    if place.startswith("unittest.loader._FailedTest"):
        return name, LOAD_FAILURE
    return place.removesuffix(f".{name}"), name
