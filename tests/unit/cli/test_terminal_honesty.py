"""The screen says no more than is known: lost proofs, tests that were let fail, dead ends."""

from dataclasses import replace

import pytest

from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions
from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.deliverable import Claim, Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked
from treadle.domain.events.verification import CheckAdded, ClaimRefused, SuiteFinished
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.domain.run import ExitReason
from treadle.domain.suite_report import CaseCounts, SuiteObjection
from treadle.views.deliverable_view import DeliverableView
from treadle.views.log_state import apply_event
from treadle.views.next_steps import next_steps

from .folded import remembered, shown
from .told_runs import COMMIT, PREPARED, RUN, START, STARTED, ended, recorded
from .told_verification import ADD, DIVIDE, NEW, OPEN, SUM, WRITTEN, checked, passed, ran

PROVEN = replace(
    ADD,
    status="passed",
    claim=Claim(COMMIT),
    checks=(replace(SUM, before="failed"),),
    proof="proven",
)
OTHER = replace(SUM, command="make sum")


def test_a_pass_is_not_proven_any_more_once_its_check_is_another() -> None:
    proven = StatusAdopted((PROVEN,), "earlier_run")
    told: list[Event] = [
        STARTED,
        proven,
        CheckAdded(ADD.id, OTHER),
        checked(ADD, OTHER, "again", 0),
    ]
    [*_, added, _, end] = recorded([*told, ended("all_passed", Tally(1, 0, 1))])
    story = remembered(*told)

    assert [each.remark for each in remembered(STARTED, proven).deliverables] == ["proven"]
    assert story.deliverables == (
        DeliverableView(
            ADD.id, ADD.description, "passed", "claimed", ADD.acceptance_criteria, (OTHER,)
        ),
    )
    assert "  deliverables  1 of 1 passed (claimed)" in render(
        end, apply_event(story, end), RenderOptions()
    )
    assert render(added, story, RenderOptions()) == ["  check for DL-001 is another now: make sum"]


def test_a_check_whose_files_the_work_changed_is_told_as_one_to_be_seen_anew() -> None:
    told: list[Event] = [StatusAdopted((PROVEN,), "earlier_run"), CheckAdded(ADD.id, SUM)]
    [_, doubted] = recorded(told)
    story = remembered(*told)

    assert [each.remark for each in story.deliverables] == [
        "claimed: its check was never seen to fail"
    ]
    assert render(doubted, story, RenderOptions()) == [
        "  check for DL-001 must be seen to fail anew: python -m unittest test_add"
    ]


def test_a_check_that_a_criterion_had_none_of_is_told_as_new() -> None:
    told: list[Event] = [DeliverableCreated(DIVIDE), CheckAdded(DIVIDE.id, WRITTEN)]
    [_, added] = recorded(told)

    assert render(added, remembered(*told), RenderOptions()) == [
        "  check for DL-002 is new: grep -q divide README.md"
    ]


ASKED = make_approval(
    ApprovalQuestion("failing_tests", "May they fail?", "test_divide", "h"),
    run=RUN,
    step="ask",
    now=START,
)
ANN = ApprovalAnswered(ASKED.id, "approved", "ann")
OLD = replace(OPEN, known_red=(), flaky=())


@pytest.mark.parametrize(
    ("suite", "events", "verdict"),
    [
        (replace(OLD, accepted=(NEW,)), [ANN], "1 new red, accepted by ann"),
        (replace(OLD, accepted=(NEW,)), [], "1 new red, accepted by a person"),
        (
            replace(OLD, accepted=(NEW, SuiteObjection("removed", "test_round"))),
            [ANN],
            "2 objections, accepted by ann",
        ),
        (
            replace(OLD, accepted=(NEW,), objections=(NEW,)),
            [ANN],
            "1 objection, and 1 new red, accepted by ann",
        ),
        (OLD, [ANN], "no new red"),
        (replace(OLD, accepted=(NEW,)), [replace(ANN, verdict="denied")], "1 new red, accepted by"),
    ],
)
def test_what_a_person_let_fail_is_told_with_their_name(
    suite: SuiteFinished, events: list[Event], verdict: str
) -> None:
    told = [STARTED, ApprovalAsked(ASKED), *events, suite]
    story = remembered(*told)
    [*_, ran_tests, end] = recorded([*told, ended("all_passed", Tally(1, 0, 1))])

    [line] = [
        each
        for each in render(end, apply_event(story, end), RenderOptions())
        if "  tests  " in each
    ]

    assert line.startswith(f"  tests         {verdict}")
    assert f" tests: {verdict}" in render(ran_tests, story, RenderOptions())[0]


def test_green_tests_of_which_one_was_let_go_are_not_told_as_just_green() -> None:
    green = SuiteFinished(
        ran("pytest", "after", 0),
        (CaseCounts("unit", 3),),
        None,
        (),
        accepted=(SuiteObjection("removed", "test_round"),),
    )

    assert shown(green) == ["  ✔ tests: 1 objection, accepted by a person: 3 passed · 2s"]


UNCHECKED = ClaimRefused(DIVIDE.id, DIVIDE.description, 0, unchecked=1)


@pytest.mark.parametrize(
    ("reason", "events", "commands"),
    [
        ("stuck", [UNCHECKED], ["treadle check add DL-002 2 -- …", "treadle logs"]),
        ("max_iterations", [UNCHECKED], ["treadle check add DL-002 2 -- …", "treadle resume"]),
        ("stuck", [UNCHECKED, CheckAdded(DIVIDE.id, WRITTEN)], ["treadle logs", "treadle retry"]),
        ("stuck", [replace(UNCHECKED, unchecked=0)], ["treadle logs", "treadle retry"]),
        ("stuck", [UNCHECKED, passed(DIVIDE)], ["treadle logs", "treadle retry"]),
        ("interrupted", [UNCHECKED], ["treadle resume", "treadle show"]),
        ("synced", [], ["treadle deliver", "treadle status"]),
        ("synced", [passed(DIVIDE)], ["treadle status", "treadle show"]),
    ],
)
def test_what_to_type_next_begins_with_what_the_run_could_not_do(
    reason: ExitReason, events: list[Event], commands: list[str]
) -> None:
    story = remembered(DeliverableCreated(DIVIDE), *events)

    typed = [command for command, _ in next_steps(reason, RUN, story)]

    assert [each.removesuffix(f" {RUN[-8:]}").partition(" 7c01")[0] for each in typed][:2] == (
        commands
    )


def test_a_claim_that_lacks_checks_is_told_as_refused() -> None:
    assert shown(replace(UNCHECKED, unchecked=2)) == [
        "  [PENDING] Divide, and say so (DL-002)  claim refused: 2 criteria have no check"
    ]


def test_where_the_project_is_gone_right_afterwards_nothing_is_to_be_typed() -> None:
    [_, end] = recorded([STARTED, ended("all_passed", Tally(1, 0, 1))])
    story = apply_event(remembered(STARTED), end)

    lines = render(end, story, RenderOptions(advice="left out"))

    assert [line for line in lines if "treadle " in line] == []
    assert render(end, story, RenderOptions())[: len(lines)] == lines


@pytest.mark.parametrize(
    ("workflow", "line"),
    [
        ("deliver", "branch treadle/calc-7c01d2e4 from main at 3b18e512"),
        ("sync", "judging main at 3b18e512"),
    ],
)
def test_a_run_that_brings_nothing_home_announces_no_branch(workflow: str, line: str) -> None:
    story = remembered(replace(STARTED, workflow=workflow), PREPARED)
    [_, prepared] = recorded([STARTED, PREPARED])

    assert render(prepared, story, RenderOptions()) == [line]
