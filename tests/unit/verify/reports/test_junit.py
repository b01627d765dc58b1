"""JUnit XML has no standard: what tools write is read, and nothing is invented."""

import pytest

from treadle.domain.suite_report import CaseResult, MalformedReport, SuiteReport
from treadle.verify.reports.report_reader import read_reports


def read(inner: str) -> SuiteReport | MalformedReport:
    return read_reports({"junit.xml": inner.encode()}, "", "")


def passed(name: str) -> CaseResult:
    return CaseResult(name, "unit", "passed")


TABLE: list[tuple[str, str, tuple[CaseResult, ...]]] = [
    ("nothing at all", "<testsuites/>", ()),
    ("a suite alone", "<testsuite name='s'/>", ()),
    (
        "suites within suites",
        "<testsuites><testsuite name='a'><testsuite name='b'><testsuite name='c'>"
        "<testcase classname='K' name='t'/></testsuite></testsuite></testsuite></testsuites>",
        (passed("K::t"),),
    ),
    (
        "what is yet to be done may fail, and is no pass",
        "<testsuite name='s'><testcase name='a'><skipped type='todo' message='true'/></testcase>"
        "<testcase name='b'><skipped type='todo'/><failure message='no'/></testcase></testsuite>",
        (
            CaseResult("s::a", "unit", "skipped", message="true"),
            CaseResult("s::b", "unit", "skipped", message="no"),
        ),
    ),
    (
        "a failure that is expected is no pass",
        "<testsuite name='s'><testcase name='a'><skipped type='pytest.xfail' message=''/>"
        "</testcase></testsuite>",
        (CaseResult("s::a", "unit", "skipped"),),
    ),
    (
        "more tests than are counted: those without a duration are yet to be written",
        "<testsuite name='s' tests='1'><testcase name='a' time='0.1'/><testcase name='b' time='0'/>"
        "</testsuite>",
        (passed("s::a"), CaseResult("s::b", "unit", "skipped")),
    ),
    (
        "which of two that took no time is not known",
        "<testsuite name='s' tests='1'><testcase name='a' time='0'/><testcase name='b' time='0'/>"
        "</testsuite>",
        (passed("s::a"), passed("s::b")),
    ),
    (
        "no class: the suite stands for it",
        "<testsuite name='s'><testcase name='t'/></testsuite>",
        (passed("s::t"),),
    ),
    (
        "a file is better than a suite",
        "<testsuite name='s'><testcase name='t' file='a/b.js'/></testsuite>",
        (passed("a/b.js::t"),),
    ),
    (
        "a whole path is not part of an id",
        "<testsuite name='s'><testcase name='t' file='/somewhere/b.js'/></testsuite>",
        (passed("b.js::t"),),
    ),
    ("no name at all", "<testsuite><testcase/></testsuite>", (passed("(no name)"),)),
    (
        "a class that repeats the name",
        "<testsuite name='s'><testcase classname='t' name='t'/></testsuite>",
        (passed("s::t"),),
    ),
    (
        "an error counts as a failure",
        "<testsuite><testcase classname='K' name='t'><error message='so'/></testcase></testsuite>",
        (CaseResult("K::t", "unit", "failed", message="so"),),
    ),
    (
        "the text, where there is no message",
        "<testsuite><testcase classname='K' name='t' file='k.py' line='12'>"
        "<failure>  because\n of this </failure></testcase></testsuite>",
        (CaseResult("K::t", "unit", "failed", "k.py", 12, "because\n of this"),),
    ),
    (
        "a failure outranks a skip in the same test",
        "<testsuite><testcase classname='K' name='t'><skipped message='a'/><failure message='b'/>"
        "</testcase></testsuite>",
        (CaseResult("K::t", "unit", "failed", message="b"),),
    ),
    (
        "skipped, in three ways of saying so",
        "<testsuite><testcase classname='K' name='a'><skipped message='later'/></testcase>"
        "<testcase classname='K' name='b' status='notrun'/>"
        "<testcase classname='K' name='c' result='Skipped'/></testsuite>",
        (
            CaseResult("K::a", "unit", "skipped", message="later"),
            CaseResult("K::b", "unit", "skipped"),
            CaseResult("K::c", "unit", "skipped"),
        ),
    ),
    (
        "a test that passed when it was tried again",
        "<testsuite><testcase classname='K' name='t'><flakyFailure message='once'/></testcase>"
        "</testsuite>",
        (passed("K::t"),),
    ),
    (
        "a suite that failed without a test that did",
        "<testsuites><testsuite name='a.test.js' errors='1' tests='0'/></testsuites>",
        (
            CaseResult(
                "a.test.js::(load)",
                "unit",
                "failed",
                message="1 failed, and the report does not name them",
            ),
        ),
    ),
    (
        "numbers that are none",
        "<testsuite failures='NaN' errors='-3' tests='inf'>"
        "<testcase classname='K' name='t' time='-inf' line='1e9'/></testsuite>",
        (passed("K::t"),),
    ),
    (
        "a name of every kind",
        "<testsuite><testcase classname='K' name='t[&lt;a\n&gt;] &#169; 0x7f00deadbeef'/>"
        "</testsuite>",
        (passed("K::t[<a >] © 0x"),),
    ),
    (
        "a prefix before each element",
        "<j:testsuite xmlns:j='x'><j:testcase classname='K' name='t'/></j:testsuite>",
        (passed("K::t"),),
    ),
]


