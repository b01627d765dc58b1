"""The JSON report of Playwright. Every test in it is end to end. Pure."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from treadle.domain.testing import CaseOutcome, Malformed
from treadle.verify.reports.bounds import MOST_DEPTH, refuse, whole_number
from treadle.verify.reports.json_reading import listed, table, worded
from treadle.verify.reports.told import STAND_IN, Told
from treadle.verify.reports.wording import Spot, spot

# A flaky test failed and passed when it was tried again.
_OUTCOMES: Mapping[str, CaseOutcome] = {
    "expected": "passed",
    "flaky": "passed",
    "unexpected": "failed",
    "skipped": "skipped",
}


def parse(name: str, found: Mapping[str, Any]) -> tuple[Told, ...] | Malformed:
    """The tests of each project of a report, and errors that belong to none of them."""
    roots = _Roots(table(found.get("config")))
    told = []
    for titles, spec in _specs(found):
        for test in map(table, listed(spec.get("tests"))):
            outcome = _OUTCOMES.get(worded(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status: {titles[-1][:200]}")
            told.append(_told(titles, spec, test, outcome, roots))
    for error in map(table, listed(found.get("errors"))):
        at = roots.spot(error)
        message = worded(error.get("message"))
        told.append(Told(at.file or "playwright", STAND_IN, "failed", "", at, message, "e2e"))
    return tuple(told)


class _Roots:
    """Where paths of a report begin, so that they can be told from the project's top."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._tests = worded(config.get("rootDir"))
        written = worded(config.get("configFile"))
        self._top = str(PurePosixPath(written).parent) if written else self._tests

    def from_top(self, path: str) -> str:
        """A path that the report tells from the folder of tests."""
        return self.shortened(f"{self._tests}/{path}" if not path.startswith("/") else path)

    def shortened(self, path: str) -> str:
        return path.removeprefix(f"{self._top}/") if self._top else path.lstrip("/")

    def spot(self, error: Mapping[str, Any]) -> Spot:
        at = table(error.get("location"))
        file = self.shortened(worded(at.get("file")))
        if file:
            return Spot(file, whole_number(at.get("line")))
        told = spot(worded(error.get("stack")) or worded(error.get("message")))
        return Spot(self.shortened(told.file), told.line)


def _specs(found: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every spec with the titles that lead to it, in the order written."""
    waiting = [((), table(suite)) for suite in reversed(listed(found.get("suites")))]
    pending: list[tuple[tuple[str, ...], Mapping[str, Any]]] = list(waiting)
    while pending:
        titles, suite = pending.pop()
        inner = (*titles, worded(suite.get("title")))
        for spec in map(table, listed(suite.get("specs"))):
            yield (*inner, worded(spec.get("title"))), spec
        if len(inner) < MOST_DEPTH:
            pending += [(inner, table(each)) for each in reversed(listed(suite.get("suites")))]


def _told(
    titles: tuple[str, ...],
    spec: Mapping[str, Any],
    test: Mapping[str, Any],
    outcome: CaseOutcome,
    roots: _Roots,
) -> Told:
    file = roots.from_top(worded(spec.get("file")) or titles[0])
    # The outermost suite is the file itself.
    name = " › ".join(title for title in titles[1:] if title)
    project = worded(test.get("projectName"))
    errors = [table(e) for r in listed(test.get("results")) for e in _errors(table(r))]
    first = errors[0] if errors and outcome == "failed" else {}
    at = roots.spot(first)
    at = at if at.file else Spot(file, whole_number(spec.get("line")))
    named = f"{name} [{project}]" if project else name
    return Told(file, named, outcome, "", at, worded(first.get("message")), "e2e")


def _errors(result: Mapping[str, Any]) -> list[Any]:
    return [*listed(result.get("errors")), *([result["error"]] if "error" in result else [])]
