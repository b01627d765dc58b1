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
    KeepRun,
    RetentionDecision,
    WorkFacts,
    decide_retention,
)
from treadle.domain.run_row import RunRow

OLD = NOON - timedelta(days=100)
LIMIT = NOON - timedelta(days=90)
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
UNREADABLE = KeepRun("its clone cannot be looked into")
UNASKED = KeepRun("its project cannot be asked")


@pytest.mark.parametrize(
    ("row", "facts", "disposal"),
    [
        (ROW, WorkFacts("merged", "imported"), DropRun("its work is in another branch")),
        (ROW, WorkFacts("merged", "none"), DropRun("its work is in another branch")),
        (ROW, WorkFacts("gone", "imported"), DropRun("its branch was deleted")),
        (ROW, WorkFacts("none", "imported"), DropRun("it brought no work")),
        (ROW, WorkFacts("none", "none"), DropRun("it brought no work")),
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
    assert decide_retention(row, facts, before=LIMIT) == disposal


@pytest.mark.parametrize("state", ["queued", "running", "paused", "waiting", "lost"])
def test_a_run_without_an_end_is_kept_whatever_else_is_true(state: RunState) -> None:
    row = replace(LANDED, state=state)

    assert decide_retention(row, WorkFacts("merged", "none"), before=LIMIT) == KeepRun(
        "it has not ended"
    )


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

    assert isinstance(decide_retention(row, WorkFacts("merged", "none"), before=LIMIT), kind)


def test_no_fact_that_is_unknown_or_holds_work_lets_anything_go() -> None:
    every = [
        WorkFacts(branch, clone)
        for branch, clone in product(get_args(BranchFact), get_args(CloneFact))
    ]
    dropped = [
        facts
        for facts in every
        if isinstance(decide_retention(LANDED, facts, before=LIMIT), DropRun)
    ]

    assert not {"unknown"} & {facts.branch for facts in dropped}
    assert {facts.clone for facts in dropped} == {"none", "imported"}
