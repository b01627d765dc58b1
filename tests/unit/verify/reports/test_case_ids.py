"""An id is the same from run to run, and no two tests of a report share one."""

from treadle.domain.suite_report import CaseResult
from treadle.verify.reports.case_ids import ReportedCase, assign_ids, is_load_failure


def ids(*told: ReportedCase) -> list[str]:
    return [case.id for case in assign_ids(told)]


def test_repeats_are_numbered_by_what_tells_them_apart() -> None:
    assert ids(
        ReportedCase("p", "t", "passed", "line 10"),
        ReportedCase("p", "t", "passed", "line 9"),
        ReportedCase("p", "t", "passed", "line 9"),
    ) == ["p::t (3)", "p::t", "p::t (2)"]


def test_a_number_is_never_given_that_a_test_bears_itself() -> None:
    assert ids(
        ReportedCase("", "t", "passed"),
        ReportedCase("", "t", "passed"),
        ReportedCase("", "t (2)", "passed"),
    ) == [
        "t",
        "t (3)",
        "t (2)",
    ]


def test_where_an_object_lies_in_memory_is_no_part_of_an_id() -> None:
    assert ids(ReportedCase("p", "t[<K object at 0x7fd1a2b3c4d5>]", "passed")) == [
        "p::t[<K object at 0x>]"
    ]


def test_long_names_are_cut_and_stay_different() -> None:
    [one, other] = ids(
        ReportedCase("p", "x" * 900 + "1", "passed"), ReportedCase("p", "x" * 900 + "2", "passed")
    )

    assert one != other
    assert len(one) < 520


def test_only_what_did_not_pass_says_why() -> None:
    assert assign_ids([ReportedCase("p", "t", "passed", message="noise")]) == (
        CaseResult("p::t", "unit", "passed"),
    )


def test_what_kept_tests_from_running_is_known_by_its_id() -> None:
    assert [
        is_load_failure(each)
        for each in ("a.py::(load)", "a.py::(load) (2)", "(load)", "a::load()")
    ] == [True, True, True, False]
