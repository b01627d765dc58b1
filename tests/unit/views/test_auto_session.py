"""The states of a run in the words of other loops."""

from dataclasses import replace

import pytest

from treadle.domain.events.queue import ItemEnded, ItemSkipped, ItemStarted, WaitStarted
from treadle.domain.exit_reasons import END_REASONS, ExitReason
from treadle.domain.ids import RunId
from treadle.domain.lifecycle import ALIVE, RunState
from treadle.views.auto_session import (
    LIVE_STATUSES,
    auto_summary_document,
    queue_status_document,
    session_document,
    session_status,
)
from treadle.workflows.auto.auto_session import AutoSession
from treadle.workflows.queue.queue_state import ItemRecord, QueueState

INPUTS = {"words": "", "increments": "0001-a,0002-b,0003-c", "promise": "READY"}
ONE, TWO = RunId("run-1"), RunId("run-2")
DONE = ItemRecord(
    ItemStarted("0001-a", "1", ONE, "increment"),
    ItemEnded("0001-a", "1", ONE, "all_passed", "", 0.5, 4, 60.0),
)
CURRENT = ItemRecord(ItemStarted("0002-b", "1", TWO, "increment"))
SESSION = AutoSession(
    run="run-0",
    state="running",
    reason=None,
    started_at="2026-05-04T00:00:00+00:00",
    inputs=INPUTS,
    max_iterations=100,
    max_hours=24.0,
    queue=QueueState((DONE, CURRENT)),
    current_rounds=2,
)
QUIET = WaitStarted("quiet", "the files of 0002-b are being changed")


@pytest.mark.parametrize(
    ("state", "reason", "status"),
    [
        ("queued", None, "initializing"),
        ("running", None, "running"),
        ("paused", None, "paused"),
        ("waiting", None, "paused"),
        ("lost", None, "paused"),
        ("succeeded", "queue_done", "completed"),
        ("ended", "max_iterations", "completed"),
        ("ended", "interrupted", "paused"),
        ("ended", "cancelled", "failed"),
        ("ended", "items_left", "failed"),
        ("ended", "budget_exceeded", "failed"),
        ("ended", "spec_issue", "needs_human"),
        ("ended", None, "failed"),
    ],
)
def test_every_state_has_a_status(state: RunState, reason: ExitReason | None, status: str) -> None:
    assert session_status(replace(SESSION, state=state, reason=reason)) == status


@pytest.mark.parametrize(
    ("session", "status"),
    [
        (replace(SESSION, pending=("Deploy?",)), "needs_human"),
        (replace(SESSION, state="waiting", queue=QueueState(waiting=QUIET)), "paused"),
        (
            replace(
                SESSION,
                state="waiting",
                queue=QueueState(waiting=replace(QUIET, needs_person=True)),
            ),
            "needs_human",
        ),
        # A question of a run that has ended meanwhile waits for nobody.
        (replace(SESSION, state="ended", reason="cancelled", pending=("Deploy?",)), "failed"),
    ],
)
def test_a_queue_needs_a_human_if_it_or_one_of_its_runs_waits_for_one(
    session: AutoSession, status: str
) -> None:
    assert session_status(session) == status


def test_no_live_state_and_no_reason_is_without_a_status() -> None:
    assert set(ALIVE) <= set(LIVE_STATUSES)
    ended = (replace(SESSION, state="ended", reason=reason) for reason in END_REASONS)
    over = {"completed", "failed", "needs_human", "paused"}
    assert {session_status(session) for session in ended} == over


def test_the_status_of_a_queue_has_every_increment_that_was_asked_for() -> None:
    failed = ItemEnded("0002-b", "1", TWO, "stuck", "it got nowhere", 0.25, 3, 30.0)
    skipped = ItemSkipped("0003-c", "it needs 0002-b, which is not done")
    session = replace(
        SESSION,
        state="ended",
        reason="items_left",
        queue=QueueState((DONE, replace(CURRENT, ended=failed)), skipped=(skipped,)),
        current_rounds=0,
    )

    assert queue_status_document(session) == {
        "total": 3,
        "completed": 1,
        "failed": 1,
        "skipped": 1,
        "active": 0,
        "pending": 0,
        "current": None,
        "increments": [
            {"id": "0001-a", "status": "completed", "reason": "", "run": "run1"},
            {"id": "0002-b", "status": "failed", "reason": "stuck: it got nowhere", "run": "run2"},
            {"id": "0003-c", "status": "skipped", "reason": skipped.reason, "run": ""},
        ],
    }
    assert auto_summary_document(session, 90.0) == {
        "sessionId": "run-0",
        "status": "failed",
        "startTime": "2026-05-04T00:00:00+00:00",
        "endReason": "items_left",
        "iterations": 7,
        "completedIncrements": ["0001-a"],
        "failedIncrements": ["0002-b"],
        "skippedIncrements": ["0003-c"],
        "costUsd": 0.75,
        "durationS": 90.0,
    }


def test_what_was_not_started_is_pending_and_what_works_is_active() -> None:
    document = queue_status_document(SESSION)

    assert [(each["id"], each["status"]) for each in document["increments"]] == [
        ("0001-a", "completed"),
        ("0002-b", "active"),
        ("0003-c", "pending"),
    ]
    assert document["current"] == "0002-b"


def test_a_session_has_the_keys_that_programs_know() -> None:
    session = replace(SESSION, pending=("Deploy?",))

    assert session_document(session) == {
        "sessionId": "run-0",
        "status": "needs_human",
        "startTime": "2026-05-04T00:00:00+00:00",
        "iteration": 6,
        "maxIterations": 100,
        "maxHours": 24.0,
        "completionPromise": "READY",
        "originalPrompt": "",
        "incrementQueue": ["0001-a", "0002-b", "0003-c"],
        "currentIncrement": "0002-b",
        "completedIncrements": ["0001-a"],
        "checkpoints": [
            {
                "increment": "0001-a",
                "run": "run-1",
                "reason": "all_passed",
                "iterations": 4,
                "costUsd": 0.5,
            }
        ],
        "endReason": None,
        "humanGates": {"pending": "Deploy?"},
    }
