"""The verdict of the tests on the work as one JSON object, with the names of other loops. Pure."""

from typing import Any

from treadle.domain.events.verification import SuiteFinished
from treadle.domain.suite_report import CaseCounts, CaseKind


def gate_document(suite: SuiteFinished | None) -> dict[str, Any] | None:
    """`testGateResult` of `treadle show --json`; None if the tests have not run on the work."""
    if suite is None:
        return None
    return {
        # What a person accepted is no objection any more.
        "passed": not suite.objections,
        "unitTests": _suite_document(suite, "unit") or _totals(CaseCounts("unit")),
        "integrationTests": _suite_document(suite, "integration"),
        "e2eTests": _suite_document(suite, "e2e"),
        "coverage": suite.coverage,
        "failureDetails": [
            {
                "test": each.test,
                "finding": each.finding,
                "file": each.file,
                "line": each.line,
                "message": each.message,
            }
            for each in suite.objections
        ],
    }


def _suite_document(suite: SuiteFinished, kind: CaseKind) -> dict[str, Any] | None:
    return next((_totals(each) for each in suite.counts if each.kind == kind), None)


def _totals(counts: CaseCounts) -> dict[str, Any]:
    return {
        "total": counts.passed + counts.failed + counts.skipped,
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
    }
