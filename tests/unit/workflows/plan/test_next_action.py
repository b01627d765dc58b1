"""What a planning session does next, and which notes it still has to apply."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.builders import RUN
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.plan import NoteApplied, NoteSubmitted
from treadle.domain.limits import RunLimits
from treadle.domain.session import Completed, Crashed, QuotaExceeded, SandboxError
from treadle.workflows.loop.next_action import DecisionRules, NextAction, RunSession, StopRun
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.plan.next_action import decide_next, file_name, open_notes

LIMITS = RunLimits(max_cost_usd=5, max_minutes=10, max_iterations=9, max_retries=3)
SIX = datetime(2026, 5, 4, 18, tzinfo=UTC)
ITEM = NoteSubmitted("add_item", "010-dates", "Write dates.")
LATER = NoteSubmitted("add_item", "010-dates", "Write dates as ISO.")
TAKEN_BACK = NoteSubmitted("add_item", "010-dates", "")
ISSUE = NoteSubmitted("resolve_issue", "010-dates", "They are ISO dates.")
APPLIED = NoteApplied("add_item", "010-dates", ".treadle/backlog/010-dates.md")


@pytest.mark.parametrize(
    ("known", "step"),
    [
        pytest.param({}, RunSession("manage"), id="the person begins"),
        pytest.param({"last": Completed("")}, StopRun("planned"), id="the person ended it"),
        pytest.param(
            {"last": Crashed("the agent ended with exit code 3", 3)},
            StopRun("error", "the agent ended with exit code 3"),
            id="the agent failed",
        ),
        pytest.param({"stopping": "cancelled"}, StopRun("cancelled"), id="cancelled"),
        pytest.param(
            {"last": QuotaExceeded("later", SIX)}, StopRun("quota_exceeded", "later"), id="quota"
        ),
        pytest.param(
            {"last": SandboxError("leaks")}, StopRun("sandbox_error", "leaks"), id="no sandbox"
        ),
    ],
)
def test_there_is_one_session(known: dict[str, Any], step: NextAction) -> None:
    assert decide_next(RunProgress(**known), DecisionRules(LIMITS, wait_for_quota=False)) == step


@pytest.mark.parametrize(
    ("log", "still_open"),
    [
        pytest.param([ITEM, ISSUE], (ITEM, ISSUE), id="in their order"),
        pytest.param([ITEM, ISSUE, LATER], (LATER, ISSUE), id="the last words count"),
        pytest.param([ITEM, TAKEN_BACK], (), id="taken back"),
        pytest.param([ITEM, ISSUE, APPLIED], (ISSUE,), id="applied before a kill"),
        pytest.param([ITEM, APPLIED, LATER], (LATER,), id="again after it was applied"),
        pytest.param([], (), id="nothing"),
    ],
)
def test_what_was_handed_over_stays_open_until_it_is_applied(
    log: list[Event], still_open: tuple[NoteSubmitted, ...]
) -> None:
    assert (
        open_notes(RecordedEvent(RUN, n, SIX, event) for n, event in enumerate(log)) == still_open
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("010-dates", "010-dates"),
        ("Export as CSV.md", "export-as-csv"),
        ("../../.claude/settings", "claude-settings"),
        ("x" * 300, "x" * 80),
        ("-- ..", ""),
    ],
)
def test_an_item_gets_a_plain_name(name: str, file: str) -> None:
    assert file_name(name) == file
