"""How a run resumes: which settings are replaced, and when limits leave room for more."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from tests.builders import RUN, RUN_LIMITS
from treadle.domain.deliverable import Tally
from treadle.domain.errors import UsageError
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.domain.usage import Usage
from treadle.runs.resume import ResumeRequest, _refuse_exhausted, _updated_request
from treadle.workflows.loop.run_history import RunHistory

ROW = RunRow(
    id=RUN,
    workflow="deliver",
    project_path="/project",
    project_key="key",
    state="ended",
    reason="max_iterations",
    sandbox="unsandboxed",
    rehearsal=1,
    planned="",
    started_at="",
    ended_at="",
    rounds=3,
    passed=0,
    blocked=0,
    total=1,
    cost_usd=2.0,
    branch="",
    snapshot="",
    landed="",
)
REQUEST = RunRequest(
    run=RUN,
    project_dir="/project",
    flags={"limits.max_iterations": 3, "agent.model": "sonnet"},
    no_sandbox=False,
    rehearsal=True,
)
LIMITS = replace(RUN_LIMITS, max_cost_usd=10.0, max_minutes=60.0, max_iterations=3)
NOTHING = {"limits.max_iterations": None, "quota.wait": None}


def resume_request(
    *, by: Literal["resume", "retry"] = "resume", no_sandbox: bool = False, **said: Any
) -> ResumeRequest:
    flags = {name.replace("__", "."): value for name, value in said.items()}
    return ResumeRequest(ROW, by, {**NOTHING, **flags}, no_sandbox)


def ended(reason: ExitReason = "max_iterations", **figures: Any) -> RunResult:
    result = RunResult(reason, 3, Tally(total=1), 2.0, Usage(), 600.0, "the limit is 3 rounds")
    return replace(result, **figures)


LOST, SECOND_LOST = RunHistory(leg=1), RunHistory(leg=2)
ENDED, SECOND_ENDED = RunHistory(leg=1, result=ended()), RunHistory(leg=2, result=ended())


@pytest.mark.parametrize(
    ("asked", "said", "known", "changes"),
    [
        # one that lost its process goes on with the leg that it is in
        (REQUEST, resume_request(), LOST, {}),
        (REQUEST, resume_request(), SECOND_LOST, {"leg": 2}),
        (
            replace(REQUEST, leg=2, so_far=ended()),
            resume_request(),
            SECOND_LOST,
            {"leg": 2, "so_far": ended()},
        ),
        # one that ended has another leg, which knows how the last one ended
        (REQUEST, resume_request(), ENDED, {"leg": 2, "so_far": ended()}),
        (REQUEST, resume_request(by="retry"), ENDED, {"leg": 2, "so_far": ended()}),
        (replace(REQUEST, leg=2), resume_request(), SECOND_ENDED, {"leg": 3, "so_far": ended()}),
        # somebody asked before, and died over it
        (
            replace(REQUEST, leg=2, so_far=ended()),
            resume_request(),
            ENDED,
            {"leg": 2, "so_far": ended()},
        ),
        # what is said anew counts; what is not said stays
        (
            REQUEST,
            resume_request(limits__max_iterations=9, quota__wait=False),
            LOST,
            {
                "flags": {
                    "limits.max_iterations": 9,
                    "agent.model": "sonnet",
                    "quota.wait": False,
                }
            },
        ),
        # without a sandbox once is without a sandbox for good
        (REQUEST, resume_request(no_sandbox=True), LOST, {"no_sandbox": True}),
        (replace(REQUEST, no_sandbox=True), resume_request(), LOST, {"no_sandbox": True}),
    ],
)
def test_what_is_asked_for_when_a_run_goes_on(
    asked: RunRequest, said: ResumeRequest, known: RunHistory, changes: dict[str, Any]
) -> None:
    assert _updated_request(asked, said, known) == replace(REQUEST, **changes)


MORE_ROUNDS = "raise the limit: treadle resume 9abcdef0 -n 6"
MORE_MONEY = "raise the limit: treadle resume 9abcdef0 --max-cost 20"
MORE_TIME = "raise the limit: treadle resume 9abcdef0 --max-minutes 120"


@pytest.mark.parametrize(
    ("result", "hint"),
    [
        (ended("all_passed"), "see what it changed with `treadle diff 9abcdef0`"),
        (ended("max_iterations", rounds=3), MORE_ROUNDS),
        (ended("max_iterations", rounds=7), MORE_ROUNDS),
        (ended("budget_exceeded", cost_usd=10.0), MORE_MONEY),
        (ended("budget_exceeded", cost_usd=10.2), MORE_MONEY),
        (ended("time_exceeded", duration_s=3600.0), MORE_TIME),
    ],
)
def test_a_run_that_is_done_or_has_used_all_it_may_does_not_go_on(
    result: RunResult, hint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        _refuse_exhausted(resume_request(), RunHistory(result=result), LIMITS)

    done = result.succeeded
    used = "run 9abcdef0 has reached its limit: the limit is 3 rounds"
    assert refused.value.message == ("run 9abcdef0 is done" if done else used)
    assert refused.value.hint == hint


@pytest.mark.parametrize(
    "known",
    [
        LOST,
        # raised, or used by other runs: there is room again
        RunHistory(result=ended("max_iterations", rounds=2)),
        RunHistory(result=ended("budget_exceeded", cost_usd=9.99)),
        RunHistory(result=ended("time_exceeded", duration_s=3599.9)),
        # not ended by a limit that a number could raise
        *(
            RunHistory(result=ended(reason, rounds=3, cost_usd=11.0, duration_s=4000.0))
            for reason in (
                "interrupted",
                "cancelled",
                "quota_exceeded",
                "authentication",
                "all_blocked",
                "max_retries_exceeded",
                "stuck",
                "hung",
                "error",
            )
        ),
    ],
)
def test_any_other_run_goes_on(known: RunHistory) -> None:
    _refuse_exhausted(resume_request(), known, LIMITS)


@pytest.mark.parametrize(
    "result", [ended("spec_issue"), ended("time_exceeded", duration_s=36_000.0)]
)
def test_a_queue_goes_on_and_counts_by_itself(result: RunResult) -> None:
    queue = replace(resume_request(), row=replace(ROW, workflow="auto"))

    _refuse_exhausted(queue, RunHistory(result=result), LIMITS)


def test_a_retry_is_told_to_retry() -> None:
    with pytest.raises(UsageError) as refused:
        _refuse_exhausted(resume_request(by="retry"), ENDED, LIMITS)

    assert refused.value.hint == "raise the limit: treadle retry 9abcdef0 -n 6"
