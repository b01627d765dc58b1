"""The output of a test command becomes one report, or one reason why it cannot."""

import json

import pytest

from treadle.domain.suite_report import CaseResult, MalformedReport, SuiteReport
from treadle.verify.reports import bounds
from treadle.verify.reports.report_reader import read_reports

JUNIT = b"<testsuite><testcase classname='K' name='t'/></testsuite>"
REMEDY = bounds.REMEDY


def test_no_report_and_no_known_output_is_a_report_without_tests() -> None:
    assert read_reports({}, "all is well\n", "make test") == SuiteReport((), None)


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\x01\x02",
        b"plain text",
        b"<html><body/></html>",
        b"<checkstyle/>",
        b'{"some": "json"}',
        b"[1, 2]",
        b"{broken",
    ],
)
def test_a_file_of_another_kind_counts_for_nothing_unless_it_was_named(content: bytes) -> None:
    files = {"reports/other.xml": content, "junit.xml": JUNIT}

    assert read_reports(files, "", "x") == SuiteReport((CaseResult("K::t", "unit", "passed"),))
    assert read_reports(files, "", "x", named=("reports/**/*.xml",)) == MalformedReport(
        f"reports/other.xml: its format is not known; {REMEDY}"
    )


def test_several_reports_are_one() -> None:
    other = JUNIT.replace(b"<testcase", b"<testcase classname='L' name='t'/><testcase")

    assert read_reports({"b.xml": other, "a.xml": JUNIT}, "", "x") == SuiteReport(
        (
            CaseResult("K::t", "unit", "passed"),
            CaseResult("L::t", "unit", "passed"),
            CaseResult("K::t (2)", "unit", "passed"),
        )
    )


def test_files_and_output_are_one_report() -> None:
    said = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.org/a\t0.1s\n"

    assert read_reports({"junit.xml": JUNIT}, said, "pytest && go test -v ./...") == SuiteReport(
        (CaseResult("K::t", "unit", "passed"), CaseResult("example.org/a::TestA", "unit", "passed"))
    )


def test_what_looks_like_the_output_of_another_tool_is_not_read_as_such() -> None:
    said = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.org/a\t0.1s\n"

    assert read_reports({}, said, "pytest") == SuiteReport()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("r.json", b'{"config": {}, "suites": [', "r.json:1: no valid JSON (Expecting value)"),
        ("r.json", b"", "r.json: it is empty"),
        (
            "r.json",
            b'{"config": NaN, "suites": [], "stats": {}}',
            "r.json: no valid JSON (NaN is not a number)",
        ),
        (
            "r.json",
            b'{"config": {}, "stats": {}, "suites": [{"specs": [{"title": "a", "tests": [{}]}]}]}',
            "r.json: a test without a known status: a",
        ),
        (
            "r.json",
            b'{"testResults": [{"name": "/a.js", "assertionResults": [{}]}], "numTotalTests": 1}',
            "r.json: a test without a known status in a.js",
        ),
        (
            "r.json",
            b'{"examples": [{"full_description": "a"}], "summary": {}}',
            "r.json: an example without a known status: a",
        ),
        (
            "c.json",
            b'{"meta": {}, "totals": {}, "files": {"a.py": {"summary": {"covered_lines": 2,'
            b' "num_statements": 1}}}}',
            "c.json: the counts of a.py cannot be right",
        ),
        ("c.json", b'{"meta": {}, "totals": {}, "files": {}}', "c.json: no files in it"),
        ("c.xml", b"<coverage line-rate='NaN'/>", "c.xml: no lines and no line-rate in it"),
        ("c.xml", b"<coverage>\n", "c.xml:2: no element found"),
        ("lcov.info", b"SF:a\nDA:1,1\n", "lcov.info: it ends within a"),
        (
            "lcov.info",
            b"TN:\nSF:a\nDA:1,-1\nend_of_record\n",
            "lcov.info:3: a line count that cannot be read (DA:)",
        ),
        ("lcov.info", b"SF:a\nend_of_record\n", "lcov.info: no lines in it"),
        (
            "go.json",
            b'{"Action":"run","Package":"a","Test":"T"}\n{"Action":"pa',
            "go.json:2: an event that is cut or broken",
        ),
    ],
)
def test_a_malformed_report_is_refused_with_its_file(
    name: str, content: bytes, reason: str
) -> None:
    assert read_reports({name: content}, "", "x") == MalformedReport(f"{reason}; {REMEDY}")


@pytest.mark.parametrize(
    ("command", "said", "reason"),
    [
        (
            "cargo test",
            "test b ... ok\n\ntest result: ok. 2 passed; 0 failed;\n",
            "the output of cargo test: fewer tests than it announced",
        ),
        (
            "go test -v ./...",
            "--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nok  \ta\t0.1s\n",
            "the output of go test: results of tests that it does not show starting",
        ),
        (
            "python3 -m unittest -v",
            "test_b (a.B.test_b) ... ok\n\nRan 2 tests in 0.1s\n\nOK\n",
            "the output of unittest: 1 tests where it ran 2",
        ),
    ],
)
def test_output_that_was_cut_is_not_taken_for_the_whole(
    command: str, said: str, reason: str
) -> None:
    assert read_reports({}, said, command) == MalformedReport(f"{reason}; {bounds.CUT}")


def test_what_is_too_large_is_not_looked_at() -> None:
    large = JUNIT + b" " * bounds.MOST_BYTES
    many = {f"{number}.xml": JUNIT for number in range(bounds.MOST_FILES + 1)}
    full = json.dumps({"config": {}, "suites": [[]] * 1_000_001, "stats": {}}).encode()

    assert read_reports({"a.xml": large}, "", "x") == MalformedReport(
        f"a.xml: 16 MiB or more; {REMEDY}"
    )
    assert read_reports(many, "", "x") == MalformedReport(
        "more than 2,000 report files, or more than 64 MiB of them;"
        " name those that count in verify.reports"
    )
    assert read_reports({"a.json": full}, "", "x") == MalformedReport(
        f"a.json: more than 1,000,000 objects and lists; {REMEDY}"
    )


@pytest.mark.parametrize(
    ("files", "percent"),
    [
        ({"c.xml": b"<coverage line-rate='0.5'/>"}, 50.0),
        ({"c.xml": b"<coverage line-rate='1.5' lines-valid='4' lines-covered='3'/>"}, 75.0),
        # Two that tell no lines: what is told least.
        (
            {"c.xml": b"<coverage line-rate='0.5'/>", "d.xml": b"<coverage line-rate='0.25'/>"},
            25.0,
        ),
        # One file by two runs, each of which saw another half of it.
        (
            {"lcov.info": b"SF:a\nDA:1,1\nDA:2,0\nend_of_record\nSF:a\nDA:2,3\nend_of_record\n"},
            100.0,
        ),
        ({"lcov.info": b"TN:x\nSF:a\nDA:1,1,abc\nDA:2,0\nLF:99\nend_of_record\n"}, 50.0),
    ],
)
def test_coverage_is_the_share_of_all_lines(files: dict[str, bytes], percent: float) -> None:
    assert read_reports(files, "", "x") == SuiteReport((), percent)
