"""What a `sync` run does next: checks first, one session that judges, then the end."""

from datetime import UTC, datetime
from typing import Any

import pytest

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.domain.session import (
    Completed,
    ExecutionError,
    MaxTurns,
    QuotaExceeded,
    SandboxError,
)
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
    WaitForQuota,
)
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.stuck import RoundFacts
from treadle.workflows.sync.next_action import decide_next

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=9, max_retries=3)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
QUOTA = QuotaExceeded("later", SIX)
OVERLOADED = ExecutionError("overloaded", "retryable")
JUDGE = RunSession("sync")
SHOWN: dict[str, Any] = {"provable": True, "worked_since": False}
KEPT_OUT = RoundFacts(1, "tree", Tally(), "criteria", ended="kept_out")


def facts(sessions: int) -> tuple[RoundFacts, ...]:
    """Of a leg that has had so many sessions."""
    return tuple(RoundFacts(n, f"tree {n}", Tally(), "criteria") for n in range(sessions + 1))


@pytest.mark.parametrize(
    ("known", "wait", "step"),
    [
        pytest.param({"provable": True}, False, Reverify(), id="checks first"),
        pytest.param({}, False, JUDGE, id="nothing has a check"),
        pytest.param(SHOWN, False, JUDGE, id="checks were run"),
        pytest.param(
            {**SHOWN, "rounds": 1, "history": facts(1), "last": Completed("")},
            False,
            StopRun("synced"),
            id="judged",
        ),
        pytest.param(
            {"rounds": 1, "history": facts(1), "last": MaxTurns(9)}, False, JUDGE, id="cut short"
        ),
        pytest.param(
            {"rounds": 3, "history": facts(0), "provable": True}, False, Reverify(), id="resumed"
        ),
        pytest.param(
            {**SHOWN, "rounds": 3, "history": facts(0)}, False, JUDGE, id="resumed, checks were run"
        ),
        pytest.param(
            {"history": (*facts(2), KEPT_OUT, KEPT_OUT), "last": OVERLOADED},
            False,
            JUDGE,
            id="a session that could not work is not counted",
        ),
        pytest.param(
            {"rounds": 3, "history": facts(3), "last": MaxTurns(9)},
            False,
            StopRun("max_iterations", "3 sessions did not finish"),
            id="cut short again and again",
        ),
        pytest.param(
            {"rounds": 1, "last": OVERLOADED, "consecutive_errors": 1}, False, JUDGE, id="failed"
        ),
        pytest.param(
            {"last": QUOTA, "provable": True, "worked_since": True},
            True,
            WaitForQuota(SIX, "later"),
            id="quota, waiting",
        ),
        pytest.param({"last": QUOTA}, False, StopRun("quota_exceeded", "later"), id="quota"),
        pytest.param({"stopping": "cancelled"}, False, StopRun("cancelled"), id="cancelled"),
        pytest.param({"cost_usd": 5.0}, False, "budget_exceeded", id="budget"),
        pytest.param({"last": SandboxError("leaks")}, False, StopRun("sandbox_error", "leaks")),
    ],
)
def test_a_sync_run_judges_once_behind_its_checks(
    known: dict[str, Any], wait: bool, step: NextAction | str
) -> None:
    decided = decide_next(RunProgress(**known), DecisionRules(LIMITS, wait_for_quota=wait))

    assert (
        decided.reason if isinstance(decided, StopRun) and isinstance(step, str) else decided
    ) == (step)
