"""The JSON report of Jest (`--json --outputFile`), which Vitest writes as well. Pure."""

from collections.abc import Mapping
from typing import Any

from treadle.domain.testing import CaseOutcome, Malformed
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.json_reading import listed, table, worded
from treadle.verify.reports.told import STAND_IN, Told
from treadle.verify.reports.wording import Spot, spot

_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    **dict.fromkeys(("pending", "skipped", "todo", "disabled"), "skipped"),
}


def parse(name: str, found: Mapping[str, Any]) -> tuple[Told, ...] | Malformed:
    """The tests of each file, and a failure for a file that does not load."""
    told = []
    for suite in map(table, listed(found.get("testResults"))):
        # Jest tells files by whole paths, which differ from checkout to checkout.
        path = worded(suite.get("name"))
        place = path.rpartition("/")[2]
        tests = [table(each) for each in listed(suite.get("assertionResults"))]
        for test in tests:
            outcome = _OUTCOMES.get(worded(test.get("status")))
            if outcome is None:
                return refuse(name, f"a test without a known status in {place[:200]}")
            told.append(_told(test, outcome, place, path))
        if worded(suite.get("status")) == "failed" and not any(
            each.get("status") == "failed" for each in tests
        ):
            words = worded(suite.get("message"))
            told.append(Told(place, STAND_IN, "failed", path, spot(words), words))
    return tuple(told)


def _told(test: Mapping[str, Any], outcome: CaseOutcome, place: str, path: str) -> Told:
    titles = [*map(worded, listed(test.get("ancestorTitles"))), worded(test.get("title"))]
    words = "\n".join(map(worded, listed(test.get("failureMessages"))))
    at = spot(words)
    at = at if at.file else Spot(path, whole_number(table(test.get("location")).get("line")))
    return Told(place, " › ".join(titles), outcome, path, at, words)
