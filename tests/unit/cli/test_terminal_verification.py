"""What Treadle found out about the work: how it is said, and what of it is remembered."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity
from treadle.domain.check import BeforeOutcome, Check
from treadle.domain.deliverable import Claim, Deliverable, Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import BacklogSaved, IssueSaved
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.verification import (
    CheckAdded,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
    TouchedFile,
)
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.domain.session import Completed
from treadle.domain.suite_report import CaseCounts
from treadle.views.deliverable_view import DeliverableView
from treadle.views.log_state import Phase, apply_event
from treadle.views.tally_text import tally_text, why_claimed

from .folded import remembered, shown
from .told_runs import COMMIT, STARTED, ended, recorded, session_ended
from .told_verification import (
    ADD,
    BASELINE,
    DIVIDE,
    ERROR,
    OPEN,
    SHUT,
    SUM,
    TOUCHED,
    WRITTEN,
    checked,
    claimed,
    passed,
    ran,
)


def of(*earlier_checks: BeforeOutcome) -> tuple[Check, ...]:
    return tuple(Check(f"c{n}", "true", before=each) for n, each in enumerate(earlier_checks))


@pytest.mark.parametrize(
    ("criteria", "checks", "why"),
    [
        ((), (), ""),  # an old log does not tell them
        (("c0",), (), "no check"),
        (("c0", "c1", "c2"), (), "none of 3 criteria has a check"),
        (("c0", "c1", "c2"), of("failed"), "2 of 3 criteria have no check"),
        (("c0", "c1"), of("passed"), "1 of 2 criteria has no check"),  # the graver of the two
        (("c0",), of("passed"), "its check passed before the work"),
        (("c0", "c1", "c2"), of("passed", "failed", ""), "1 of 3 checks passed before the work"),
        (("c0", "c1"), of("passed", "passed"), "all 2 checks passed before the work"),
        (("c0",), of(""), "its check was never seen to fail"),
        (("c0", "c1"), of("failed", ""), "1 of 2 checks was never seen to fail"),
        (("c0", "c1"), of("failed", "failed"), "its checks have not shown it yet"),
    ],
)
def test_a_claim_says_what_keeps_it_from_being_proven(
    criteria: Sequence[str], checks: Sequence[Check], why: str
) -> None:
    assert why_claimed(criteria, checks) == why


@pytest.mark.parametrize(
    ("tally", "proven", "words"),
    [
        (Tally(), 0, "none yet"),
        (Tally(0, 0, 2), 0, "0 of 2 passed, 2 pending"),
        (Tally(2, 0, 2), 0, "2 of 2 passed (claimed)"),
        (Tally(2, 0, 2), 2, "2 of 2 passed (proven)"),
        (Tally(4, 1, 6), 3, "4 of 6 passed (3 proven, 1 claimed), 1 blocked, 1 pending"),
    ],
)
def test_the_totals_keep_what_is_proven_apart_from_what_is_claimed(
    tally: Tally, proven: int, words: str
) -> None:
    assert tally_text(tally, proven=proven) == words


@pytest.mark.parametrize(
    ("event", "normal", "verbose"),
    [
        (checked(ADD, SUM, "after", 0), 0, 2),
        (checked(ADD, SUM, "again", 0), 0, 2),
        (checked(ADD, SUM, "before", 1), 0, 1),
        (checked(ADD, SUM, "before", 0), 2, 2),  # it shows nothing: a person should know at once
        (checked(ADD, SUM, "bisect", 1), 0, 1),
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
def test_what_speaks_for_the_work_is_told_when_asked_and_what_is_against_it_always(
    event: Event, normal: int, verbose: int
) -> None:
    lines = [
        len(shown(event, level)) for level in (Verbosity.QUIET, Verbosity.NORMAL, Verbosity.VERBOSE)
    ]

    assert lines == [0, normal, verbose]


def test_a_red_check_is_told_with_the_end_of_what_it_said() -> None:
    output = "\n".join(f"line {n}" for n in range(1, 31))

    assert shown(checked(ADD, SUM, "after", None, output)) == [
        "  ✘ check failed · out of time after 2s · DL-001: 2 and 3 give 5",
        "    $ python -m unittest test_add",
        *(f"    line {n}" for n in range(26, 31)),
    ]
    assert shown(checked(ADD, SUM, "after", 1, output), Verbosity.VERBOSE)[2] == "    line 11"


def test_a_check_that_passes_before_the_work_is_told_as_showing_nothing() -> None:
    assert shown(checked(DIVIDE, WRITTEN, "before", 0), width=100) == [
        "  ! check passes before the work, so it shows nothing · 2s · DL-002: it is documented",
        "    $ grep -q divide README.md",
    ]


def test_a_regression_names_the_round_that_broke_it_if_that_is_known() -> None:
    found = RegressionFound(ADD.id, SUM.criterion, 4)

    assert [*shown(found), *shown(replace(found, round=None))] == [
        "  ✘ broken in round 4 · it had been shown before · DL-001: 2 and 3 give 5",
        "  ✘ broken · it had been shown before · DL-001: 2 and 3 give 5",
    ]


def test_the_first_objections_of_the_tests_are_told_and_the_others_counted() -> None:
    lines = shown(SHUT)

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

    assert shown(suite) == ["  ✔ tests: 3 passed · 2s"]


def test_what_the_work_changed_of_its_judges_comes_first_at_the_end() -> None:
    story = remembered(STARTED, TOUCHED, OPEN)
    [*_, end] = recorded([STARTED, TOUCHED, OPEN, ended("all_passed", Tally(1, 0, 1))])

    lines = render(end, apply_event(story, end), RenderOptions(Verbosity.QUIET))

    assert lines[4:9] == [
        "  ! changed what judges the work: 3 files",
        "    removed tests/test_old.py (tests)",
        "    changed pyproject.toml (lint)",
        "    added tests/test_add.py (tests)",
        "",
    ]


def test_what_was_touched_is_told_for_the_whole_work_so_the_last_word_counts() -> None:
    again = EvidenceTouched((TouchedFile("pyproject.toml", "lint", "removed"),))

    assert remembered(TOUCHED, again).verified.touched == again.files


def test_the_run_of_the_tests_before_the_work_is_no_result() -> None:
    assert remembered(BASELINE).verified.suite is None
    assert remembered(BASELINE, OPEN).verified.suite == OPEN


def test_what_was_seen_of_a_check_before_the_work_is_remembered() -> None:
    story = remembered(
        DeliverableCreated(DIVIDE),
        CheckAdded(DIVIDE.id, WRITTEN),
        checked(DIVIDE, ERROR, "before", 1),
        checked(DIVIDE, WRITTEN, "before", 0),
        passed(DIVIDE),
    )

    [standing] = story.deliverables
    assert standing.checks == (replace(ERROR, before="failed"), replace(WRITTEN, before="passed"))
    assert standing.remark == "claimed: 1 of 2 checks passed before the work"


UNPASSED = DeliverableChanged(ADD.id, ADD.description, "passed", "pending")
RED = checked(ADD, SUM, "after", 1)
GREEN = checked(ADD, SUM, "after", 0)
BROKEN = RegressionFound(ADD.id, SUM.criterion, 2)


@pytest.mark.parametrize(
    ("events", "remark"),
    [
        ([], ""),
        ([RED], "red: python -m unittest test_add"),
        ([RED, GREEN], ""),
        ([RED, passed(ADD)], "proven"),
        ([passed(ADD), checked(ADD, SUM, "again", 1), BROKEN, UNPASSED], "broken in round 2"),
        ([passed(ADD), UNPASSED, replace(BROKEN, round=None)], "broken again"),
        ([checked(ADD, SUM, "bisect", 1)], ""),
        ([checked(replace(ADD, id="DL-404"), SUM, "after", 1)], ""),
    ],
)
def test_what_is_against_a_deliverable_stands_beside_it_until_it_passes(
    events: list[Event], remark: str
) -> None:
    [standing] = remembered(DeliverableCreated(ADD), *events).deliverables

    assert standing.remark == remark


def test_a_persons_own_pass_in_an_old_log_is_taken_at_their_word() -> None:
    own = Deliverable("DL-001", "One", ("a",), "passed")
    other = replace(own, id="DL-002", claim=Claim(COMMIT))

    assert remembered(StatusAdopted((own, other), "hand_edit")).deliverables == (
        DeliverableView("DL-001", "One", "passed", None, ("a",)),
        DeliverableView("DL-002", "One", "passed", "claimed", ("a",)),
    )


@pytest.mark.parametrize(
    ("events", "phase"),
    [
        ([session_ended(Completed("x"))], "between rounds"),
        ([claimed(ADD), session_ended(Completed("x"))], "checking"),
        (
            [claimed(ADD), RoundStarted(2, "coding"), session_ended(Completed("x"))],
            "between rounds",
        ),
        ([session_ended(Completed("x")), GREEN], "checking"),
        ([session_ended(Completed("x")), OPEN], "checking"),
        ([GREEN, RoundStarted(2, "coding")], "starting"),
    ],
)
def test_while_checks_run_the_live_line_says_so(events: list[Event], phase: Phase) -> None:
    assert remembered(*events).phase == phase


def test_what_a_focus_run_leaves_to_a_person_is_named_at_the_end() -> None:
    focus = replace(STARTED, workflow="focus")
    events: list[Event] = [
        focus,
        BacklogSaved((".treadle/backlog/one.md", ".treadle/backlog/two.md")),
        IssueSaved(".treadle/spec-issues/x.md", "planner", "two answers"),
    ]
    [*_, end] = recorded([*events, ended("spec_issue", Tally())])

    lines = render(end, apply_event(remembered(*events), end), RenderOptions(Verbosity.QUIET))

    assert lines[2:8] == [
        "! Stopped: the specification needs a person (spec_issue)",
        "",
        "  spec issue    .treadle/spec-issues/x.md",
        "  backlog       .treadle/backlog/one.md",
        "                .treadle/backlog/two.md",
        "  rounds        2 of at most 100",
    ]
