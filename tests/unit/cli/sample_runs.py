"""Whole runs as lists of recorded events, made up for the screen: one per way a run can go."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from treadle.domain.deliverable import Claim, Deliverable, Tally
from treadle.domain.events.agent import (
    AgentSpoke,
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    ProcessEnded,
    QuotaReported,
    ToolCalled,
    ToolDecided,
    ToolFinished,
    UsageReported,
)
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import (
    InterruptRequested,
    RoundFailed,
    RoundStarted,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWarned,
)
from treadle.domain.events.session import (
    PromptSent,
    SessionEnded,
    SessionStarted,
    SignalGiven,
    SignalRefused,
)
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkCommitted,
    WorkContinued,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, SessionId
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.session import (
    Cancelled,
    Completed,
    ExecutionError,
    Outcome,
    QuotaExceeded,
    SessionResult,
)
from treadle.domain.usage import Usage
from treadle.views.log_state import LogState, apply_event

RUN = RunId("0198c2f4-5b7a-7d31-9c55-e7a17c01d2e4")
START = datetime(2026, 3, 4, 12, 40, 0, tzinfo=UTC)
WORKSPACE = "/treadle/runs/one/clone"
BRANCH = "treadle/calc-7c01d2e4"
COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"
USAGE = Usage(1200, 340, 100, 9000)

STARTED = RunStarted(
    run=RUN,
    workflow="deliver",
    project="/home/ada/calc",
    project_key="5e884898da28",
    version="0.1.0",
    model="sonnet",
    plan_model="opus",
    limits=RunLimits(20.0, 480.0, 100, 3),
    sandbox="sandboxed",
    rehearsal=False,
)
HEAD = "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
PREPARED = WorkspacePrepared(WORKSPACE, BRANCH, HEAD, "main", HEAD)
ADD = Deliverable("DL-001", "Add two numbers", ("2 and 3 give 5",))
DIVIDE = Deliverable("DL-002", "Divide, and say so when it cannot be done", ("1/0 is an error",))
MAIL = Deliverable("DL-003", "Send the result by mail", ("a mail arrives",))


def recorded(
    events: Sequence[Event], *, start: datetime = START, step_s: float = 7
) -> list[RecordedEvent]:
    """The events as a log holds them, `step_s` seconds apart."""
    return [
        RecordedEvent(RUN, n, start + timedelta(seconds=step_s * n), event)
        for n, event in enumerate(events, 1)
    ]


def state_after(*events: Event) -> LogState:
    """What a log of these events adds up to."""
    state = LogState()
    for each in recorded(events):
        state = apply_event(state, each)
    return state


def call(tool_id: str, name: str, **given: object) -> ToolCalled:
    return ToolCalled(tool_id, name, given)


def session_ended(outcome: Outcome, *, cost_usd: float = 0.21, turns: int = 9) -> SessionEnded:
    return SessionEnded(SessionResult(SessionId("s-1"), outcome, cost_usd, USAGE, turns, 83.0))


def ended(reason: ExitReason, tally: Tally, *, rounds: int = 2, message: str = "") -> RunEnded:
    return RunEnded(RunResult(reason, rounds, tally, 0.42, USAGE, 3661.0, message))


def planning_round() -> list[Event]:
    return [
        RoundStarted(1, "initializer"),
        SessionStarted(SessionId("s-1"), "initializer", "opus"),
        PromptSent("Read SPEC.md and write down what has to be delivered."),
        AgentStarted("claude-opus-5-5", "2.1.0", ("Read", "Write", "Bash")),
        AgentThought("The specification decides what the deliverables are."),
        AgentSpoke("I read the specification first, then I write down what has to be delivered."),
        call("t1", "Read", file_path=f"{WORKSPACE}/SPEC.md"),
        ToolDecided("t1", "Read", "allow", "inside the workspace"),
        ToolFinished("t1", "# Calculator\nIt adds and divides.", is_error=False),
        call(
            "t2",
            "mcp__treadle__create_deliverable",
            deliverables=[{"id": "DL-001"}, {"id": "DL-002"}],
        ),
        DeliverableCreated(ADD),
        DeliverableCreated(DIVIDE),
        ToolFinished("t2", "2 deliverables created", is_error=False),
        UsageReported("claude-opus-5-5", USAGE, 0.21),
        SignalGiven("done", "The plan is written down.", "marker"),
        session_ended(Completed("planned")),
        PlanMade("5e884898da28"),
    ]


def coding_round(number: int = 2) -> list[Event]:
    return [
        RoundStarted(number, "coding"),
        SessionStarted(SessionId("s-2"), "implementer", "sonnet"),
        AgentSpoke("Addition first. Then division, with its error."),
        call("t3", "Write", file_path=f"{WORKSPACE}/src/calc.py", content="def add(a, b): ..."),
        ToolFinished("t3", "written", is_error=False),
        call("t4", "Bash", command="python -m pytest -q\necho done", description="Run the tests"),
        ToolFinished("t4", "Exit code 1\nFAILED test_divide - ZeroDivisionError", is_error=True),
        call("t5", "Write", file_path="/etc/motd", content="hi"),
        ToolDecided("t5", "Write", "deny", "that path is outside the workspace"),
        ToolFinished("t5", "that path is outside the workspace", is_error=True),
        DeliverableChanged("DL-001", ADD.description, "pending", "passed", "claimed"),
    ]


def success() -> list[RecordedEvent]:
    return recorded(
        [
            STARTED,
            PREPARED,
            *planning_round(),
            *coding_round(),
            DeliverableChanged("DL-002", DIVIDE.description, "pending", "passed", "claimed"),
            SignalGiven("done", "Both work and are tested.", "tool"),
            session_ended(Completed("done")),
            WorkCommitted(COMMIT, "Add and divide\n\nWith tests."),
            WorkImported(BRANCH, COMMIT, 3),
            WorkLanded(BRANCH, COMMIT),
            ended("all_passed", Tally(2, 0, 2)),
        ]
    )


def blocked() -> list[RecordedEvent]:
    return recorded(
        [
            STARTED,
            PREPARED,
            RoundStarted(1, "coding"),
            SessionStarted(SessionId("s-1"), "implementer", "sonnet"),
            DeliverableCreated(MAIL),
            DeliverableChanged("DL-003", MAIL.description, "pending", "blocked"),
            SignalGiven("note", "There are no credentials for a mail server here.", "tool"),
            session_ended(Completed("blocked")),
            ended("all_blocked", Tally(0, 1, 1), rounds=1),
        ]
    )


def quota() -> list[RecordedEvent]:
    reset = START + timedelta(hours=5)
    return recorded(
        [
            STARTED,
            PREPARED,
            RoundStarted(1, "coding"),
            SessionStarted(SessionId("s-1"), "implementer", "sonnet"),
            QuotaReported("allowed", "five_hour", reset, 0.4),
            QuotaReported("allowed_warning", "five_hour", reset, 0.92),
            session_ended(QuotaExceeded("You've hit your limit", reset), cost_usd=1.5),
            RunPaused("the 5-hour quota is spent", reset),
            RunResumed(),
            RoundStarted(2, "coding"),
            SessionStarted(SessionId("s-2"), "implementer", "sonnet"),
            session_ended(QuotaExceeded("You've hit your weekly limit", None), cost_usd=0.0),
            ended("quota_exceeded", Tally(1, 0, 3), message="The quota gives no time of reset."),
        ]
    )


def retries() -> list[RecordedEvent]:
    failure = ExecutionError("API Error: 529 overloaded", "retryable")
    rounds: list[Event] = []
    for number in range(1, 5):
        rounds += [
            RoundStarted(number, "coding"),
            SessionStarted(SessionId(f"s-{number}"), "implementer", "sonnet"),
            ApiRetried(1, 2, 1.5, 529, "overloaded"),
            session_ended(failure, cost_usd=0.0, turns=1),
            RoundFailed(number, failure.message, number, 3),
        ]
    return recorded(
        [STARTED, *rounds, ended("max_retries_exceeded", Tally(0, 0, 2), rounds=4)], step_s=20
    )


def interrupted() -> list[RecordedEvent]:
    command = f"git merge --ff-only {BRANCH}"
    return recorded(
        [
            STARTED,
            WorkContinued(RunId("earlier"), "treadle/calc-7c01d2e3", HEAD),
            PREPARED,
            RunWarned("the checkout has changes that are not committed; the run starts from them"),
            RoundStarted(1, "coding"),
            SessionStarted(SessionId("s-1"), "implementer", "sonnet"),
            DeliverableCreated(ADD),
            DeliverableCreated(DIVIDE),
            StatusAdopted(
                (replace(ADD, status="passed", claim=Claim(COMMIT)), DIVIDE), "hand_edit"
            ),
            DeliverableChanged("DL-001", ADD.description, "pending", "passed", "claimed"),
            SignalRefused("approved", "implementer", "marker"),
            InterruptRequested("SIGINT"),
            ProcessEnded(4711, "node server.js"),
            MessageSkipped("system/unheard_of"),
            session_ended(Cancelled()),
            WorkImported(BRANCH, COMMIT, 1),
            WorkKept(BRANCH, "the run was interrupted", command),
            ended("interrupted", Tally(1, 0, 2), rounds=1),
        ]
    )


ALL_RUNS = {
    "success": success,
    "blocked": blocked,
    "quota": quota,
    "retries": retries,
    "interrupted": interrupted,
}
