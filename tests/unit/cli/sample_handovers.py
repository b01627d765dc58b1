"""Runs that passed from process to process, and runs that were kept in bounds, made up as well."""

from datetime import timedelta

from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
    BillDiffered,
    BreakerClosed,
    BreakerOpened,
    HostAsked,
    LimitNeared,
)
from treadle.domain.events.run import (
    RoundStarted,
    RunPaused,
    RunQueued,
    RunRecovered,
    RunReopened,
    RunResumed,
)
from treadle.domain.events.session import SessionStarted
from treadle.domain.events.work import (
    PROTECTED_PATH,
    CommitsKept,
    DeliverableChanged,
    DeliverableCreated,
    DroppedBranch,
    LandingUndone,
    SetupFinished,
    WithheldPath,
    WorkDropped,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkRestored,
    WorkWithheld,
)
from treadle.domain.ids import SessionId
from treadle.domain.limits import RunLimits
from treadle.domain.session import Cancelled, Completed

from .sample_focus_run import focus, task
from .sample_queue import plan, queue
from .sample_runs import (
    ADD,
    ALL_RUNS,
    BRANCH,
    COMMIT,
    PREPARED,
    RUN,
    START,
    STARTED,
    ended,
    recorded,
    session_ended,
)
from .sample_verified_runs import VERIFIED_RUNS

QUEUED = RunQueued(RUN, "deliver", "/home/ada/calc", "5e884898da28", rehearsal=False)
SHUT = RunPaused("the model service is left alone", START + timedelta(minutes=5))
LANDING = ApprovalQuestion(
    kind="landing",
    text="Land 1 commit in your checkout?",
    subject="commit 9fceb02d",
    subject_hash=COMMIT,
    patience=timedelta(hours=2),
)


def _begun(session: str, *, resumed: bool = False) -> SessionStarted:
    return SessionStarted(SessionId(session), "implementer", "sonnet", resumed)


def passed_on() -> list[RecordedEvent]:
    """Queued, cut off in a session and gone on with, ended by a limit, reopened, landed."""
    return recorded(
        [
            QUEUED,
            STARTED,
            PREPARED,
            DeliverableCreated(ADD),
            SetupFinished("npm ci", 0, 12.5, "added 3 packages\n", ("packages.example:443",)),
            RoundStarted(1, "coding"),
            _begun("s-1"),
            RunRecovered(),
            _begun("s-1", resumed=True),
            session_ended(Completed("went on")),
            WorkWithheld(
                (
                    WithheldPath("settings.py", 3, "a GitHub token"),
                    WithheldPath(".mcp.json", 0, PROTECTED_PATH),
                )
            ),
            WorkImported(BRANCH, COMMIT, 1),
            CommitsKept("/runs/dropped.git", ("refs/treadle/backup/r/dropped/1",), 2),
            WorkDropped((DroppedBranch(BRANCH, COMMIT, "refs/treadle/backup/r/1"),)),
            WorkRestored((BRANCH,)),
            LandingUndone(BRANCH, COMMIT, COMMIT),
            WorkKept(BRANCH, "the run has not succeeded", f"git merge --ff-only {BRANCH}"),
            ended("max_iterations", Tally(0, 0, 1), rounds=1, message="the limit is 1 round"),
            RunReopened("resume", RunLimits(20.0, 480.0, 7, 3), "unsandboxed"),
            RoundStarted(2, "coding"),
            SetupFinished("npm ci", 1, 2.0, "E404\nread the log\n", cause=("npm error code E404",)),
            _begun("s-2"),
            DeliverableChanged("DL-001", ADD.description, "pending", "passed", "claimed"),
            session_ended(Completed("done")),
            WorkImported(BRANCH, COMMIT, 2),
            WorkLanded(BRANCH, COMMIT),
            ended("all_passed", Tally(1, 0, 1)),
        ]
    )


def in_bounds() -> list[RecordedEvent]:
    """A breaker that opens and closes, a limit that comes near, a bill that differs, questions."""
    approvals = [
        make_approval(LANDING, run=RUN, step=f"1: landing {n}", now=START) for n in range(1, 4)
    ]
    answered, lapsed, voided = approvals
    questions: list[Event] = [
        ApprovalAsked(answered),
        ApprovalAnswered(answered.id, "denied", "ada", "not before Monday"),
        ApprovalAsked(lapsed),
        ApprovalLapsed(lapsed.id, "denied"),
        ApprovalAsked(voided),
        ApprovalVoided(voided.id, "the run ended"),
    ]
    return recorded(
        [
            STARTED,
            PREPARED,
            RoundStarted(1, "coding"),
            BreakerOpened("model", "3 failures in a row: overloaded", SHUT.until),
            SHUT,
            RunResumed(),
            BreakerClosed("model"),
            _begun("s-1"),
            HostAsked("packages.example", 443, allowed=True),
            HostAsked("elsewhere.example", 443, allowed=False),
            session_ended(Cancelled()),
            BillDiffered(SessionId("s-1"), 0.21, 0.18),
            LimitNeared("limits.max_cost_usd", 16.5, 20.0),
            *questions,
            ended("cancelled", Tally(0, 0, 1), rounds=1),
        ]
    )


EVERY_RUN = {
    **ALL_RUNS,
    **VERIFIED_RUNS,
    "focus": focus,
    "task": task,
    "passed-on": passed_on,
    "in-bounds": in_bounds,
    "queue": queue,
    "plan": plan,
}
