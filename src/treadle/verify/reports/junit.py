"""Parses JUnit XML (pytest, jest-junit, vitest, gotestsum, PHPUnit, RSpec). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import MOST_CASES, cut_name, whole_number
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import NO_LOCATION, SourceLocation, find_location
from treadle.verify.reports.xml_parser import visit_elements

_RED = ("failure", "error")
_VERDICTS = frozenset({*_RED, "skipped"})
# Node's class name for every test.
_NODE = "test"
# pytest's message for a file that does not load.
_NOT_LOADED = "collection failure"
# gotestsum's test name for a package that does not build.
_GO_MAIN = "TestMain"
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "suppressed", "pending", "todo"})
# Node's type of a skip for a test that may fail.
_TODO = "todo"


def parse(name: str, content: bytes) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of a JUnit file."""
    collector = _CaseCollector()
    malformed = visit_elements(name, content, collector, texts=_VERDICTS)
    return malformed or tuple(collector.cases)


@dataclass(slots=True)
class _Suite:
    """A testsuite that is being read."""

    name: str
    file: str
    # The number of failures that it declares, and the failures read before it.
    declared: int
    red_before: int
    # The number of tests that it declares; None if it does not.
    tests: int | None = None
    # Positions of its own cases, and of those among them that took no time.
    cases: list[int] = field(default_factory=list)
    instant: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _OpenCase:
    """A testcase that is being read, and its verdicts with message and text."""

    attributes: Mapping[str, str]
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    message: str = ""
    is_todo: bool = False


class _CaseCollector:
    """Collects test cases from suites of any depth."""

    def __init__(self) -> None:
        self.cases: list[ReportedCase] = []
        self._suites: list[_Suite] = []
        self._case: _OpenCase | None = None
        self._red = 0
        # The verdict tags of the last case.
        self._tags: frozenset[str] = frozenset()

    def start_element(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "testsuite":
            declared = (whole_number(attributes.get(each, "")) for each in ("failures", "errors"))
            file = cut_name(attributes.get("file", "") or attributes.get("filepath", ""))
            name = cut_name(attributes.get("name", ""))
            count = sum(each or 0 for each in declared)
            tests = whole_number(attributes.get("tests", ""))
            self._suites.append(_Suite(name, file, count, self._red, tests))
        elif tag == "testcase":
            self._case = _OpenCase({key: cut_name(attributes[key]) for key in attributes})
        elif self._case and tag in _VERDICTS:
            self._case.message = attributes.get("message", "")
            is_todo = tag == "skipped" and attributes.get("type") == _TODO
            self._case.is_todo = self._case.is_todo or is_todo

    def end_element(self, tag: str, text: str) -> None:
        if tag == "testsuite":
            self._close_suite(self._suites.pop())
        elif self._case and tag in _VERDICTS:
            self._case.verdicts.append((tag, self._case.message, text))
        elif self._case and tag == "testcase":
            self._close_case(self._case)
            self._case = None

    def _close_case(self, case: _OpenCase) -> None:
        suite = self._suites[-1] if self._suites else _Suite("", "", 0, 0)
        reported = _make_case(case, suite)
        tags = frozenset(tag for tag, _, _ in case.verdicts)
        # One case more than the limit is enough to refuse the report.
        if not self._is_repeat(reported, tags) and len(self.cases) <= MOST_CASES:
            self._red += reported.outcome == "failed"
            suite.cases.append(len(self.cases))
            if case.attributes.get("time") == "0" and not tags:
                suite.instant.append(len(self.cases))
            self.cases.append(reported)
        self._tags = tags

    def _is_repeat(self, reported: ReportedCase, tags: frozenset[str]) -> bool:
        """Whether a tool lists the same failure twice.

        pytest lists a failed test again if its teardown fails too, and jest-junit lists a file
        that does not load twice.
        """
        last = self.cases[-1] if self.cases else None
        if last is None or (last.container, last.name) != (reported.container, reported.name):
            return False
        return reported.name == LOAD_FAILURE or (self._tags == {"failure"} and tags == {"error"})

    def _close_suite(self, suite: _Suite) -> None:
        """Count a suite that failed as a whole, such as a file that does not load, as a test.

        jest-junit lists tests that are yet to be written like those that passed, and does not
        count them.
        """
        if suite.tests is not None and len(suite.cases) - suite.tests == len(suite.instant):
            for position in suite.instant:
                self.cases[position] = replace(self.cases[position], outcome="skipped")
        if suite.declared and self._red == suite.red_before and len(self.cases) <= MOST_CASES:
            self._red += 1
            message = f"{suite.declared} failed, and the report does not name them"
            self.cases.append(
                ReportedCase(suite.name, LOAD_FAILURE, "failed", suite.file, message=message)
            )


def _make_case(case: _OpenCase, suite: _Suite) -> ReportedCase:
    container, name = _container_and_name(case.attributes, suite)
    outcome = _outcome(case)
    verdicts = sorted(case.verdicts, key=lambda each: each[0] not in _RED)
    _, message, text = verdicts[0] if verdicts else ("", "", "")
    if outcome == "failed" and _never_ran(case, suite):
        container, name = suite.name if name == _GO_MAIN else name, LOAD_FAILURE
    return ReportedCase(
        container,
        name,
        outcome,
        discriminator="\n".join((case.attributes.get("file", ""), suite.file, suite.name)),
        location=_find_location(case.attributes, message, text)
        if outcome == "failed"
        else NO_LOCATION,
        message=text if message in ("", _NOT_LOADED) else message,
    )


def _never_ran(case: _OpenCase, suite: _Suite) -> bool:
    """Whether this case means a file or package that did not load.

    The conditions are those of pytest, jest-junit, vitest and gotestsum, in this order.
    """
    name, class_name = (case.attributes.get(each, "") for each in ("name", "classname"))
    return (
        any((tag, message) == ("error", _NOT_LOADED) for tag, message, _ in case.verdicts)
        or class_name == "Test suite failed to run"
        or (name == suite.name and class_name in ("", name))
        or (name == _GO_MAIN and class_name == suite.name)
    )


def _container_and_name(attributes: Mapping[str, str], suite: _Suite) -> tuple[str, str]:
    name = attributes.get("name", "")
    container = attributes.get("classname", "") or attributes.get("class", "")
    if container not in ("", name, _NODE):
        return container, name
    file = _short(attributes.get("file", "") or suite.file) or suite.name
    return "" if file == name else file, name


def _short(file: str) -> str:
    """The file name of an absolute path, which contains the path of the checkout."""
    return file.rpartition("/")[2] if file.startswith("/") else file


def _outcome(case: _OpenCase) -> CaseOutcome:
    tags = {tag for tag, _, _ in case.verdicts}
    if case.is_todo:
        return "skipped"
    if tags.intersection(_RED):
        return "failed"
    states = {case.attributes.get(each, "").lower() for each in ("status", "result")}
    return "skipped" if tags or states & _NOT_RUN else "passed"


def _find_location(attributes: Mapping[str, str], message: str, text: str) -> SourceLocation:
    location = find_location(text)
    location = location if location.file else find_location(message)
    if location.file:
        return location
    return SourceLocation(attributes.get("file", ""), whole_number(attributes.get("line", "")))
