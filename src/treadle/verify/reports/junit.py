"""Parses JUnit XML (pytest, jest-junit, vitest, gotestsum, PHPUnit, RSpec). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import MOST_CASES, whole_number
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import NO_LOCATION, SourceLocation, find_location
from treadle.verify.reports.xml_parser import visit_elements

_RED = ("failure", "error")
_VERDICTS = frozenset({*_RED, "skipped"})
# What Node itself writes for the place of every test.
_NODE = "test"
# All that pytest says of a file that does not load, besides the text.
_NOT_LOADED = "collection failure"
# In the place of a package that does not build.
_GO_MAIN = "TestMain"
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "suppressed", "pending", "todo"})


def parse(name: str, content: bytes) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of a JUnit file."""
    cases = _CaseCollector()
    broken = visit_elements(name, content, cases, texts=_VERDICTS)
    return broken or tuple(cases.cases)


@dataclass(frozen=True, slots=True)
class _Suite:
    name: str
    file: str
    # How many failures it says to have, and how many were told before it began.
    declared: int
    red_before: int


@dataclass(slots=True)
class _OpenCase:
    """A testcase that is being read, and each verdict on it with its words."""

    attributes: Mapping[str, str]
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    message: str = ""


class _CaseCollector:
    """Gathers test cases, however deep their suites lie."""

    def __init__(self) -> None:
        self.cases: list[ReportedCase] = []
        self._suites: list[_Suite] = []
        self._case: _OpenCase | None = None
        self._red = 0
        # The verdicts on the last one.
        self._tags: frozenset[str] = frozenset()

    def start_element(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "testsuite":
            declared = (whole_number(attributes.get(each, "")) for each in ("failures", "errors"))
            file = attributes.get("file", "") or attributes.get("filepath", "")
            count = sum(each or 0 for each in declared)
            self._suites.append(_Suite(attributes.get("name", ""), file, count, self._red))
        elif tag == "testcase":
            self._case = _OpenCase(attributes)
        elif self._case and tag in _VERDICTS:
            self._case.message = attributes.get("message", "")

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
        told = _make_case(case, suite)
        tags = frozenset(tag for tag, _, _ in case.verdicts)
        # One more than are read is enough to show that there are too many.
        if not self._is_repeat(told, tags) and len(self.cases) <= MOST_CASES:
            self._red += told.outcome == "failed"
            self.cases.append(told)
        self._tags = tags

    def _is_repeat(self, told: ReportedCase, tags: frozenset[str]) -> bool:
        """pytest tells a test twice that failed and whose teardown did, too; jest-junit tells a
        file twice that does not load."""
        last = self.cases[-1] if self.cases else None
        if last is None or (last.container, last.name) != (told.container, told.name):
            return False
        return told.name == LOAD_FAILURE or (self._tags == {"failure"} and tags == {"error"})

    def _close_suite(self, suite: _Suite) -> None:
        """A suite that failed as a whole, as when its file does not load, counts like a test."""
        if suite.declared and self._red == suite.red_before:
            self._red += 1
            message = f"{suite.declared} failed, and the report does not name them"
            self.cases.append(
                ReportedCase(suite.name, LOAD_FAILURE, "failed", suite.file, message=message)
            )


def _make_case(case: _OpenCase, suite: _Suite) -> ReportedCase:
    place, name = _container_and_name(case.attributes, suite)
    outcome = _outcome(case)
    verdicts = sorted(case.verdicts, key=lambda each: each[0] not in _RED)
    _, said, text = verdicts[0] if verdicts else ("", "", "")
    if outcome == "failed" and _never_ran(case, suite):
        place, name = suite.name if name == _GO_MAIN else name, LOAD_FAILURE
    return ReportedCase(
        place,
        name,
        outcome,
        discriminator="\n".join((case.attributes.get("file", ""), suite.file, suite.name)),
        location=_find_location(case.attributes, said, text)
        if outcome == "failed"
        else NO_LOCATION,
        message=text if said in ("", _NOT_LOADED) else said,
    )


def _never_ran(case: _OpenCase, suite: _Suite) -> bool:
    """Whether this stands for a file or package that did not load: of pytest, jest-junit, vitest
    and gotestsum, in this order."""
    name, place = (case.attributes.get(each, "") for each in ("name", "classname"))
    return (
        any((tag, said) == ("error", _NOT_LOADED) for tag, said, _ in case.verdicts)
        or place == "Test suite failed to run"
        or (name == suite.name and place in ("", name))
        or (name == _GO_MAIN and place == suite.name)
    )


def _container_and_name(attributes: Mapping[str, str], suite: _Suite) -> tuple[str, str]:
    name = attributes.get("name", "")
    place = attributes.get("classname", "") or attributes.get("class", "")
    if place not in ("", name, _NODE):
        return place, name
    own = _short(attributes.get("file", "") or suite.file) or suite.name
    return "" if own == name else own, name


def _short(file: str) -> str:
    """A whole path begins with where the checkout happens to lie."""
    return file.rpartition("/")[2] if file.startswith("/") else file


def _outcome(case: _OpenCase) -> CaseOutcome:
    tags = {tag for tag, _, _ in case.verdicts}
    if tags.intersection(_RED):
        return "failed"
    said = {case.attributes.get(each, "").lower() for each in ("status", "result")}
    return "skipped" if tags or said & _NOT_RUN else "passed"


def _find_location(attributes: Mapping[str, str], said: str, text: str) -> SourceLocation:
    found = find_location(text)
    found = found if found.file else find_location(said)
    if found.file:
        return found
    return SourceLocation(attributes.get("file", ""), whole_number(attributes.get("line", "")))
