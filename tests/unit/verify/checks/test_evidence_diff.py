"""Which evidence a run relies on, and the reasons why it no longer holds."""

from dataclasses import replace

import pytest

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import (
    CheckFinished,
    CriterionGrade,
    DeliverableGraded,
    SuiteFinished,
    SuiteGraded,
)
from treadle.verify.checks.evidence_diff import (
    CurrentEvidence,
    EvidenceDiff,
    LogStatus,
    RecordedEvidence,
    compare_evidence,
    needs_second_try,
    read_evidence,
)

COMMIT, TREE, LOG = "c" * 40, "a" * 40, "f" * 64
THEN = Evidence("make check", "after", COMMIT, TREE, 0, 1.5, "around", LOG)
NOW = replace(THEN, when="verify")
CHECK = RecordedEvidence("check", "DL-1", "it adds", THEN)


def finished(
    name: str, criterion: str, *, when: CheckTiming = "after", exit_code: int | None = 0
) -> CheckFinished:
    return CheckFinished(name, criterion, replace(THEN, when=when, exit_code=exit_code), "")


def suite(when: CheckTiming, exit_code: int) -> SuiteFinished:
    return SuiteFinished(replace(THEN, when=when, exit_code=exit_code), (), None, ())


BASE = "d" * 40
PINNED = replace(THEN, when="pinned", tree="e" * 40, judges_of=BASE)


def pinned_check(name: str, criterion: str, exit_code: int = 0) -> CheckFinished:
    return CheckFinished(name, criterion, replace(PINNED, exit_code=exit_code), "")


def test_the_last_green_evidence_of_what_passed_is_relied_on() -> None:
    log: list[Event] = [
        finished("DL-1", "adds", when="before", exit_code=1),
        finished("DL-1", "adds"),
        finished("DL-2", "never passed"),
        finished("DL-1", "divides"),
        finished("DL-1", "adds", when="again"),
        finished("DL-1", "divides", when="again", exit_code=None),
        finished("DL-1", "divides", when="bisect"),
        finished("", "the check command"),
    ]

    assert read_evidence(log, {"DL-1"}) == (
        RecordedEvidence(
            *("check", "DL-1", "adds"),
            replace(THEN, when="again"),
            replace(THEN, when="before", exit_code=1),
        ),
        RecordedEvidence("check", "DL-1", "divides", THEN),
        RecordedEvidence("check", "", "the check command", THEN),
    )


def test_the_last_word_of_the_tests_on_the_work_is_relied_on() -> None:
    log: list[Event] = [suite("before", 1), suite("after", 2), suite("again", 0)]

    before = replace(THEN, when="before", exit_code=1)
    assert read_evidence(log, ()) == (
        RecordedEvidence("tests", "", "", replace(THEN, when="again"), before),
    )
    assert read_evidence(log[:1], ()) == ()


def test_evidence_with_the_judges_of_the_base_follows_that_on_the_work() -> None:
    log: list[Event] = [
        finished("DL-1", "adds", when="before", exit_code=1),
        finished("DL-1", "adds"),
        pinned_check("DL-1", "adds"),
        finished("DL-1", "divides"),
        finished("DL-1", "adds", when="again"),
        pinned_check("DL-2", "never passed"),
        suite("after", 0),
        replace(suite("after", 0), evidence=replace(PINNED, exit_code=3), flaky=("a",)),
    ]

    rows = read_evidence(log, {"DL-1"})

    assert rows == (
        RecordedEvidence(
            *("check", "DL-1", "adds"),
            replace(THEN, when="again"),
            replace(THEN, when="before", exit_code=1),
        ),
        RecordedEvidence("check", "DL-1", "adds", PINNED),
        RecordedEvidence("check", "DL-1", "divides", THEN),
        RecordedEvidence("tests", "", "", THEN, flaky=("a",)),
        RecordedEvidence("tests", "", "", replace(PINNED, exit_code=3), flaky=("a",)),
    )
    assert [(each.title, each.is_pinned) for each in rows] == [
        ("DL-1: adds", False),
        ("DL-1: adds, with your tests", True),
        ("DL-1: divides", False),
        ("tests", False),
        ("tests, yours alone", True),
    ]


