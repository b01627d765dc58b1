"""Work passes if it leaves no test worse than before."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.verify.suite_runs import cut, illegible, suite
from treadle.domain.suite_report import TEST_COMMAND, CaseOutcome, SuiteObjection, SuiteReport
from treadle.verify.suites import suite_comparison
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
    describe_baseline,
)

RULES = RegressionRules(plan="", coverage=80)
ADDS, PAYS = "cart::test_adds", "cart::test_pays"


def new_failure(test: str) -> SuiteObjection:
    return SuiteObjection("new_failure", test, "tests/test_cart.py", 7, "assert 1 == 2")


def removed(test: str, how: str = "passed") -> SuiteObjection:
    message = f"it was {how} before the work, and is not there any more"
    return SuiteObjection("removed", test, message=message)


def newly_skipped(test: str) -> SuiteObjection:
    return SuiteObjection(
        "newly_skipped", test, message="it ran before the work, and is skipped now"
    )


def broken(message: str) -> SuiteObjection:
    return SuiteObjection("broken_run", TEST_COMMAND, message=message)


def coverage(message: str) -> SuiteObjection:
    return SuiteObjection("coverage", "", message=message)


GREEN = suite({ADDS: "passed", PAYS: "passed"})
ONE_RED = suite({ADDS: "passed", PAYS: "failed"})
NOTHING = suite()
UNEXPLAINED = "it ended with exit code 1, and no test explains why"


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (GREEN, GREEN, SuiteComparison()),
        (GREEN, ONE_RED, SuiteComparison((new_failure(PAYS),))),
        (ONE_RED, ONE_RED, SuiteComparison(known_red=(PAYS,))),
        (ONE_RED, GREEN, SuiteComparison()),
        # A test that is new is new red as well, and may be skipped.
        (suite({ADDS: "passed"}), ONE_RED, SuiteComparison((new_failure(PAYS),))),
        (
            suite({ADDS: "passed"}),
            suite({ADDS: "passed", PAYS: "skipped"}),
            SuiteComparison(),
        ),
        # The report counts, whatever the exit code says.
        (
            GREEN,
            suite({ADDS: "passed", PAYS: "failed"}, 0),
            SuiteComparison((new_failure(PAYS),)),
        ),
        (
            suite({PAYS: "skipped"}),
            suite({PAYS: "failed"}),
            SuiteComparison((new_failure(PAYS),)),
        ),
        (suite({PAYS: "skipped"}), suite({PAYS: "skipped"}), SuiteComparison()),
    ],
)
def test_there_is_no_new_red(before: SuiteRun, now: SuiteRun, judged: SuiteComparison) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (GREEN, suite({ADDS: "passed"}), SuiteComparison((removed(PAYS),))),
        (GREEN, suite({ADDS: "passed", PAYS: "skipped"}), SuiteComparison((newly_skipped(PAYS),))),
        # Being red before is no reason to be gone, or to be quiet.
        (ONE_RED, suite({ADDS: "passed"}), SuiteComparison((removed(PAYS, "red"),))),
        (ONE_RED, suite({ADDS: "passed", PAYS: "skipped"}),
         SuiteComparison((newly_skipped(PAYS),))),
        (suite({ADDS: "passed", PAYS: "skipped"}), suite({ADDS: "passed"}),
         SuiteComparison((removed(PAYS, "skipped"),))),
        # Moved: the same name passes elsewhere, and did not before.
        (GREEN, suite({ADDS: "passed", "shop::test_pays": "passed"}), SuiteComparison()),
        (ONE_RED, suite({ADDS: "passed", "shop::test_pays": "passed"}), SuiteComparison()),
        (GREEN, suite({ADDS: "passed", "shop::test_pays": "skipped"}),
         SuiteComparison((removed(PAYS),))),
        (GREEN, suite({ADDS: "passed", "shop::test_pays": "failed"}),
         SuiteComparison((new_failure("shop::test_pays"), removed(PAYS)))),
        (suite({PAYS: "passed", "shop::test_pays": "passed"}),
         suite({"shop::test_pays": "passed"}), SuiteComparison((removed(PAYS),))),
        # One new test stands for one old one.
        (suite({"a::test_x": "passed", "b::test_x": "passed"}), suite({"c::test_x": "passed"}),
         SuiteComparison((removed("b::test_x"),))),
        # Other arguments in a table of them, as many as before; not for one that was red.
        (suite({"a::test_x[1]": "passed", "a::test_x[2]": "skipped"}),
         suite({"a::test_x[one]": "passed", "a::test_x[two]": "passed"}), SuiteComparison()),
        (suite({"a::test_x[1]": "passed", "a::test_x[2]": "passed"}),
         suite({"a::test_x[1]": "passed"}), SuiteComparison((removed("a::test_x[2]"),))),
        (suite({"a::test_x[1]": "passed"}), suite({"b::test_x[one]": "passed"}),
         SuiteComparison((removed("a::test_x[1]"),))),
        (suite({"a::test_x[1]": "failed"}), suite({"a::test_x[one]": "passed"}),
         SuiteComparison((removed("a::test_x[1]", "red"),))),
        (suite({"a::test_x[1]": "passed", "b::test_x[2]": "passed"}),
         suite({"a::test_x[2]": "passed"}), SuiteComparison((removed("a::test_x[1]"),))),
    ],
)  # fmt: skip
def test_no_test_is_removed_or_skipped(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


@pytest.mark.parametrize("now", [suite({ADDS: "passed"}), suite({ADDS: "passed", PAYS: "skipped"})])
def test_unless_the_plan_names_it(now: SuiteRun) -> None:
    rules = RegressionRules(plan="Payments go. Remove test_pays with them.", coverage=80)

    assert compare_suite_runs(GREEN, now, rules) == SuiteComparison()


def test_not_more_tests_are_looked_for_in_the_plan_than_it_can_take() -> None:
    many: dict[str, CaseOutcome] = {
        f"cart::test_pays[{number}]": "passed"
        for number in range(suite_comparison.MOST_LOOKED_UP + 1)
    }
    rules = RegressionRules(plan="Remove test_pays.", coverage=80)

    judged = compare_suite_runs(suite({ADDS: "passed", **many}), suite({ADDS: "passed"}), rules)

    assert judged == SuiteComparison(
        (removed(f"cart::test_pays[{suite_comparison.MOST_LOOKED_UP}]"),)
    )


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (suite({"shop::(load)": "failed"}), suite({"shop::TestPays": "passed"}), SuiteComparison()),
        (suite({"shop::(load)": "failed"}), suite({"shop::TestPays": "failed"}),
         SuiteComparison((new_failure("shop::TestPays"),))),
        (GREEN, suite({ADDS: "passed", "cart::(load)": "failed"}),
         SuiteComparison((new_failure("cart::(load)"), removed(PAYS)))),
    ],
)  # fmt: skip
def test_a_file_that_did_not_load_before_is_not_missed(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


FLAKY = frozenset({PAYS})
SEEN = SuiteComparison(flaky=(PAYS,))


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (suite({PAYS: "failed"}, flaky=FLAKY), suite({PAYS: "failed"}),
         SuiteComparison(known_red=(PAYS,), flaky=(PAYS,))),
        (suite({PAYS: "passed"}, flaky=FLAKY), suite({PAYS: "failed"}), SEEN),
        (suite({PAYS: "passed"}), suite({PAYS: "failed"}, flaky=FLAKY),
         replace(SEEN, new_flaky=(PAYS,))),
        (suite({PAYS: "passed"}, flaky=FLAKY), suite({PAYS: "passed"}, flaky=FLAKY), SEEN),
        (suite({PAYS: "failed"}, flaky=FLAKY), suite({PAYS: "passed"}), SEEN),
        # What ends now so and now so can still be taken away, and that is seen.
        (suite({ADDS: "passed", PAYS: "failed"}, flaky=FLAKY), suite({ADDS: "passed"}),
         SuiteComparison((removed(PAYS, "red"),), flaky=(PAYS,))),
        (suite({PAYS: "failed"}, flaky=FLAKY), suite({PAYS: "skipped"}),
         SuiteComparison((newly_skipped(PAYS),), flaky=(PAYS,))),
    ],
)  # fmt: skip
def test_flaky_tests_are_listed_and_do_not_count(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


def covered(percent: float | None) -> SuiteRun:
    return suite({ADDS: "passed"}, coverage=percent)


@pytest.mark.parametrize(
    ("before", "now", "objections"),
    [
        (None, None, ()),
        (None, 80.0, ()),
        (None, 79.9, (coverage("79.9 % is below 80 %"),)),
        (60.0, 60.0, ()),
        (60.0, 59.95, ()),  # lines come and go with a clean-up
        (60.0, 59.0, (coverage("59.0 % is below 80 %, and was 60.0 % before the work"),)),
        (60.0, 70.0, ()),
        (95.0, 81.0, ()),
        (95.0, 79.0, (coverage("79.0 % is below 80 %, and was 95.0 % before the work"),)),
        (95.0, None, (coverage("95.0 % before the work, and no report of it now"),)),
        (12.0, None, (coverage("12.0 % before the work, and no report of it now"),)),
    ],
)
def test_coverage_counts_where_it_is_reported_and_need_not_exceed_the_baseline(
    before: float | None, now: float | None, objections: tuple[SuiteObjection, ...]
) -> None:
    assert compare_suite_runs(covered(before), covered(now), RULES) == SuiteComparison(objections)


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (suite(exit_code=0), suite(exit_code=0), SuiteComparison()),
        (suite(exit_code=1), suite(exit_code=0), SuiteComparison()),
        (suite(exit_code=1), suite(exit_code=1), SuiteComparison(known_red=(TEST_COMMAND,))),
        (suite(exit_code=0), suite(exit_code=1, output="boom\n"),
         SuiteComparison((broken(f"{UNEXPLAINED}\nboom"),))),
        # The tests pass, and the command does not: something else that it does failed.
        (GREEN, suite({ADDS: "passed", PAYS: "passed"}, 1),
         SuiteComparison((broken(UNEXPLAINED),))),
        (ONE_RED, suite({ADDS: "passed", PAYS: "passed"}, 1),
         SuiteComparison((broken(UNEXPLAINED),))),
        (suite({ADDS: "passed"}, 1), suite({ADDS: "passed"}, 1),
         SuiteComparison(known_red=(TEST_COMMAND,))),
        (suite(exit_code=5), suite({ADDS: "passed"}), SuiteComparison()),
        # A command that was not there yet, or found nothing, is no excuse for one that fails.
        (suite(exit_code=127), suite(exit_code=1), SuiteComparison((broken(UNEXPLAINED),))),
        (suite(exit_code=5), suite({ADDS: "passed"}, 1), SuiteComparison((broken(UNEXPLAINED),))),
        (suite(exit_code=1), suite({ADDS: "passed"}, 1), SuiteComparison((broken(UNEXPLAINED),))),
        (cut(), suite(exit_code=1), SuiteComparison((broken(UNEXPLAINED),))),
    ],
)  # fmt: skip
def test_where_no_test_is_reported_the_exit_code_decides(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


CUT = "it was not done after 12 s and was ended (see verify.test_minutes)\nstill going"


@pytest.mark.parametrize(
    ("before", "now", "judged"),
    [
        (GREEN, illegible(), SuiteComparison((broken("junit.xml, line 3: not XML"),))),
        (illegible(), illegible(), SuiteComparison((broken("junit.xml, line 3: not XML"),))),
        (GREEN, cut(), SuiteComparison((broken(CUT),))),
        (cut(), cut(), SuiteComparison((broken(CUT),))),
        (GREEN, cut({PAYS: "failed"}), SuiteComparison((broken(CUT), new_failure(PAYS)))),
        (GREEN, NOTHING,
         SuiteComparison((broken("it reported 2 tests before the work, and none now"),))),
        (ONE_RED, suite(exit_code=1, output="no such file"),
         SuiteComparison((broken("it reported 2 tests before the work, and none now"
                        "\nno such file"),))),
        # Nothing is known of the time before, so that all red is new.
        (illegible(), ONE_RED, SuiteComparison((new_failure(PAYS),))),
        (illegible(), GREEN, SuiteComparison()),
    ],
)  # fmt: skip
def test_a_run_that_shows_nothing_opens_no_gate(
    before: SuiteRun, now: SuiteRun, judged: SuiteComparison
) -> None:
    assert compare_suite_runs(before, now, RULES) == judged


@pytest.mark.parametrize(
    ("before", "judged"),
    [
        (GREEN, SuiteComparison()),
        (ONE_RED, SuiteComparison(known_red=(PAYS,))),
        (
            suite({PAYS: "failed"}, flaky=FLAKY),
            SuiteComparison(known_red=(PAYS,), flaky=(PAYS,)),
        ),
        (suite(exit_code=1), SuiteComparison(known_red=(TEST_COMMAND,))),
        (cut({PAYS: "failed"}), SuiteComparison(known_red=(TEST_COMMAND, PAYS))),
        (illegible(), SuiteComparison(known_red=(TEST_COMMAND,))),
    ],
)
def test_what_was_red_before_the_work_has_a_name(before: SuiteRun, judged: SuiteComparison) -> None:
    assert describe_baseline(before) == judged


RUNS = st.builds(
    suite,
    st.dictionaries(
        st.sampled_from(["a::x", "a::x[1]", "b::x (2)", "b::(load)", "c › y", "test_z"]),
        st.sampled_from(["passed", "failed", "skipped"]),
    ),
    st.sampled_from([None, 0, 1, 137]),
    coverage=st.none() | st.floats(0, 100),
    flaky=st.frozensets(st.sampled_from(["a::x", "test_z", TEST_COMMAND])),
)


@given(RUNS)
def test_work_that_changes_nothing_meets_no_objection(run: SuiteRun) -> None:
    assert compare_suite_runs(run, run, RegressionRules("", coverage=0)).passes
    assert {each.finding for each in compare_suite_runs(run, run, RULES).objections} == set()


@given(RUNS, RUNS)
def test_a_red_test_is_objected_to_or_listed(before: SuiteRun, now: SuiteRun) -> None:
    judged = compare_suite_runs(before, now, RULES)

    assert isinstance(now.report, SuiteReport)
    red = {each.id for each in now.report.cases if each.outcome == "failed"}
    objected = {each.test for each in judged.objections}
    assert red <= objected | {*judged.known_red, *judged.flaky}
    assert not objected & {*judged.known_red}


def test_the_end_of_a_long_output_goes_with_an_objection() -> None:
    now = suite(exit_code=1, output="x" * 5000 + "the end")

    (objection,) = compare_suite_runs(suite(), now, RULES).objections

    assert objection.message.endswith("x" * 10 + "the end")
    assert len(objection.message) < 500


def test_tests_that_cannot_run_never_pass_also_if_they_could_not_before() -> None:
    dead = replace(suite({}, 127, output="sh: 1: x: not found"), start_failure="x was not found")
    bare = replace(suite({ADDS: "failed"}), setup_failure="setup failed with exit code 1")

    assert [compare_suite_runs(run, run, RULES) for run in (dead, bare)] == [
        SuiteComparison(
            (
                SuiteObjection(
                    "broken_run",
                    TEST_COMMAND,
                    message="it cannot run: x was not found\nsh: 1: x: not found",
                ),
            )
        ),
        SuiteComparison(
            (
                SuiteObjection(
                    "broken_run",
                    TEST_COMMAND,
                    message="it cannot run: setup failed with exit code 1",
                ),
            )
        ),
    ]


def test_what_was_red_without_a_setup_is_not_known_to_be_red() -> None:
    bare = replace(suite({ADDS: "failed"}), setup_failure="setup failed with exit code 1")

    assert compare_suite_runs(bare, suite({ADDS: "failed"}), RULES) == SuiteComparison(
        (new_failure(ADDS),)
    )
