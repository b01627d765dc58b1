"""The facts that a summary lists, as values that any surface can draw."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_runs import BRANCH, COMMIT, STARTED, ended, state_after
from tests.unit.cli.sample_verified_runs import (
    ADD,
    ADD_GRADED,
    POWER,
    POWER_GRADED,
    PROVEN,
    ROUND,
    SHUT,
    SQUARE,
    SUM,
    checked,
    passed,
)
from treadle.domain.deliverable import Claim, Deliverable, Tally, tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import (
    DeliverableCreated,
    StatusAdopted,
    WorkImported,
    WorkKept,
    WorkLanded,
)
from treadle.views.facts import CommandFact, Fact, ObjectionFacts, RunFact
from treadle.views.run_facts import summary_facts

END = ended("all_passed", Tally(1, 0, 1))
MERGE = f"git merge --ff-only {BRANCH}"


@pytest.mark.parametrize(
    ("events", "facts"),
    [
        ([], [Fact("work", "no commits")]),
        ([WorkImported(BRANCH, COMMIT, 3)], [Fact("work", f"3 commits on {BRANCH}")]),
        (
            [WorkImported(BRANCH, COMMIT, 1), WorkLanded(BRANCH, COMMIT)],
            [
                Fact("work", "landed in your checkout: 1 commit at 9fceb02d", "good"),
                Fact("branch", BRANCH),
            ],
        ),
        (
            [WorkLanded(BRANCH, COMMIT, "files")],
            [
                Fact("work", "landed in your checkout as uncommitted changes", "good"),
                Fact("branch", BRANCH),
            ],
        ),
        (
            [WorkImported(BRANCH, COMMIT, 2), WorkKept(BRANCH, "the tests do not pass", MERGE)],
            [
                Fact("work", "2 commits, not merged: the tests do not pass", "warning"),
                Fact("branch", BRANCH),
                CommandFact("to merge", MERGE),
            ],
        ),
    ],
)
def test_the_summary_says_where_the_work_is(events: list[Event], facts: list[RunFact]) -> None:
    assert summary_facts(END.result, state_after(STARTED, *events)) == [
        Fact("deliverables", "1 of 1 passed (claimed)"),
        Fact("rounds", "2 of at most 100"),
        Fact("cost", "$0.42"),
        Fact("time", "1h 1m 1s"),
        *facts,
    ]


def test_what_the_tests_object_to_follows_their_verdict() -> None:
    facts = summary_facts(END.result, state_after(STARTED, SHUT))

    assert facts[1] == Fact("tests", "7 objections: 12 passed, 1 failed, 2 skipped", "bad")
    assert facts[3] == ObjectionFacts(SHUT.objections)


@pytest.mark.parametrize(
    ("workflow", "counts", "listed"),
    [
        ("deliver", Tally(), ["none yet"]),
        ("sync", Tally(), ["none yet"]),
        ("focus", Tally(), []),
        ("focus", Tally(0, 0, 2), ["0 of 2 passed, 2 pending"]),
    ],
)
def test_a_run_without_deliverables_lists_them_only_if_its_workflow_makes_some(
    workflow: str, counts: Tally, listed: list[str]
) -> None:
    state = state_after(replace(STARTED, workflow=workflow))

    facts = summary_facts(ended("interrupted", counts).result, state)

    assert [
        each.text for each in facts if isinstance(each, Fact) and each.label == "deliverables"
    ] == listed


def unchecked(name: str, *criteria: str) -> Deliverable:
    return Deliverable(name, "x", criteria, "passed", Claim(COMMIT), proof="claimed")


@pytest.mark.parametrize(
    ("deliverables", "facts"),
    [
        ([PROVEN], []),
        ([unchecked("DL-2", "It is fast")], [Fact("look at", "DL-2: It is fast")]),
        # A criterion that has a check is none of them, nor is what has not passed.
        (
            [
                replace(PROVEN, acceptance_criteria=("2 and 3 give 5", "It is small")),
                replace(unchecked("DL-3", "It is new"), status="pending", claim=None, proof=None),
                unchecked("DL-2", "It is fast"),
            ],
            [Fact("look at", "DL-001: It is small"), Fact("", "DL-2: It is fast")],
        ),
        (
            [unchecked("DL-2", *(f"Point {n}" for n in range(7)))],
            [
                Fact("look at", "DL-2: Point 0"),
                *(Fact("", f"DL-2: Point {n}") for n in range(1, 5)),
                Fact("", "and 2 more without a check"),
            ],
        ),
        ([unchecked("DL-2", "It \x1b[2Jclears")], [Fact("look at", "DL-2: It clears")]),
    ],
)
def test_criteria_without_a_check_are_for_a_person_to_look_at(
    deliverables: list[Deliverable], facts: list[Fact]
) -> None:
    state = state_after(STARTED, StatusAdopted(tuple(deliverables), "earlier_run"))

    found = summary_facts(ended("all_passed", tally(deliverables)).result, state)

    assert found[1 : 1 + len(facts)] == facts
    assert found[1 + len(facts)] == Fact("rounds", "2 of at most 100")


def test_the_grades_of_the_deliverables_are_counted() -> None:
    grades: list[Event] = [
        ADD_GRADED,
        passed(ADD, "proven"),
        POWER_GRADED,
        passed(POWER, "self-tested"),
    ]
    created = [DeliverableCreated(each) for each in (ADD, POWER, ROUND)]
    before = [checked(ADD, SUM, "before", 1), checked(POWER, SQUARE, "before", 1)]
    state = state_after(STARTED, *created, *before, *grades, passed(ROUND))

    facts = summary_facts(ended("all_passed", Tally(3, 0, 3)).result, state)

    assert facts[0] == Fact("deliverables", "3 of 3 passed (1 proven, 1 self-tested, 1 claimed)")
