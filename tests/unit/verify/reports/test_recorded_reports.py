"""Reports of tools that not every machine has, as these tools wrote them.

In `recorded/`, with folders and the machine's name replaced and nothing else: Jest 30, jest-junit
(with and without our variables), PHPUnit 9.6, RSpec 3.12, Go 1.19, Cargo 1.95, coverage.py 7.17,
and Istanbul as Jest brings it. What stands below for gotestsum is written by its documentation.
"""

from pathlib import Path

import pytest

from treadle.domain.suite_report import CaseOutcome, CaseResult, SuiteReport
from treadle.verify.reports.report_reader import read_reports

RECORDED = Path(__file__).parent / "recorded"

SUMS: dict[str, CaseOutcome] = {"adds": "passed", "is odd: 1": "passed", "is odd: 2": "failed"}
GO: dict[str, CaseOutcome] = {
    "example.org/sums::TestAdds": "passed",
    "example.org/sums::TestOdd": "failed",
    "example.org/sums::TestOdd/n=1": "failed",
    "example.org/sums::TestOdd/n=2": "failed",
    "example.org/sums::TestLater": "skipped",
    "example.org/sums/broken::(load)": "failed",
    "example.org/sums/integration::TestTogether": "passed",
    "example.org/sums/store::TestPanics": "failed",
}


def read(*names: str, output: str = "", command: str = "") -> SuiteReport:
    files = {name: (RECORDED / name).read_bytes() for name in names}
    said = (RECORDED / output).read_text("utf-8") if output else ""
    report = read_reports(files, said, command)
    assert isinstance(report, SuiteReport), report
    return report


def outcomes(report: SuiteReport) -> dict[str, CaseOutcome]:
    return {case.id: case.outcome for case in report.cases}


def failures(report: SuiteReport) -> dict[str, tuple[str, int | None, str]]:
    return {
        case.id: (case.file, case.line, case.message.splitlines()[0] if case.message else "")
        for case in report.cases
        if case.outcome == "failed"
    }


def test_jest_in_its_own_json() -> None:
    report = read("jest.json")

    assert outcomes(report) == {
        **{f"sums.test.js::sums › {name}": how for name, how in SUMS.items()},
        "sums.test.js::sums › waits": "skipped",
        "sums.test.js::sums › later": "skipped",
        "broken.test.js::(load)": "failed",
    }
    assert failures(report) == {
        "sums.test.js::sums › is odd: 2": (
            "/checkout/src/sums.test.js",
            3,
            "Error: expect(received).toBe(expected) // Object.is equality",
        ),
        "broken.test.js::(load)": ("src/broken.test.js", 1, "● Test suite failed to run"),
    }
    # Calls inside of Jest are left out.
    assert "node_modules" not in "".join(case.message for case in report.cases)


def test_jest_by_jest_junit_with_our_variables() -> None:
    report = read("jest_junit.xml")

    assert outcomes(report) == {
        **{f"src/sums.test.js::sums {name}": how for name, how in SUMS.items()},
        "src/sums.test.js::sums waits": "skipped",
        # jest-junit makes no difference between what is to be done and what passed at once.
        "src/sums.test.js::sums later": "passed",
        "src/broken.test.js::(load)": "failed",
    }


def test_jest_by_jest_junit_as_it_comes() -> None:
    assert outcomes(read("jest_junit_plain.xml")) == {
        **{f"sums::sums {name}": how for name, how in SUMS.items()},
        "sums::sums waits": "skipped",
        # It lists one test more than it counts, and only this one took no time.
        "sums::sums later": "skipped",
    }


def test_phpunit() -> None:
    report = read("phpunit.xml")

    assert outcomes(report) == {
        "SumsTest::testAdds": "passed",
        "SumsTest::testIsOdd with data set #0": "passed",
        'SumsTest::testIsOdd with data set "two"': "failed",
        "SumsTest::testLater": "skipped",
        "SumsTest::testErrs": "failed",
    }
    place = "/checkout/tests/SumsTest.php"
    assert failures(report) == {
        'SumsTest::testIsOdd with data set "two"': (
            place,
            6,
            'SumsTest::testIsOdd with data set "two" (2)',
        ),
        "SumsTest::testErrs": (place, 9, "SumsTest::testErrs"),
    }


