"""The verdict of the tests with the keys that other loops use."""

from treadle.domain.check import Evidence
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.suite_report import CaseCounts, SuiteObjection
from treadle.views.suite_document import gate_document

EVIDENCE = Evidence("npm test", "after", "c" * 40, "t" * 40, 1, 2.0, "e1", "l1")


def test_the_tests_of_each_kind_are_counted_apart_and_failures_name_their_place() -> None:
    objection = SuiteObjection("new_failure", "test_add", "test_sum.py", 7, "3 is not 4")
    suite = SuiteFinished(
        EVIDENCE, (CaseCounts("unit", 4, 1, 2), CaseCounts("e2e", 3)), 81.5, (objection,)
    )

    assert gate_document(suite) == {
        "passed": False,
        "unitTests": {"total": 7, "passed": 4, "failed": 1, "skipped": 2},
        "integrationTests": None,
        "e2eTests": {"total": 3, "passed": 3, "failed": 0, "skipped": 0},
        "coverage": 81.5,
        "failureDetails": [
            {
                "test": "test_add",
                "finding": "new_failure",
                "file": "test_sum.py",
                "line": 7,
                "message": "3 is not 4",
            }
        ],
    }


def test_without_tests_there_is_no_verdict_and_without_objections_it_passes() -> None:
    silent = gate_document(SuiteFinished(EVIDENCE, (), None, ()))

    assert gate_document(None) is None
    assert silent is not None
    assert (silent["passed"], silent["unitTests"]["total"]) == (True, 0)
