"""A focus run, made up for the screen: planned, built, reviewed twice, and stopped by an issue."""

from dataclasses import replace
from datetime import UTC, datetime

from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import (
    BacklogSaved,
    CommandFinished,
    CommitFailed,
    IssueSaved,
    PhaseStarted,
    PlanWritten,
    ReviewJudged,
    ReviewWritten,
)
from treadle.domain.events.publishing import (
    BranchPushed,
    FeedbackItem,
    FeedbackReceived,
    PullRequestFollowed,
    PullRequestOpened,
    PullRequestUpdated,
)
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionStarted, SignalGiven
from treadle.domain.events.work import WorkChanged, WorkCommitted
from treadle.domain.ids import SessionId
from treadle.domain.review import DroppedFinding, ReviewFinding
from treadle.domain.session import Completed
from treadle.domain.signal import Role, SignalKind
from treadle.domain.task_plan import PlannedCriterion, TaskPlan

from .sample_runs import COMMIT, PREPARED, STARTED, ended, recorded, session_ended

ZERO = ReviewFinding("blocker", "dividing by zero is not told", "calc.py", "return a / b")
NAME = ReviewFinding("nit", "a shorter name would do", "calc.py", "def divide_two_numbers")
SLOW = ReviewFinding("minor", "it reads the file twice", command="time ./calc")
FEEDBACK = (
    FeedbackItem("ci:1", "ci", "lint", "calc.py:1: no full stop", "Run make"),
    FeedbackItem("line_comment:2", "line_comment", "ada", "Say why.", "calc.py:3"),
)

DIVIDE = TaskPlan(
    "Divide",
    "One function.",
    ("calc.py",),
    (PlannedCriterion("It divides"),),
    cost_usd=0.3,
    minutes=45,
)


def _session(role: Role, signal: SignalKind, text: str, *events: Event) -> list[Event]:
    return [
        SessionStarted(SessionId("s-1"), role, "sonnet"),
        *events,
        SignalGiven(signal, text, "tool"),
        session_ended(Completed("done")),
    ]


def focus() -> list[RecordedEvent]:
    """Every event that only a focus run has."""
    planned = PlanWritten("# Plan\n\n1. Divide\n2. Say why not\n")
    return recorded(
        [
            replace(STARTED, workflow="focus"),
            PREPARED,
            RoundStarted(1, "planning"),
            PhaseStarted(1, "planning"),
            *_session("planner", "plan_complete", "Two tasks.", planned),
            PhaseStarted(1, "implementing"),
            CommandFinished("make lint", 0, 3.2, "all fine\n", COMMIT),
            *_session("implementer", "progress", "It divides."),
            WorkCommitted(COMMIT, "It divides."),
            CommandFinished("make lint", 2, 3.2, "calc.py:7: too long\n", COMMIT),
            *_session("implementer", "done", "It says why not."),
            CommitFailed("a hook of the repository said no"),
            PhaseStarted(1, "reviewing"),
            *_session("reviewer", "request_changes", "One thing.", ReviewWritten((ZERO, NAME))),
            ReviewJudged(
                1,
                "changes_requested",
                COMMIT,
                "1 finding is at the bar or above it",
                (ZERO,),
                (DroppedFinding(NAME, "below the bar"),),
            ),
            RoundStarted(2, "planning"),
            BacklogSaved((".treadle/backlog/slow.md",)),
            ReviewJudged(2, "approved", COMMIT, "nothing is at the bar or above it", (SLOW,)),
            IssueSaved(
                ".treadle/spec-issues/20260304-1240-7c01d2e4.md", "planner", "0/0 has two answers"
            ),
            ended("spec_issue", Tally()),
        ]
    )


def task() -> list[RecordedEvent]:
    """A task up to its pull request, which a later commit updates."""
    url = "https://forge.example/acme/calc/pull/3"
    return recorded(
        [
            replace(STARTED, workflow="task"),
            PREPARED,
            RoundStarted(1, "planning"),
            *_session("planner", "plan_complete", "One step.", PlanWritten("# Divide\n", DIVIDE)),
            RoundStarted(2, "coding"),
            *_session("implementer", "done", "It divides."),
            WorkChanged(COMMIT, 40, 1, 2, 0, (), None, 31, 12),
            BranchPushed("origin", "treadle/divide-7c01d2e4", COMMIT),
            PullRequestOpened(3, url, "Divide", True, COMMIT),
            PullRequestUpdated(3, url, "Divide two numbers", False, COMMIT),
            PullRequestFollowed(3, url, datetime(2026, 3, 18, 12, 40, tzinfo=UTC)),
            FeedbackReceived(3, 1, COMMIT, FEEDBACK),
            ended("approved", Tally()),
        ]
    )
