"""Code of an agent writes reports: none of them is trusted, and none raises."""

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.domain.suite_report import MalformedReport, SuiteReport
from treadle.verify.reports.command_tools import find_tools
from treadle.verify.reports.report_reader import read_reports
from treadle.verify.results.runner_end import missing_end, ran_tests

TAGS = st.sampled_from(
    [
        *("testsuites", "testsuite", "testcase", "failure", "error", "skipped", "coverage"),
        *("class", "line", "system-out", "a"),
    ]
)
NAMES = st.sampled_from(
    [
        *("name", "classname", "file", "line", "failures", "errors", "message", "status", "hits"),
        *("number", "filename", "line-rate", "lines-valid", "lines-covered"),
    ]
)
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12),
    st.sampled_from(["NaN", "-1", "inf", "1e400", "9" * 30, "0", "1", "notrun", "a.py:3"]),
)
ELEMENTS: st.SearchStrategy[Any] = st.recursive(
    st.tuples(TAGS, st.dictionaries(NAMES, VALUES, max_size=4), st.just([])),
    lambda inner: st.tuples(
        TAGS, st.dictionaries(NAMES, VALUES, max_size=4), st.lists(inner, max_size=4)
    ),
    max_leaves=12,
)

KEYS = st.sampled_from(
    [
        *("config", "suites", "stats", "specs", "tests", "status", "results", "errors", "error"),
        *("title", "file", "line", "location", "message", "rootDir", "configFile", "meta"),
        *("files", "totals", "summary", "covered_lines", "num_statements", "examples"),
        *("exception", "backtrace", "testResults", "numTotalTests", "assertionResults"),
        *("failureMessages", "ancestorTitles"),
    ]
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(["expected", "unexpected", "failed", "passed", "/a/b.js", "x.js:1"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=20,
)
SHAPES = st.sampled_from(
    [
        ("config", "suites", "stats", "errors"),
        ("meta", "files", "totals"),
        ("examples", "summary"),
        ("testResults", "numTotalTests"),
    ]
)
LINES = st.sampled_from(
    [
        *("running 2 tests", "test a ... ok", "test b ... FAILED", "---- b stdout ----"),
        *("failures:", "test result: FAILED. 1 passed;", "     Running unittests a.rs (t/a-1)"),
        *("test_a (m.K.test_a) ... ok", "test_b (m.K.test_b) ... FAIL", "=" * 70, "-" * 70),
        *("FAIL: test_b (m.K.test_b)", "Ran 2 tests in 0.1s", "setUpClass (m.K) ... ERROR"),
        *("=== RUN   TestA", "--- FAIL: TestA (0.00s)", "FAIL\tp\t0.1s", "ok  \tp\t0.1s", "# p"),
        *('{"Action":"run","Package":"p","Test":"T"}', '{"Action":"fail","Package":"p"}'),
        *("TAP version 13", "# Subtest: a", "    # Subtest: b", "    ok 1 - b", "not ok 2 - a"),
        *("# tests 2", "  location: 'a.js:1:2'", "▶ a", "  ✔ b (1ms)", "✖ a (2.5ms)"),
        *("        ﹣ c (1ms) # SKIP", "ℹ tests 2", "test at a.js:1:2", "ok 1 - a.js"),
        *('{"Action":1}', '{"Action":', "SF:a", "DA:1,1", "DA:x", "end_of_record", "a.go:1"),
    ]
)


# A few, so that the whole stays quick; and no clock, since machines are slow at times.
few = settings(max_examples=40, deadline=None)


def element(drawn: Any) -> str:
    tag, attributes, inner = drawn
    given = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
    return f"<{tag}{given}>text a.py:4: no{''.join(map(element, inner))}</{tag}>"


def _escaped(value: str) -> str:
    return re.sub(r'[&<"]', lambda found: f"&#{ord(found[0])};", value)


def accepted(files: dict[str, bytes], output: str = "", command: str = "") -> SuiteReport | None:
    """The report, in which every test can be told from every other; or a reason was given."""
    report = read_reports(files, output, command)
    if isinstance(report, MalformedReport):
        assert report.reason
        assert "\n" not in report.reason.partition(":")[0]
        return None
    ids = [case.id for case in report.cases]
    assert len(set(ids)) == len(ids)
    assert all(0 < len(each) <= 520 and "\n" not in each for each in ids)
    assert all(len(case.message) <= 2_000 for case in report.cases)
    assert report.coverage is None or 0 <= report.coverage <= 100
    return report


@few
@given(st.binary(max_size=300), st.sampled_from(["junit.xml", "a.json", "lcov.info", "x"]))
def test_any_bytes_are_a_report_or_are_refused_with_a_reason(content: bytes, name: str) -> None:
    accepted({name: content})


@few
@given(ELEMENTS, st.sampled_from(["testsuites", "testsuite", "coverage"]))
def test_any_xml_of_a_known_kind_is_read(drawn: Any, root: str) -> None:
    assert accepted({"junit.xml": f"<{root}>{element(drawn)}</{root}>".encode()}) is not None or (
        root == "coverage"
    )


@few
@given(ELEMENTS, st.integers(0, 400), st.binary(max_size=6))
def test_xml_with_a_piece_torn_out_is_a_report_or_is_refused(
    drawn: Any, at: int, piece: bytes
) -> None:
    whole = f"<testsuites>{element(drawn)}</testsuites>".encode()

    accepted({"junit.xml": whole[:at] + piece + whole[at + 3 :]})


@few
@given(SHAPES, st.lists(JSON, min_size=4, max_size=4))
def test_json_with_anything_under_its_keys_is_a_report_or_is_refused(
    keys: tuple[str, ...], values: list[Any]
) -> None:
    accepted({"a.json": json.dumps(dict(zip(keys, values, strict=False))).encode()})


@few
@given(
    st.lists(LINES, max_size=25),
    st.sampled_from(
        ["make test", "cargo test", "go test -v", "python -m unittest -v", "node --test"]
    ),
)
def test_any_order_of_printed_lines_is_a_report_or_is_refused(
    lines: list[str], command: str
) -> None:
    accepted({}, "\n".join(lines), command)
    missing_end(command, "\n".join(lines), 0)
    accepted({"a.txt": "\n".join(lines).encode()})


@few
@given(st.text(max_size=60))
def test_no_text_of_a_command_is_too_odd_to_look_for_its_tools(command: str) -> None:
    find_tools(command)


def test_a_very_long_run_of_anything_is_read_in_no_time() -> None:
    """Each would take hours if reading it took more than linear time."""
    many = 400_000
    words = "a" * many + ".py:1: " + ":1" * many
    name = "0x" + "f" * many
    xml = (
        f"<testsuite name='{name}'><testcase classname='{'k/' * 1000}' name='{name}'>"
        f"<failure message='{words}'>{words}</failure></testcase></testsuite>"
    )
    lines = "test " + " ... " * many + "\ntest result: ok. 1 passed;\n" + "running 1 tests" * 9

    assert accepted({"junit.xml": xml.encode()}) is not None
    accepted({}, lines, "cargo test")
    accepted({}, "test_a (" + "a." * many + ") ... ok\nRan 1 test in 1s", "make test")
    accepted({}, "=== RUN   " + "a/" * many + "\nFAIL\ta\t1s", "make test")
    spec = (
        "✖ a (1ms)\n" * (many // 8) + "ℹ tests 1\n" + "test at a.js:1:1\n✖ a (1ms)\n" * (many // 8)
    )
    accepted({}, spec, "node --test")
    accepted({}, "TAP version 13\n" + "ok 1 - " + "# SKIP" * many + "\n# tests 1\n", "node --test")
    for long in ("      Tests  " + "1" * many, "\n" * many, "1 passed" + " in 1" * many, words):
        missing_end("make test", long, 0)
        ran_tests(long)
