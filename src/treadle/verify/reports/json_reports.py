"""Parses the JSON test reports of Jest, Vitest, RSpec and Playwright. Pure."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from treadle.domain.suite_report import CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import MOST_DEPTH, cut_name, refuse, whole_number
from treadle.verify.reports.case_ids import LOAD_FAILURE, ReportedCase
from treadle.verify.reports.failure_text import SourceLocation, find_location
from treadle.verify.reports.untrusted_json import as_list, as_object, as_text

# As of Linux.
_LONGEST_PATH = 4_096
_JEST_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    **dict.fromkeys(("pending", "skipped", "todo", "disabled"), "skipped"),
}


def parse_jest(name: str, report: Mapping[str, Any]) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each file, and a failure for a file that does not load."""
    cases = []
    for suite in map(as_object, as_list(report.get("testResults"))):
        # Jest names files by absolute path, which differs between checkouts.
        path = cut_name(as_text(suite.get("name")))
        file_name = path.rpartition("/")[2]
        tests = [as_object(each) for each in as_list(suite.get("assertionResults"))]
        for test in tests:
            outcome = _JEST_OUTCOMES.get(as_text(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status in {file_name[:200]}")
            cases.append(_jest_case(test, outcome, file_name, path))
        if as_text(suite.get("status")) == "failed" and not any(
            each.get("status") == "failed" for each in tests
        ):
            message = as_text(suite.get("message"))
            cases.append(
                ReportedCase(
                    file_name, LOAD_FAILURE, "failed", path, find_location(message), message
                )
            )
    return tuple(cases)


def _jest_case(
    test: Mapping[str, Any], outcome: CaseOutcome, file_name: str, path: str
) -> ReportedCase:
    titles = [*map(as_text, as_list(test.get("ancestorTitles"))), as_text(test.get("title"))]
    message = "\n".join(map(as_text, as_list(test.get("failureMessages"))))
    location = find_location(message)
    location = (
        location
        if location.file
        else SourceLocation(path, whole_number(as_object(test.get("location")).get("line")))
    )
    return ReportedCase(file_name, " › ".join(titles), outcome, path, location, message)


_RSPEC_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
}


def parse_rspec(name: str, report: Mapping[str, Any]) -> tuple[ReportedCase, ...] | MalformedReport:
    """The examples, and one failure for all errors outside of them."""
    cases = []
    for example in map(as_object, as_list(report.get("examples"))):
        file = as_text(example.get("file_path")).removeprefix("./")
        title = as_text(example.get("full_description"))
        outcome = _RSPEC_OUTCOMES.get(as_text(example.get("status")))
        if outcome is None:
            return refuse(name, f"an example without a known status: {title[:200]}")
        exception = as_object(example.get("exception"))
        location = find_location(
            "\n".join(as_text(each) for each in as_list(exception.get("backtrace")))
        )
        location = (
            location
            if location.file
            else SourceLocation(file, whole_number(example.get("line_number")))
        )
        message = as_text(exception.get("message")) or as_text(example.get("pending_message"))
        cases.append(
            ReportedCase(file, title, outcome, as_text(example.get("id")), location, message)
        )
    outside_errors = as_object(report.get("summary")).get("errors_outside_of_examples_count")
    if whole_number(outside_errors):
        message = "\n".join(as_text(each) for each in as_list(report.get("messages")))
        cases.append(
            ReportedCase("rspec", LOAD_FAILURE, "failed", "", find_location(message), message)
        )
    return tuple(cases)


# A flaky test failed first and passed on a retry.
_PLAYWRIGHT_OUTCOMES: Mapping[str, CaseOutcome] = {
    "expected": "passed",
    "flaky": "passed",
    "unexpected": "failed",
    "skipped": "skipped",
}


def parse_playwright(
    name: str, report: Mapping[str, Any]
) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each project of a report, and the errors outside of tests."""
    roots = _PlaywrightRoots(as_object(report.get("config")))
    cases = []
    for titles, spec in _playwright_specs(report):
        for test in map(as_object, as_list(spec.get("tests"))):
            outcome = _PLAYWRIGHT_OUTCOMES.get(as_text(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status: {titles[-1][:200]}")
            cases.append(_playwright_case(titles, spec, test, outcome, roots))
    for error in map(as_object, as_list(report.get("errors"))):
        location = roots.find_location(error)
        message = as_text(error.get("message"))
        cases.append(
            ReportedCase(
                location.file or "playwright", LOAD_FAILURE, "failed", "", location, message, "e2e"
            )
        )
    return tuple(cases)


class _PlaywrightRoots:
    """The root directories of a report, to make its paths relative to the project's root."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._tests = as_text(config.get("rootDir"))[:_LONGEST_PATH]
        config_file = as_text(config.get("configFile"))[:_LONGEST_PATH]
        self._top = str(PurePosixPath(config_file).parent) if config_file else self._tests

    def from_top(self, path: str) -> str:
        """A path that is relative to the folder of tests in the report."""
        return self.relative(f"{self._tests}/{path}" if not path.startswith("/") else path)

    def relative(self, path: str) -> str:
        return path.removeprefix(f"{self._top}/") if self._top else path.lstrip("/")

    def find_location(self, error: Mapping[str, Any]) -> SourceLocation:
        location = as_object(error.get("location"))
        file = self.relative(as_text(location.get("file")))
        if file:
            return SourceLocation(file, whole_number(location.get("line")))
        found_location = find_location(as_text(error.get("stack")) or as_text(error.get("message")))
        return SourceLocation(self.relative(found_location.file), found_location.line)


def _playwright_specs(
    report: Mapping[str, Any],
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every spec with the titles above it, in document order."""
    top_suites = [((), as_object(suite)) for suite in reversed(as_list(report.get("suites")))]
    pending: list[tuple[tuple[str, ...], Mapping[str, Any]]] = list(top_suites)
    while pending:
        titles, suite = pending.pop()
        inner_titles = (*titles, cut_name(as_text(suite.get("title"))))
        for spec in map(as_object, as_list(suite.get("specs"))):
            yield (*inner_titles, as_text(spec.get("title"))), spec
        if len(inner_titles) < MOST_DEPTH:
            pending += [
                (inner_titles, as_object(each)) for each in reversed(as_list(suite.get("suites")))
            ]


def _playwright_case(
    titles: tuple[str, ...],
    spec: Mapping[str, Any],
    test: Mapping[str, Any],
    outcome: CaseOutcome,
    roots: _PlaywrightRoots,
) -> ReportedCase:
    file = roots.from_top(as_text(spec.get("file")) or titles[0])
    # The outermost suite is the file itself.
    name = cut_name(" › ".join(title for title in titles[1:] if title))
    project = as_text(test.get("projectName"))
    errors = [
        as_object(e) for r in as_list(test.get("results")) for e in _playwright_errors(as_object(r))
    ]
    first = errors[0] if errors and outcome == "failed" else {}
    location = roots.find_location(first)
    location = location if location.file else SourceLocation(file, whole_number(spec.get("line")))
    full_name = f"{name} [{project}]" if project else name
    return ReportedCase(
        file, full_name, outcome, "", location, as_text(first.get("message")), "e2e"
    )


def _playwright_errors(result: Mapping[str, Any]) -> list[Any]:
    return [*as_list(result.get("errors")), *([result["error"]] if "error" in result else [])]
