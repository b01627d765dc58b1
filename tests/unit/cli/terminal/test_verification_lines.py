"""Results of checks and tests as the terminal shows them."""

from dataclasses import replace

import pytest

from tests.unit.cli.rendered_events import rendered, rendered_last
from tests.unit.cli.sample_runs import STARTED, ended
from tests.unit.cli.sample_verified_runs import (
    ADD,
    ADD_GRADED,
    BASELINE,
    DIVIDE,
    DIVIDE_GRADED,
    OPEN,
    POWER,
    POWER_GRADED,
    SHUT,
    SQUARE,
    SUITE_GRADED,
    SUM,
    TOUCHED,
    WRITTEN,
    checked,
    claimed,
    passed,
    ran,
)
from treadle.cli.terminal.styled_lines import Verbosity
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import BacklogSaved, IssueSaved
from treadle.domain.events.verification import (
    CheckAdded,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
    TouchedFile,
)
from treadle.domain.events.work import DeliverableCreated
from treadle.domain.suite_report import CaseCounts


@pytest.mark.parametrize(
    ("event", "normal", "verbose"),
    [
        (checked(ADD, SUM, "after", 0), 0, 2),
        (checked(ADD, SUM, "again", 0), 0, 2),
        (checked(ADD, SUM, "before", 1), 0, 1),
        (checked(ADD, SUM, "before", 0), 2, 2),  # it shows nothing: a person should know at once
        (checked(ADD, SUM, "bisect", 1), 0, 1),
        # With the user's own tests: the line of the pass says what came of it.
        (checked(ADD, SUM, "pinned", 0), 0, 1),
        (checked(ADD, SUM, "pinned", 1, "boom"), 0, 1),
        (replace(OPEN, evidence=ran("npm test", "pinned", 1)), 0, 4),
        (ADD_GRADED, 0, 1),
        (DIVIDE_GRADED, 0, 2),
        (SUITE_GRADED, 1, 1),
        (replace(SUITE_GRADED, why=""), 0, 0),
        (replace(SUITE_GRADED, grade="proven", judge="person", why=""), 0, 0),
        (checked(ADD, SUM, "after", 1, "boom"), 3, 3),
        (CheckAdded(ADD.id, SUM), 1, 2),  # something else decides from now on
        (claimed(ADD), 1, 1),
        (RegressionFound(ADD.id, SUM.criterion, None), 1, 1),
        (replace(BASELINE, evidence=ran("npm test", "before", 0)), 0, 3),
        (BASELINE, 3, 3),
        (EvidenceTouched(()), 0, 0),
        (TOUCHED, 0, 4),
    ],
)
def test_what_speaks_for_the_work_is_shown_when_asked_and_what_is_against_it_always(
    event: Event, normal: int, verbose: int
) -> None:
    lines = [
        len(rendered(event, level))
        for level in (Verbosity.QUIET, Verbosity.NORMAL, Verbosity.VERBOSE)
    ]

    assert lines == [0, normal, verbose]


def test_a_red_check_is_shown_with_the_end_of_what_it_said() -> None:
    output = "\n".join(f"line {n}" for n in range(1, 31))

    assert rendered(checked(ADD, SUM, "after", None, output)) == [
        "  ✘ check failed · out of time after 2s · DL-001: 2 and 3 give 5",
        "    $ python -m unittest test_add",
        *(f"  │ line {n}" for n in range(26, 31)),
    ]
    assert rendered(checked(ADD, SUM, "after", 1, output), Verbosity.VERBOSE)[2] == "  │ line 11"


def test_a_check_that_passes_before_the_work_is_shown_as_showing_nothing() -> None:
    assert rendered(checked(DIVIDE, WRITTEN, "before", 0), width=100) == [
        "  ! check passes before the work, so it proves nothing · 2s · DL-002: it is documented",
        "    $ grep -q divide README.md",
    ]


def test_a_regression_names_the_round_that_broke_it_if_that_is_known() -> None:
    found = RegressionFound(ADD.id, SUM.criterion, 4)

    assert [*rendered(found), *rendered(replace(found, round=None))] == [
        "  ✘ broken in round 4 · it passed before · DL-001: 2 and 3 give 5",
        "  ✘ broken · it passed before · DL-001: 2 and 3 give 5",
    ]


def test_a_check_with_the_users_own_tests_is_told_apart_from_one_on_the_work() -> None:
    green, red = (checked(ADD, SUM, "pinned", code) for code in (0, 1))

    assert [*rendered(green, Verbosity.VERBOSE), *rendered(red, Verbosity.VERBOSE)] == [
        "  ✔ check passes with your version of the tests · 2s · DL-001: 2 and 3 give 5",
        "  ! check fails with your version of the tests · 2s · DL-001: 2 and 3 give 5",
    ]


def test_the_tests_as_the_user_wrote_them_are_told_apart_from_those_of_the_work() -> None:
    pinned = SuiteFinished(ran("pytest", "pinned", 0), (CaseCounts("unit", 3),), None, ())

    assert rendered(pinned, Verbosity.VERBOSE) == ["  ✔ your version of the tests: 3 passed · 2s"]


