"""No report takes long to read or is copied per test: what is linear ends in a moment."""

import tracemalloc
from collections.abc import Callable

import pytest

from treadle.domain.suite_report import MalformedReport, SuiteReport
from treadle.verify.reports.bounds import MOST_CASES, cut_name
from treadle.verify.reports.report_reader import read_reports
from treadle.verify.results.start_failure import StartFailure, start_failure

CASES = 2_000
LONG = "n" * 1_500_000
# Each a report of many tests below one long name.
JUNIT_CASES = "<testcase name='a'/>" * CASES
JUNIT = f'<testsuite name="{LONG}" file="{LONG}">{JUNIT_CASES}</testsuite>'
TAP = f"TAP version 13\n# Subtest: {LONG}\n" + "    ok 1 - a\n" * CASES + "# tests 1\n"
CARGO = (
    f"     Running unittests {LONG} (x/y-1)\nrunning {CASES} tests\n"
    + "test a ... ok\n" * CASES
    + f"test result: ok. {CASES} passed;\n"
)
GO = "=== RUN   A\n" + "".join(f"=== RUN   A/{n}\n" for n in range(CASES)) + f"FAIL\t{LONG}\t1s\n"
UNITTEST_TEST = "test_a (m.T.test_a) ... ok\n"


def reading(files: dict[str, bytes], output: str, command: str) -> Callable[[], object]:
    return lambda: read_reports(files, output, command)


@pytest.mark.parametrize(
    "read",
    [
        reading({"junit.xml": JUNIT.encode()}, "", "make"),
        reading({}, TAP, "node --test"),
        reading({}, CARGO, "cargo test"),
        reading({}, GO, "go test -v"),
    ],
    ids=["junit", "tap", "cargo", "go"],
)
def test_a_long_name_above_many_tests_is_kept_once(read: Callable[[], object]) -> None:
    tracemalloc.start()
    try:
        report = read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert isinstance(report, SuiteReport)
    assert len(report.cases) >= CASES
    assert peak < 20 * len(LONG)


def test_names_that_are_cut_stay_different() -> None:
    assert cut_name(f"{LONG}a") != cut_name(f"{LONG}b")
    assert len(cut_name(LONG)) < 520


@pytest.mark.parametrize(
    ("output", "command"),
    [
        ("TAP version 13\n" + "ok 1 - a\n" * (MOST_CASES + 5) + "# tests 1\n", "node --test"),
        (
            "running 9 tests\n"
            + "test a ... ok\n" * (MOST_CASES + 5)
            + "test result: ok. 9 passed;\n",
            "cargo test",
        ),
    ],
)
def test_more_tests_than_a_report_may_have_are_refused(output: str, command: str) -> None:
    assert read_reports({}, output, command) == MalformedReport(
        "more than 100,000 tests; split the test command"
    )


def test_a_line_of_millions_of_dots_is_read_in_a_moment() -> None:
    output = f"{UNITTEST_TEST}a ({'.' * 3_000_000}\n\nRan 1 test in 0.1s\n"

    report = read_reports({}, output, "python3 -m unittest -v")

    assert isinstance(report, SuiteReport)
    assert [case.id for case in report.cases] == ["m.T::test_a"]


@pytest.mark.parametrize("line", ["ok, " * 500, "skipped '" * 220, "ok " * 600])
@pytest.mark.parametrize("begin", ["test a ... ", "test_a (m.T.test_a) ... "])
def test_lines_that_repeat_a_verdict_are_read_in_a_moment(begin: str, line: str) -> None:
    text = f"{begin}{line}x\n" * 5_000

    read_reports({}, f"{text}test result: ok. 1 passed;\n", "cargo test")
    read_reports({}, f"{text}Ran 1 test in 0.1s\n", "python3 -m unittest")


def test_suites_that_fail_alone_are_counted_in_a_moment() -> None:
    passed = "    ok 1 - a\n" * 50_000
    failed = "    ok 1 - a\nnot ok 1 - b\n" * 40_000

    report = read_reports(
        {}, f"TAP version 13\n# Subtest: b\n{passed}{failed}# tests 1\n", "node --test"
    )

    assert isinstance(report, SuiteReport)
    assert sum(case.outcome == "failed" for case in report.cases) == 1


def test_the_words_of_a_shell_are_found_in_a_moment() -> None:
    output = f"{'sh-' * 300_000} {'a: ' * 300_000}\nbash: line 1: ./a.sh: Permission denied\n"

    assert start_failure(126, output) == StartFailure(126, "./a.sh")
