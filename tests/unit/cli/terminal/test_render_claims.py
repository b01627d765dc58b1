"""The terminal claims no more than is known: lost proofs, refused claims, accepted failures."""

from dataclasses import replace

import pytest

from tests.unit.cli.rendered_events import rendered, rendered_last
from tests.unit.cli.sample_runs import PREPARED, STARTED, ended, recorded, state_after
from tests.unit.cli.sample_verified_runs import ADD, DIVIDE, PROVEN, SUM, WRITTEN, checked, ran
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions
from treadle.domain.deliverable import Tally
from treadle.domain.events.verification import CheckAdded, ClaimRefused, SuiteFinished
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.domain.suite_report import CaseCounts, SuiteObjection

OTHER = replace(SUM, command="make sum")
ADOPTED = StatusAdopted((PROVEN,), "earlier_run")


def test_a_pass_whose_check_is_another_now_is_summed_up_as_claimed() -> None:
    lines = rendered_last(
        STARTED,
        ADOPTED,
        CheckAdded(ADD.id, OTHER),
        checked(ADD, OTHER, "again", 0),
        ended("all_passed", Tally(1, 0, 1)),
    )

    assert "  deliverables  1 of 1 passed (claimed)" in lines


@pytest.mark.parametrize(
    ("before", "added", "line"),
    [
        (ADOPTED, CheckAdded(ADD.id, OTHER), "DL-001 has changed: make sum"),
        (
            ADOPTED,
            CheckAdded(ADD.id, SUM),
            "DL-001 must fail again first: python -m unittest test_add",
        ),
        (
            DeliverableCreated(DIVIDE),
            CheckAdded(DIVIDE.id, WRITTEN),
            "DL-002 is new: grep -q divide README.md",
        ),
    ],
)
def test_a_check_that_was_added_is_shown_with_what_it_means(
    before: StatusAdopted | DeliverableCreated, added: CheckAdded, line: str
) -> None:
    assert rendered_last(before, added) == [f"  check for {line}"]


def test_green_tests_of_which_one_was_let_go_are_not_shown_as_just_green() -> None:
    green = SuiteFinished(
        ran("pytest", "after", 0),
        (CaseCounts("unit", 3),),
        None,
        (),
        accepted=(SuiteObjection("removed", "test_round"),),
    )

    assert rendered(green) == ["  ✔ tests: 1 objection, accepted by a person: 3 passed · 2s"]


def test_a_claim_that_lacks_checks_is_shown_as_refused() -> None:
    assert rendered(ClaimRefused(DIVIDE.id, DIVIDE.description, 0, unchecked=2)) == [
        "  [PENDING] Divide, and say so (DL-002)  claim refused: 2 criteria have no check"
    ]


def test_no_command_is_offered_where_the_project_is_removed_after_the_run() -> None:
    [_, end] = recorded([STARTED, ended("all_passed", Tally(1, 0, 1))])
    state = state_after(STARTED, end.event)

    lines = render(end, state, RenderOptions(advice="left out"))

    assert [line for line in lines if "treadle " in line] == []
    assert render(end, state, RenderOptions())[: len(lines)] == lines


@pytest.mark.parametrize(
    ("workflow", "line"),
    [
        ("deliver", "branch treadle/calc-7c01d2e4 from main at 3b18e512"),
        ("focus", "branch treadle/calc-7c01d2e4 from main at 3b18e512"),
        ("sync", "judging main at 3b18e512"),
    ],
)
def test_a_run_whose_work_is_not_imported_announces_no_branch(workflow: str, line: str) -> None:
    assert rendered_last(replace(STARTED, workflow=workflow), PREPARED) == [line]
