"""The facts that a summary lists, as values that any surface can draw."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_runs import BRANCH, COMMIT, STARTED, ended, state_after
from tests.unit.cli.sample_verified_runs import SHUT
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import WorkImported, WorkKept, WorkLanded
from treadle.views.run_facts import CommandFact, Fact, ObjectionFacts, RunFact, summary_facts

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
                Fact("work", "not merged: the tests do not pass", "warning"),
                Fact("branch", f"{BRANCH} (2 commits)"),
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
    ("workflow", "tally", "listed"),
    [
        ("deliver", Tally(), ["none yet"]),
        ("sync", Tally(), ["none yet"]),
        ("focus", Tally(), []),
        ("focus", Tally(0, 0, 2), ["0 of 2 passed, 2 pending"]),
    ],
)
def test_a_run_without_deliverables_lists_them_only_if_its_workflow_makes_some(
    workflow: str, tally: Tally, listed: list[str]
) -> None:
    state = state_after(replace(STARTED, workflow=workflow))

    facts = summary_facts(ended("interrupted", tally).result, state)

    assert [
        each.text for each in facts if isinstance(each, Fact) and each.label == "deliverables"
    ] == listed
