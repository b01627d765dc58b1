"""Which evidence a run relies on, and what speaks against it later."""

from dataclasses import replace

import pytest

from treadle.domain.check import Evidence, When
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckFinished, SuiteFinished
from treadle.verify.comparing import (
    Compared,
    Found,
    Log,
    Recalled,
    compare,
    recall,
    worth_a_second_try,
)

COMMIT, TREE, LOG = "c" * 40, "a" * 40, "f" * 64
THEN = Evidence("make check", "after", COMMIT, TREE, 0, 1.5, "around", LOG)
NOW = replace(THEN, when="verify")
CHECK = Recalled("check", "DL-1", "it adds", THEN)


def finished(
    name: str, criterion: str, *, when: When = "after", exit_code: int | None = 0
) -> CheckFinished:
    return CheckFinished(name, criterion, replace(THEN, when=when, exit_code=exit_code), "")


def suite(when: When, exit_code: int) -> SuiteFinished:
    return SuiteFinished(replace(THEN, when=when, exit_code=exit_code), (), None, ())


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

    assert recall(log, {"DL-1"}) == (
        Recalled(
            *("check", "DL-1", "adds"),
            replace(THEN, when="again"),
            replace(THEN, when="before", exit_code=1),
        ),
        Recalled("check", "DL-1", "divides", THEN),
        Recalled("check", "", "the check command", THEN),
    )


def test_the_last_word_of_the_tests_on_the_work_is_relied_on() -> None:
    log: list[Event] = [suite("before", 1), suite("after", 2), suite("again", 0)]

    before = replace(THEN, when="before", exit_code=1)
    assert recall(log, ()) == (Recalled("tests", "", "", replace(THEN, when="again"), before),)
    assert recall(log[:1], ()) == ()


def test_tests_that_were_flaky_at_any_time_are_recalled_as_such() -> None:
    log: list[Event] = [
        replace(suite("before", 1), flaky=("a", "b")),
        replace(suite("after", 0), flaky=("b", "c")),
        suite("again", 0),
    ]

    (tests,) = recall(log, ())

    assert tests.flaky == ("a", "b", "c")
    assert worth_a_second_try(tests, replace(NOW, exit_code=1))
    assert not worth_a_second_try(tests, NOW)
    assert not worth_a_second_try(tests, replace(NOW, exit_code=None))
    assert not worth_a_second_try(replace(tests, flaky=()), replace(NOW, exit_code=1))


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (Found("kept", TREE, NOW), ()),
        (Found("kept", TREE, replace(NOW, fingerprint="elsewhere", log="other")), ()),
        (Found("missing", TREE, NOW), ("its log ffffffffffff is missing",)),
        (
            Found("changed", TREE, NOW),
            ("its log ffffffffffff was changed: its SHA-256 is another now",),
        ),
        (
            Found("kept", ""),
            (f"commit cccccccccccc is not in this repository: git fetch '/a place' {COMMIT}",),
        ),
        (
            Found("kept", "b" * 40),
            ("the tree of commit cccccccccccc is bbbbbbbbbbbb here, and was aaaaaaaaaaaa then",),
        ),
        (Found("kept", TREE, damage="a.txt is damaged"), ("a.txt is damaged",)),
        (
            Found("kept", TREE, replace(NOW, exit_code=2)),
            ("it ended with exit code 2 now, and ended with exit code 0 then",),
        ),
        (
            Found("kept", TREE, replace(NOW, exit_code=2, fingerprint="elsewhere")),
            (
                "it ended with exit code 2 now, and ended with exit code 0 then,"
                " in another environment",
            ),
        ),
        (
            Found("missing", TREE, replace(NOW, exit_code=None)),
            (
                "its log ffffffffffff is missing",
                "it was not done in time now, and ended with exit code 0 then",
            ),
        ),
    ],
)
def test_each_reason_against_it_is_one_line(found: Found, reasons: tuple[str, ...]) -> None:
    compared = compare(CHECK, found, origin="/a place")

    assert compared == Compared(CHECK, found, reasons)
    assert compared.agrees is (not reasons)


def test_the_log_of_the_time_before_the_work_is_looked_at_as_well() -> None:
    seen = replace(CHECK, before=replace(THEN, when="before", exit_code=1, log="d" * 64))
    found = Found("kept", TREE, NOW, log_before="changed")

    assert compare(seen, found, origin="").reasons == (
        "its log of before the work dddddddddddd was changed: its SHA-256 is another now",
    )
    assert compare(CHECK, found, origin="").agrees


@pytest.mark.parametrize(
    ("now", "told"),
    [(NOW, "same"), (replace(NOW, fingerprint="elsewhere"), "differs"), (None, "unknown")],
)
def test_other_surroundings_are_told_and_are_no_reason(now: Evidence | None, told: str) -> None:
    log: Log = "kept"

    assert compare(CHECK, Found(log, TREE, now), origin="").surroundings == told