def test_rspec() -> None:
    report = read("rspec.json")

    assert report == SuiteReport(
        (
            CaseResult("spec/sums_spec.rb::sums adds", "unit", "passed"),
            CaseResult("spec/sums_spec.rb::sums is odd", "unit", "passed"),
            CaseResult(
                "spec/sums_spec.rb::sums is odd (2)",
                "unit",
                "failed",
                "/checkout/spec/sums_spec.rb",
                3,
                "expected: 1\n     got: 0\n\n(compared using ==)",
            ),
            CaseResult("spec/sums_spec.rb::sums waits", "unit", "skipped", message="later"),
        )
    )


def test_rspec_with_a_file_that_does_not_load() -> None:
    assert failures(read("rspec_broken.json")) == {
        "rspec::(load)": (
            "spec/broken_spec.rb",
            1,
            "An error occurred while loading ./spec/broken_spec.rb. - Did you mean?",
        )
    }


@pytest.mark.parametrize(
    ("names", "output", "command"),
    [
        (["go_events.json"], "", "go test -json ./... > go_events.json"),
        ([], "go_events.json", "go test -json ./..."),
        ([], "go_verbose.txt", "go test -v ./..."),
        ([], "go_verbose.txt", "make test"),
    ],
)
def test_go_reports_the_same_in_every_form(names: list[str], output: str, command: str) -> None:
    report = read(*names, output=output, command=command)

    assert outcomes(report) == GO
    assert {case.id for case in report.cases if case.kind == "integration"} == {
        "example.org/sums/integration::TestTogether"
    }
    told = failures(report)
    assert told["example.org/sums::TestOdd/n=1"] == (
        "sums_test.go",
        20,
        "sums_test.go:20: 2 is even",
    )
    assert told["example.org/sums/store::TestPanics"][:2] == (
        "/checkout/store/store_test.go",
        5,
    )


def test_cargo() -> None:
    report = read(output="cargo.txt", command="cargo test")

    assert outcomes(report) == {
        "sums src/lib.rs::tests::adds": "passed",
        "sums src/lib.rs::tests::fails": "failed",
        "sums src/lib.rs::tests::waits": "skipped",
        "sums src/lib.rs::tests::panics": "passed",
        "whole tests/whole.rs::together": "passed",
        # Two examples of one function, told apart by the line, which is no part of the name.
        "Doc-tests sums::src/lib.rs - add": "passed",
        "Doc-tests sums::src/lib.rs - add (2)": "passed",
    }
    [(file, line, _)] = failures(report).values()
    assert (file, line) == ("src/lib.rs", 14)


def test_gotestsum() -> None:
    report = read_reports(
        {
            "go.xml": b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="2" errors="0" time="0.1">
  <testsuite tests="1" failures="1" time="0.005" name="example.org/sums">
    <properties><property name="go.version" value="go1.22"></property></properties>
    <testcase classname="example.org/sums" name="TestOdd/n=2" time="0.000">
      <failure message="Failed" type="">    sums_test.go:20: 2 is even&#xA;</failure>
    </testcase>
  </testsuite>
  <testsuite tests="1" failures="1" time="0.000" name="example.org/sums/broken">
    <testcase classname="example.org/sums/broken" name="TestMain" time="0.000">
      <failure message="Failed" type="">broken_test.go:5:32: undefined: nowhere</failure>
    </testcase>
  </testsuite>
</testsuites>"""
        },
        "",
        "gotestsum --junitfile=go.xml ./...",
    )

    assert isinstance(report, SuiteReport)
    assert failures(report) == {
        "example.org/sums::TestOdd/n=2": ("sums_test.go", 20, "Failed"),
        "example.org/sums/broken::(load)": ("broken_test.go", 5, "Failed"),
    }


@pytest.mark.parametrize(
    ("name", "percent"),
    [
        ("coverage_py.xml", 83.33),
        ("coverage_py.json", 83.33),
        ("istanbul.xml", 80.0),
        ("istanbul.info", 80.0),
    ],
)
def test_coverage(name: str, percent: float) -> None:
    assert read(name) == SuiteReport((), percent)


def test_coverage_of_all_files_counts_each_of_them_once() -> None:
    assert read("coverage_py.xml", "coverage_py.json").coverage == 83.33
    assert read("istanbul.xml", "istanbul.info").coverage == 80.0
    # 5 of 6 lines and 4 of 5.
    assert read("coverage_py.xml", "istanbul.info").coverage == 81.82
