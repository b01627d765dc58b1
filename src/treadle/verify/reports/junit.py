"""JUnit XML, as pytest, jest-junit, vitest, gotestsum, PHPUnit and RSpec write it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.testing import CaseOutcome, Malformed
from treadle.verify.reports.bounds import MOST_CASES, whole_number
from treadle.verify.reports.told import STAND_IN, Told
from treadle.verify.reports.wording import NOWHERE, Spot, spot
from treadle.verify.reports.xml_reading import visit

_RED = ("failure", "error")
_VERDICTS = frozenset({*_RED, "skipped"})
# What Node itself writes for the place of every test.
_NODE = "test"
# All that pytest says of a file that does not load, besides the text.
_NOT_LOADED = "collection failure"
# In the place of a package that does not build.
_GO_MAIN = "TestMain"
_NOT_RUN = frozenset({"notrun", "skipped", "disabled", "suppressed", "pending", "todo"})


def parse(name: str, content: bytes) -> tuple[Told, ...] | Malformed:
    """The tests of a JUnit file."""
    cases = _Cases()
    broken = visit(name, content, cases, texts=_VERDICTS)
    return broken or tuple(cases.told)


@dataclass(frozen=True, slots=True)
class _Suite:
    name: str
    file: str
    # How many failures it says to have, and how many were told before it began.
    declared: int
    red_before: int


@dataclass(slots=True)
class _Open:
    """A testcase that is being read, and each verdict on it with its words."""

    attributes: Mapping[str, str]
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)
    message: str = ""


class _Cases:
    """Gathers test cases, however deep their suites lie."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self._suites: list[_Suite] = []
        self._case: _Open | None = None
        self._red = 0
        # The verdicts on the last one.
        self._tags: frozenset[str] = frozenset()

    def started(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "testsuite":
            declared = (whole_number(attributes.get(each, "")) for each in ("failures", "errors"))
            file = attributes.get("file", "") or attributes.get("filepath", "")
            count = sum(each or 0 for each in declared)
            self._suites.append(_Suite(attributes.get("name", ""), file, count, self._red))
        elif tag == "testcase":
            self._case = _Open(attributes)
        elif self._case and tag in _VERDICTS:
            self._case.message = attributes.get("message", "")

    def ended(self, tag: str, text: str) -> None:
        if tag == "testsuite":
            self._close_suite(self._suites.pop())
        elif self._case and tag in _VERDICTS:
            self._case.verdicts.append((tag, self._case.message, text))
        elif self._case and tag == "testcase":
            self._close(self._case)
            self._case = None

    def _close(self, case: _Open) -> None:
        suite = self._suites[-1] if self._suites else _Suite("", "", 0, 0)
        told = _told(case, suite)
        tags = frozenset(tag for tag, _, _ in case.verdicts)
        # One more than are read is enough to show that there are too many.
        if not self._is_again(told, tags) and len(self.told) <= MOST_CASES:
            self._red += told.outcome == "failed"
            self.told.append(told)
        self._tags = tags

    def _is_again(self, told: Told, tags: frozenset[str]) -> bool:
        """pytest tells a test twice that failed and whose teardown did, too; jest-junit tells a
        file twice that does not load."""
        last = self.told[-1] if self.told else None
        if last is None or (last.place, last.name) != (told.place, told.name):
            return False
        return told.name == STAND_IN or (self._tags == {"failure"} and tags == {"error"})

    def _close_suite(self, suite: _Suite) -> None:
        """A suite that failed as a whole, as when its file does not load, counts like a test."""
        if suite.declared and self._red == suite.red_before:
            self._red += 1
            message = f"{suite.declared} failed, and the report does not name them"
            self.told.append(Told(suite.name, STAND_IN, "failed", suite.file, message=message))


def _told(case: _Open, suite: _Suite) -> Told:
    place, name = _named(case.attributes, suite)
    outcome = _outcome(case)
    verdicts = sorted(case.verdicts, key=lambda each: each[0] not in _RED)
    _, said, text = verdicts[0] if verdicts else ("", "", "")
    if outcome == "failed" and _never_ran(case, suite):
        place, name = suite.name if name == _GO_MAIN else name, STAND_IN
    return Told(
        place,
        name,
        outcome,
        apart="\n".join((case.attributes.get("file", ""), suite.file, suite.name)),
        spot=_spot(case.attributes, said, text) if outcome == "failed" else NOWHERE,
        message=text if said in ("", _NOT_LOADED) else said,
    )


def _never_ran(case: _Open, suite: _Suite) -> bool:
    """Whether this stands for a file or package that did not load: of pytest, jest-junit, vitest
    and gotestsum, in this order."""
    name, place = (case.attributes.get(each, "") for each in ("name", "classname"))
    return (
        any((tag, said) == ("error", _NOT_LOADED) for tag, said, _ in case.verdicts)
        or place == "Test suite failed to run"
        or (name == suite.name and place in ("", name))
        or (name == _GO_MAIN and place == suite.name)
    )


def _named(attributes: Mapping[str, str], suite: _Suite) -> tuple[str, str]:
    name = attributes.get("name", "")
    place = attributes.get("classname", "") or attributes.get("class", "")
    if place not in ("", name, _NODE):
        return place, name
    own = _short(attributes.get("file", "") or suite.file) or suite.name
    return "" if own == name else own, name


def _short(file: str) -> str:
    """A whole path begins with where the checkout happens to lie."""
    return file.rpartition("/")[2] if file.startswith("/") else file


def _outcome(case: _Open) -> CaseOutcome:
    tags = {tag for tag, _, _ in case.verdicts}
    if tags.intersection(_RED):
        return "failed"
    said = {case.attributes.get(each, "").lower() for each in ("status", "result")}
    return "skipped" if tags or said & _NOT_RUN else "passed"


def _spot(attributes: Mapping[str, str], said: str, text: str) -> Spot:
    found = spot(text)
    found = found if found.file else spot(said)
    if found.file:
        return found
    return Spot(attributes.get("file", ""), whole_number(attributes.get("line", "")))
