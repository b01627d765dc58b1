"""Parses the JSON test reports of Jest, Vitest, RSpec and Playwright. Pure."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import MOST_DEPTH, refuse, whole_number
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import SourceLocation, find_location
from treadle.verify.reports.untrusted_json import as_list, as_object, as_text

_JEST_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    **dict.fromkeys(("pending", "skipped", "todo", "disabled"), "skipped"),
}


def parse_jest(name: str, found: Mapping[str, Any]) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each file, and a failure for a file that does not load."""
    told = []
    for suite in map(as_object, as_list(found.get("testResults"))):
        # Jest tells files by whole paths, which differ from checkout to checkout.
        path = as_text(suite.get("name"))
        place = path.rpartition("/")[2]
        tests = [as_object(each) for each in as_list(suite.get("assertionResults"))]
        for test in tests:
            outcome = _JEST_OUTCOMES.get(as_text(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status in {place[:200]}")
            told.append(_jest_case(test, outcome, place, path))
        if as_text(suite.get("status")) == "failed" and not any(
            each.get("status") == "failed" for each in tests
        ):
            words = as_text(suite.get("message"))
            told.append(
                ReportedCase(place, LOAD_FAILURE, "failed", path, find_location(words), words)
            )
    return tuple(told)


def _jest_case(
    test: Mapping[str, Any], outcome: CaseOutcome, place: str, path: str
) -> ReportedCase:
    titles = [*map(as_text, as_list(test.get("ancestorTitles"))), as_text(test.get("title"))]
    words = "\n".join(map(as_text, as_list(test.get("failureMessages"))))
    at = find_location(words)
    at = (
        at
        if at.file
        else SourceLocation(path, whole_number(as_object(test.get("location")).get("line")))
    )
    return ReportedCase(place, " › ".join(titles), outcome, path, at, words)


_RSPEC_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
}


def parse_rspec(name: str, found: Mapping[str, Any]) -> tuple[ReportedCase, ...] | MalformedReport:
    """The examples, and one failure for all errors that belong to none of them."""
    told = []
    for example in map(as_object, as_list(found.get("examples"))):
        file = as_text(example.get("file_path")).removeprefix("./")
        title = as_text(example.get("full_description"))
        outcome = _RSPEC_OUTCOMES.get(as_text(example.get("status")))
        if outcome is None:
            return refuse(name, f"an example without a known status: {title[:200]}")
        raised = as_object(example.get("exception"))
        at = find_location("\n".join(as_text(each) for each in as_list(raised.get("backtrace"))))
        at = at if at.file else SourceLocation(file, whole_number(example.get("line_number")))
        message = as_text(raised.get("message")) or as_text(example.get("pending_message"))
        told.append(ReportedCase(file, title, outcome, as_text(example.get("id")), at, message))
    outside = as_object(found.get("summary")).get("errors_outside_of_examples_count")
    if whole_number(outside):
        words = "\n".join(as_text(each) for each in as_list(found.get("messages")))
        told.append(ReportedCase("rspec", LOAD_FAILURE, "failed", "", find_location(words), words))
    return tuple(told)


# A flaky test failed and passed when it was tried again.
_PLAYWRIGHT_OUTCOMES: Mapping[str, CaseOutcome] = {
    "expected": "passed",
    "flaky": "passed",
    "unexpected": "failed",
    "skipped": "skipped",
}


def parse_playwright(
    name: str, found: Mapping[str, Any]
) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each project of a report, and errors that belong to none of them."""
    roots = _PlaywrightRoots(as_object(found.get("config")))
    told = []
    for titles, spec in _playwright_specs(found):
        for test in map(as_object, as_list(spec.get("tests"))):
            outcome = _PLAYWRIGHT_OUTCOMES.get(as_text(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status: {titles[-1][:200]}")
            told.append(_playwright_case(titles, spec, test, outcome, roots))
    for error in map(as_object, as_list(found.get("errors"))):
        at = roots.find_location(error)
        message = as_text(error.get("message"))
        told.append(
            ReportedCase(at.file or "playwright", LOAD_FAILURE, "failed", "", at, message, "e2e")
        )
    return tuple(told)


class _PlaywrightRoots:
    """Where paths of a report begin, so that they can be told from the project's top."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._tests = as_text(config.get("rootDir"))
        written = as_text(config.get("configFile"))
        self._top = str(PurePosixPath(written).parent) if written else self._tests

    def from_top(self, path: str) -> str:
        """A path that the report tells from the folder of tests."""
        return self.relative(f"{self._tests}/{path}" if not path.startswith("/") else path)

    def relative(self, path: str) -> str:
        return path.removeprefix(f"{self._top}/") if self._top else path.lstrip("/")

    def find_location(self, error: Mapping[str, Any]) -> SourceLocation:
        at = as_object(error.get("location"))
        file = self.relative(as_text(at.get("file")))
        if file:
            return SourceLocation(file, whole_number(at.get("line")))
        told = find_location(as_text(error.get("stack")) or as_text(error.get("message")))
        return SourceLocation(self.relative(told.file), told.line)


def _playwright_specs(
    found: Mapping[str, Any],
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every spec with the titles that lead to it, in the order written."""
    waiting = [((), as_object(suite)) for suite in reversed(as_list(found.get("suites")))]
    pending: list[tuple[tuple[str, ...], Mapping[str, Any]]] = list(waiting)
    while pending:
        titles, suite = pending.pop()
        inner = (*titles, as_text(suite.get("title")))
        for spec in map(as_object, as_list(suite.get("specs"))):
            yield (*inner, as_text(spec.get("title"))), spec
        if len(inner) < MOST_DEPTH:
            pending += [(inner, as_object(each)) for each in reversed(as_list(suite.get("suites")))]


def _playwright_case(
    titles: tuple[str, ...],
    spec: Mapping[str, Any],
    test: Mapping[str, Any],
    outcome: CaseOutcome,
    roots: _PlaywrightRoots,
) -> ReportedCase:
    file = roots.from_top(as_text(spec.get("file")) or titles[0])
    # The outermost suite is the file itself.
    name = " › ".join(title for title in titles[1:] if title)
    project = as_text(test.get("projectName"))
    errors = [
        as_object(e) for r in as_list(test.get("results")) for e in _playwright_errors(as_object(r))
    ]
    first = errors[0] if errors and outcome == "failed" else {}
    at = roots.find_location(first)
    at = at if at.file else SourceLocation(file, whole_number(spec.get("line")))
    named = f"{name} [{project}]" if project else name
    return ReportedCase(file, named, outcome, "", at, as_text(first.get("message")), "e2e")


def _playwright_errors(result: Mapping[str, Any]) -> list[Any]:
    return [*as_list(result.get("errors")), *([result["error"]] if "error" in result else [])]
