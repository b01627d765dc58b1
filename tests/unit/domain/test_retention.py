"""What may be cleaned away: nothing that could hold work which is nowhere else."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import get_args

import pytest

from tests.builders import NOON, RUN
from treadle.domain.lifecycle import RunState
from treadle.domain.retention import (
    BranchFact,
    CloneFact,
    DropRun,
    DropWork,
    KeepRun,
    RetentionDecision,
    RetentionLimits,
    WorkFacts,
    decide_forced,
    decide_retention,
)
from treadle.domain.run_row import RunRow

OLD = NOON - timedelta(days=100)
LIMIT = NOON - timedelta(days=90)
LIMITS = RetentionLimits(LIMIT, LIMIT)
ROW = RunRow(
    id=RUN,
    workflow="deliver",
    project_path="/project",
    project_key="key",
    state="ended",
    reason="stuck",
    sandbox="unsandboxed",
    rehearsal=0,
    planned="",
    started_at=OLD.isoformat(),
    ended_at=OLD.isoformat(),
    rounds=1,
    passed=0,
    blocked=0,
    total=1,
    cost_usd=0.0,
    branch="treadle/work",
    snapshot="s",
    landed="",
)
LANDED = replace(ROW, state="succeeded", landed="c0ffee")
HOLDS = KeepRun("its clone holds work that is nowhere else")
EVERY_FACT = tuple(product(get_args(BranchFact), get_args(CloneFact)))
GONE = KeepRun("treadle/work was deleted, and its work is not found elsewhere")
UNREADABLE = KeepRun("its clone cannot be read")
UNASKED = KeepRun("its project cannot be read")


@pytest.mark.parametrize(
    ("row", "facts", "disposal"),
    [
        (ROW, WorkFacts("merged", "imported"), DropRun("its work is in another branch")),
        (ROW, WorkFacts("merged", "none"), DropRun("its work is in another branch")),
        (ROW, WorkFacts("pushed", "imported"), DropRun("its work was pushed")),
        (ROW, WorkFacts("squashed", "imported"), DropRun("another branch has its changes")),
        (ROW, WorkFacts("gone", "imported"), GONE),
        (LANDED, WorkFacts("gone", "imported"), DropRun("its work has landed")),
        (ROW, WorkFacts("none", "imported"), DropRun("it made no commits")),
        (ROW, WorkFacts("none", "none"), DropRun("it made no commits")),
        (ROW, WorkFacts("unmerged", "imported"), KeepRun("treadle/work is not merged")),
        (LANDED, WorkFacts("unmerged", "imported"), DropRun("its work has landed")),
        (LANDED, WorkFacts("unmerged", "holds work"), HOLDS),
        (ROW, WorkFacts("merged", "holds work"), HOLDS),
        (ROW, WorkFacts("gone", "holds work"), HOLDS),
        (LANDED, WorkFacts("merged", "unknown"), UNREADABLE),
        (LANDED, WorkFacts("unknown", "imported"), UNASKED),
        (LANDED, WorkFacts("unknown", "none"), UNASKED),
    ],
)
def test_a_run_goes_only_when_its_work_is_elsewhere_or_unwanted(
    row: RunRow, facts: WorkFacts, disposal: RetentionDecision
) -> None:
    assert decide_retention(row, facts, LIMITS) == disposal


@pytest.mark.parametrize("state", ["queued", "running", "paused", "waiting", "lost"])
def test_a_run_without_an_end_is_kept_whatever_else_is_true(state: RunState) -> None:
    row = replace(LANDED, state=state)

    assert decide_retention(row, WorkFacts("merged", "none"), LIMITS) == KeepRun("it has not ended")


@pytest.mark.parametrize(
    ("ended", "kind"),
    [
        (LIMIT - timedelta(seconds=1), DropRun),
        (LIMIT, KeepRun),
        (LIMIT + timedelta(seconds=1), KeepRun),
    ],
)
def test_only_what_ended_long_enough_ago_goes(ended: object, kind: type) -> None:
    row = replace(LANDED, ended_at=str(ended))

    assert isinstance(decide_retention(row, WorkFacts("merged", "none"), LIMITS), kind)


def test_no_fact_that_is_unknown_or_holds_work_lets_anything_go() -> None:
    every = [WorkFacts(branch, clone) for branch, clone in EVERY_FACT]
    dropped = [
        facts for facts in every if isinstance(decide_retention(LANDED, facts, LIMITS), DropRun)
    ]

    assert not {"unknown"} & {facts.branch for facts in dropped}
    assert {facts.clone for facts in dropped} == {"none", "imported"}


@pytest.mark.parametrize(
    ("age", "disposal"),
    [
        (timedelta(0), DropRun("its backup has expired", expired=True)),
        (timedelta(days=11), KeepRun("`treadle undo` can still restore what was removed")),
    ],
)
@pytest.mark.parametrize("branch", ["gone", "none", "unmerged", "merged"])
def test_what_was_backed_up_stays_until_its_own_time_is_over(
    age: timedelta, disposal: RetentionDecision, branch: BranchFact
) -> None:
    facts = WorkFacts(branch, "none", OLD + age)

    assert decide_retention(ROW, facts, LIMITS) == disposal
    assert decide_forced(ROW, facts, LIMITS) == disposal


@pytest.mark.parametrize("facts", [WorkFacts(b, c) for b, c in EVERY_FACT])
def test_force_drops_only_work_that_can_be_backed_up(facts: WorkFacts) -> None:
    decision = decide_retention(ROW, facts, LIMITS)
    forced = decide_forced(ROW, facts, LIMITS)

    if isinstance(decision, DropRun) or "unknown" in (facts.branch, facts.clone):
        assert forced == decision
    else:
        assert forced == DropWork(decision.reason)


@pytest.mark.parametrize("state", ["queued", "running", "paused", "waiting", "lost"])
def test_force_leaves_a_run_that_has_not_ended(state: RunState) -> None:
    row, facts = replace(ROW, state=state), WorkFacts("unmerged", "holds work")

    assert decide_forced(row, facts, LIMITS) == KeepRun("it has not ended")


def test_force_leaves_a_run_that_ended_a_short_time_ago() -> None:
    row, facts = replace(ROW, ended_at=NOON.isoformat()), WorkFacts("unmerged", "holds work")

    assert decide_forced(row, facts, LIMITS) == KeepRun("it ended too recently")