@pytest.mark.parametrize(
    ("text", "cases"), [pytest.param(text, cases, id=name) for name, text, cases in TABLE]
)
def test_a_report_is_read(text: str, cases: tuple[CaseResult, ...]) -> None:
    assert read(text) == SuiteReport(cases)


def test_the_place_of_a_failure_comes_from_its_text_before_that_of_the_test() -> None:
    report = read(
        "<testsuite><testcase classname='K' name='t' file='k_test.py' line='3'>"
        "<failure message='no'>k_test.py:4: in t\nk.py:9: ValueError</failure>"
        "</testcase></testsuite>"
    )

    assert report == SuiteReport((CaseResult("K::t", "unit", "failed", "k.py", 9, "no"),))


def test_repeated_names_are_numbered_by_their_suite_and_not_by_their_order() -> None:
    def suite(name: str, outcome: str) -> str:
        return (
            f"<testsuite name='{name}'><testcase classname='K' name='t'>{outcome}</testcase>"
            "</testsuite>"
        )

    first, second = suite("a", "<skipped/>"), suite("b", "")

    one = read(f"<testsuites>{first}{second}</testsuites>")
    other = read(f"<testsuites>{second}{first}</testsuites>")

    assert isinstance(one, SuiteReport)
    assert isinstance(other, SuiteReport)
    assert set(one.cases) == set(other.cases)
    assert set(one.cases) == {
        CaseResult("K::t", "unit", "skipped"),
        CaseResult("K::t (2)", "unit", "passed"),
    }


def test_a_long_message_is_cut_and_has_no_colours() -> None:
    report = read(
        "<testsuite><testcase classname='K' name='t'>"
        f"<failure>#x1B[31mred\n{'x' * 5_000}</failure></testcase></testsuite>"
    )

    assert isinstance(report, SuiteReport)
    [case] = report.cases
    assert (len(case.message), case.message[-1]) == (2_000, "…")


REMEDY = "let the test command write it again, or name other files in verify.reports"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "junit.xml: it is empty"),
        ("<testsuites>\n<testsuite>\n</testsuites>", "junit.xml:3: mismatched tag"),
        ("<testsuites>\n<testsuite>\n", "junit.xml:3: no element found"),
        (
            '<!DOCTYPE a [<!ENTITY b "c">]>\n<testsuite><testcase name="&b;"/></testsuite>',
            "junit.xml:1: a report must not define entities (<!DOCTYPE … [)",
        ),
        ('<testsuite name="&b;"/>', "junit.xml:1: undefined entity"),
        (
            "<testsuite>" + "<a>" * 100 + "</a>" * 100 + "</testsuite>",
            "junit.xml:1: elements nested more than 100 deep",
        ),
        (
            '<?xml version="1.0" encoding="klingon"?><testsuite/>',
            "junit.xml:1: its encoding cannot be read",
        ),
    ],
)
def test_a_malformed_report_is_refused_with_its_line_and_what_to_do(text: str, reason: str) -> None:
    assert read(text) == MalformedReport(f"{reason}; {REMEDY}")


def test_a_dtd_that_is_merely_named_is_not_followed() -> None:
    text = '<!DOCTYPE testsuite SYSTEM "file:///etc/passwd"><testsuite/>'

    assert read(text) == SuiteReport()