def test_evidence_has_the_last_grade_of_its_subject() -> None:
    proven, claimed = CriterionGrade("adds", "proven", "spec"), CriterionGrade("adds", "claimed")
    suite_grade = SuiteGraded("c" * 40, "self-tested", "agent", "tests changed")
    log: list[Event] = [
        finished("DL-1", "adds"),
        DeliverableGraded("DL-1", "claimed", (claimed,)),
        DeliverableGraded("DL-2", "claimed", (claimed,)),
        DeliverableGraded("DL-1", "proven", (proven,)),
        finished("DL-1", "divides"),
        suite("after", 0),
        suite_grade,
    ]

    assert read_evidence(log, {"DL-1"}) == (
        RecordedEvidence("check", "DL-1", "adds", THEN, graded=proven),
        RecordedEvidence("check", "DL-1", "divides", THEN),
        RecordedEvidence("tests", "", "", THEN, graded=suite_grade),
    )


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([pinned_check("DL-1", "adds", exit_code=1)], id="red with them later"),
        pytest.param([finished("DL-1", "adds")], id="claimed again"),
    ],
)
def test_evidence_with_the_judges_of_the_base_is_about_the_last_claim(later: list[Event]) -> None:
    log: list[Event] = [finished("DL-1", "adds"), pinned_check("DL-1", "adds"), *later]

    assert read_evidence(log, {"DL-1"}) == (RecordedEvidence("check", "DL-1", "adds", THEN),)


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (CurrentEvidence("kept", PINNED.tree, replace(PINNED, when="verify")), ()),
        (
            CurrentEvidence("kept", "", missing_base=BASE),
            (f"commit dddddddddddd is not in this repository: git fetch '/a place' {BASE}",),
        ),
        (
            CurrentEvidence("kept", "b" * 40),
            (
                "the tree of commit cccccccccccc with the tests and checks of dddddddddddd is"
                " bbbbbbbbbbbb here, and was eeeeeeeeeeee then: another version of Treadle may"
                " choose other files",
            ),
        ),
    ],
)
def test_each_reason_against_pinned_evidence_is_one_line(
    found: CurrentEvidence, reasons: tuple[str, ...]
) -> None:
    recorded = RecordedEvidence("check", "DL-1", "it adds", PINNED)

    assert compare_evidence(recorded, found, origin="/a place").reasons == reasons


def test_tests_that_were_flaky_at_any_time_are_recalled_as_such() -> None:
    log: list[Event] = [
        replace(suite("before", 1), flaky=("a", "b")),
        replace(suite("after", 0), flaky=("b", "c")),
        suite("again", 0),
    ]

    (tests,) = read_evidence(log, ())

    assert tests.flaky == ("a", "b", "c")
    assert needs_second_try(tests, replace(NOW, exit_code=1))
    assert not needs_second_try(tests, NOW)
    assert not needs_second_try(tests, replace(NOW, exit_code=None))
    assert not needs_second_try(replace(tests, flaky=()), replace(NOW, exit_code=1))


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (CurrentEvidence("kept", TREE, NOW), ()),
        (CurrentEvidence("kept", TREE, replace(NOW, fingerprint="elsewhere", log="other")), ()),
        (CurrentEvidence("missing", TREE, NOW), ("its log ffffffffffff is missing",)),
        (
            CurrentEvidence("changed", TREE, NOW),
            ("its log ffffffffffff was changed: its SHA-256 has changed",),
        ),
        (
            CurrentEvidence("kept", ""),
            (f"commit cccccccccccc is not in this repository: git fetch '/a place' {COMMIT}",),
        ),
        (
            CurrentEvidence("kept", "b" * 40),
            ("the tree of commit cccccccccccc is bbbbbbbbbbbb here, and was aaaaaaaaaaaa then",),
        ),
        (CurrentEvidence("kept", TREE, damage="a.txt is damaged"), ("a.txt is damaged",)),
        (
            CurrentEvidence("kept", TREE, replace(NOW, exit_code=2)),
            ("it ended with exit code 2 now, and ended with exit code 0 then",),
        ),
        (
            CurrentEvidence("kept", TREE, replace(NOW, exit_code=2, fingerprint="elsewhere")),
            (
                "it ended with exit code 2 now, and ended with exit code 0 then,"
                " in another environment",
            ),
        ),
        (
            CurrentEvidence("missing", TREE, replace(NOW, exit_code=None)),
            (
                "its log ffffffffffff is missing",
                "it was not done in time now, and ended with exit code 0 then",
            ),
        ),
    ],
)
def test_each_reason_against_it_is_one_line(
    found: CurrentEvidence, reasons: tuple[str, ...]
) -> None:
    compared = compare_evidence(CHECK, found, origin="/a place")

    assert compared == EvidenceDiff(CHECK, found, reasons)
    assert compared.agrees is (not reasons)


def test_the_log_of_the_time_before_the_work_is_looked_at_as_well() -> None:
    seen = replace(CHECK, before=replace(THEN, when="before", exit_code=1, log="d" * 64))
    found = CurrentEvidence("kept", TREE, NOW, log_before="changed")

    assert compare_evidence(seen, found, origin="").reasons == (
        "its log of before the work dddddddddddd was changed: its SHA-256 has changed",
    )
    assert compare_evidence(CHECK, found, origin="").agrees


@pytest.mark.parametrize(
    ("now", "told"),
    [(NOW, "same"), (replace(NOW, fingerprint="elsewhere"), "differs"), (None, "unknown")],
)
def test_another_environment_is_reported_and_is_no_reason(now: Evidence | None, told: str) -> None:
    log: LogStatus = "kept"

    assert compare_evidence(CHECK, CurrentEvidence(log, TREE, now), origin="").environment == told