def test_every_criterion_has_a_line_with_its_grade_and_why_it_is_not_higher() -> None:
    lines = [*rendered(ADD_GRADED, Verbosity.VERBOSE), *rendered(DIVIDE_GRADED, Verbosity.VERBOSE)]

    assert lines == [
        "    proven: 2 and 3 give 5",
        "    self-tested: 1/0 is an error  the agent wrote the check",
        "    claimed: it is documented  its check passed before the work",
    ]
    assert rendered(SUITE_GRADED) == [
        "    graded self-tested: 1 test fails with your version of its file"
    ]


def test_a_pass_shows_its_grade_with_the_author_of_the_judge_or_the_reason() -> None:
    created = [DeliverableCreated(ADD), DeliverableCreated(POWER)]
    before = [checked(ADD, SUM, "before", 1), checked(POWER, SQUARE, "before", 1)]
    proven = rendered_last(*created, *before, ADD_GRADED, passed(ADD, "proven"))
    lower = rendered_last(*created, *before, POWER_GRADED, passed(POWER, "self-tested"), width=100)

    assert [*proven, *lower] == [
        "  [PASS] Add two numbers (DL-001)  proven by the specification",
        "  [PASS] Raise to a power (DL-004)"
        "  self-tested: it fails with your version of test_square.py",
    ]


LONG_REASON = (
    "your tests fail with the work: test_half, test_double, test_third and 7 more; the agent"
    " changed tests/test_it.py"
)


def test_a_long_reason_has_lines_of_its_own_and_is_never_cut() -> None:
    graded = replace(POWER_GRADED, why=LONG_REASON)
    created, before = DeliverableCreated(POWER), checked(POWER, SQUARE, "before", 1)
    deliverable = rendered_last(created, before, graded, passed(POWER, "self-tested"))
    tests = rendered(replace(SUITE_GRADED, why=LONG_REASON))

    assert [*deliverable, *tests] == [
        "  [PASS] Raise to a power (DL-004)  self-tested:",
        "      your tests fail with the work: test_half, test_double, test_third and 7",
        "    │ more; the agent changed tests/test_it.py",
        "    graded self-tested: your tests fail with the work: test_half, test_double,",
        "  │ test_third and 7 more; the agent changed tests/test_it.py",
    ]


def test_the_first_objections_of_the_tests_are_shown_and_the_others_counted() -> None:
    lines = rendered(SHUT)

    assert lines[0] == "  ✘ tests: 7 objections: 12 passed, 1 failed, 2 skipped · 1m 4s"
    assert [line for line in lines if line.startswith("    ✘ ")] == [
        "    ✘ test_divide fails now (tests/test_calc.py:12)",
        "    ✘ test_round is gone",
        "    ✘ test_slow is skipped now (tests/test_slow.py)",
        "    ✘ coverage",
        "    ✘ test_0 fails now",
    ]
    assert "    and 2 more" in lines


def test_unit_tests_alone_go_without_saying() -> None:
    suite = SuiteFinished(ran("pytest", "after", 0), (CaseCounts("unit", 3),), None, ())

    assert rendered(suite) == ["  ✔ tests: 3 passed · 2s"]


def test_what_the_work_changed_of_its_judges_comes_first_at_the_end() -> None:
    lines = rendered_last(
        STARTED, TOUCHED, OPEN, ended("all_passed", Tally(1, 0, 1)), level=Verbosity.QUIET
    )

    assert lines[4:11] == [
        "  ✘ 1 test failing at the end, as before the work: test_old",
        "  ! 1 test file removed: tests/test_old.py",
        "  ! changed tests, checks or their configuration: 2 files",
        "    removed tests/test_old.py (tests)",
        "    changed pyproject.toml (lint)",
        "  added tests: 1 file",
        "",
    ]


def test_added_tests_are_no_warning() -> None:
    files = (TouchedFile("test_tally.py", "tests", "added"), TouchedFile("ci.yml", "ci", "added"))
    green = replace(OPEN, evidence=ran("npm test", "after", 0), counts=(), known_red=())
    lines = rendered_last(
        STARTED, EvidenceTouched(files), green, ended("all_passed", Tally(1, 0, 1))
    )

    assert lines[4:7] == ["  added tests: 1 file", "  also added: ci.yml (ci)", ""]


def test_what_a_focus_run_leaves_to_a_person_is_named_at_the_end() -> None:
    focus = replace(STARTED, workflow="focus")
    events: list[Event] = [
        focus,
        BacklogSaved((".treadle/backlog/one.md", ".treadle/backlog/two.md")),
        IssueSaved(".treadle/spec-issues/x.md", "planner", "two answers"),
    ]
    lines = rendered_last(*events, ended("spec_issue", Tally()), level=Verbosity.QUIET)

    assert lines[2:8] == [
        "! Stopped: the specification needs a person",
        "",
        "  spec issue    .treadle/spec-issues/x.md",
        "  backlog       .treadle/backlog/one.md",
        "                .treadle/backlog/two.md",
        "  rounds        2 of at most 100",
    ]


def test_a_check_that_could_not_run_before_the_work_says_why() -> None:
    event = replace(
        checked(DIVIDE, WRITTEN, "before", 127), inconclusive="jq was not found (exit code 127)"
    )

    assert rendered(event, width=100) == [
        "  ! check could not run before the work · 2s · DL-002: it is documented",
        "    jq was not found (exit code 127)",
    ]
