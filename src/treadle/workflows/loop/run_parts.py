"""The parts that a workflow builds its loop from; `wiring.compose` makes them."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from treadle.domain.agent import Terminal
from treadle.domain.check import RequiredGrade
from treadle.domain.effort import Effort, estimate_in, plan_remark
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.finding import KnownFindings, ProjectNote
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Log, StatusBoard
from treadle.domain.run import LandingChoice
from treadle.domain.run_request import RunRequest
from treadle.durable.port import Steps
from treadle.policy.redaction import Redactor
from treadle.session.driver import SessionDriver
from treadle.session.session_admission import SessionAdmission
from treadle.verify.pins.judge_pins import JudgePins
from treadle.verify.results.check_runner import CheckRunner
from treadle.verify.suites.suite import SuiteCommand
from treadle.workflows.definition import LogFollower, Workflow
from treadle.workflows.loop.approval_requests import ApprovalRequester
from treadle.workflows.loop.command_trial import CommandTrial
from treadle.workflows.loop.findings import RoundCommit
from treadle.workflows.loop.following import FollowOutcome, NotFollowing
from treadle.workflows.loop.observation import Pacing, RunInputs
from treadle.workflows.loop.plan_question import (
    APPROVAL_EVENTS,
    ApprovedPlan,
    PlanDenied,
    PlanEdits,
    PlanGate,
    approved_plan,
    last_plan_decision,
)
from treadle.workflows.loop.round_steps import Prepare, RoundSteps
from treadle.workflows.loop.run_history import RunHistory
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_pauses import RunPauses
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_questions import RunQuestions
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_briefs import SessionBriefs
from treadle.workflows.loop.workflow_state import WorkflowState
from treadle.workflows.loop.workspace_spec import PreviousRuns
from treadle.workspace.git import Git


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """Facts about the project that prompts contain."""

    # The specification, relative to the project's root.
    spec: str
    specs: str
    notes: str
    setup: str = ""
    check: str = ""
    test: str = ""


class ProjectNotes(Protocol):
    """Saves texts for people in the project; never overwrites a file."""

    def save_issue(self, text: str, at: datetime) -> str:
        """Save the text; its path relative to the project's root, the same for the same text."""
        ...

    def save_items(self, texts: tuple[str, ...], at: datetime) -> tuple[str, ...]: ...

    def save_finding(self, name: str, text: str) -> str: ...

    def save_item(self, name: str, text: str) -> str: ...

    def remove_note(self, name: str) -> str:
        """Remove a spec issue or a finding; its path, empty if it is gone."""
        ...

    def dismiss_finding(self, name: str, because: str) -> str:
        """The same, remembered: no audit hands it over again."""
        ...

    def remember(self, line: str) -> str: ...

    def read_notes(self) -> tuple[ProjectNote, ...]: ...

    def read_findings(self) -> KnownFindings: ...


@dataclass(frozen=True, slots=True)
class SessionParts:
    """What sessions start with, and what admits them."""

    briefs: SessionBriefs
    limits: SessionLimits
    admission: SessionAdmission
    slots: asyncio.Semaphore
    # Makes what sets the workspace up, unless that was done for what it needs now. Each one counts
    # its own failures.
    new_setup: Callable[[], Prepare]
    # Makes the setup count as not done.
    forget_setup: Callable[[], None]
    # What a session is handed that a person talks to; None: there is none.
    terminal: Terminal | None
    # Files that the setup command needs and that do not exist yet.
    awaited_files: Callable[[], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CheckParts:
    """What verifies work, and the settings of verification."""

    runner: CheckRunner
    # None: the project has no test command.
    suite: SuiteCommand | None
    check_s: float
    coverage: float
    require_checks: bool
    # The grade that checks and tests must reach for the run to succeed.
    required: RequiredGrade
    judges: JudgePins
    # Why a check line of an agent is not run; empty if it is.
    why_not_run: Callable[[str], str]
    # Whether the policy lets an agent run this line.
    is_allowed: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class PlanningRules:
    """Whether a person is asked about the plan of a run, and for how long."""

    gate: PlanGate = "off"
    # After it the plan counts as approved; None: the run waits for an answer.
    patience: timedelta | None = None
    # What a session that plans a task may cost.
    max_cost_usd: float = 1.0
    # What past runs of the workflow in this project took.
    past_efforts: Callable[[], Sequence[Effort]] = tuple


@dataclass(frozen=True, slots=True)
class RunParts:
    """Frozen: what a workflow learns later belongs to its own state."""

    workflow: Workflow
    request: RunRequest
    facts: ProjectFacts
    spec_text: str
    spec_hash: str
    # The settings section with the workflow's name, None if there is none.
    options: Any
    history: RunHistory
    previous: PreviousRuns
    workspace: RunWorkspace
    git: Git
    driver: SessionDriver
    steps: Steps
    log: Log
    # Reads events of these types from the run's log.
    read_log: Callable[[Collection[str]], Iterator[RecordedEvent]]
    redact: Redactor
    status: StatusBoard
    notes: ProjectNotes
    follower: LogFollower | None
    sessions: SessionParts
    checks: CheckParts
    inputs: RunInputs
    pacing: Pacing
    timer: RunTimer
    requester: ApprovalRequester
    planning: PlanningRules
    landing: LandingChoice
    # Warns once about settings for coding agents that the project brings and nobody loads.
    warn_of_agent_settings: Callable[[], None]
    jitter: Callable[[], float]
    # What came of following the pull request of an earlier leg.
    followed: FollowOutcome = field(default_factory=NotFollowing)

    @property
    def leg_log(self) -> Log:
        return LegLog(self.log, self.history.leg)

    def approved_plan(self) -> ApprovedPlan | None:
        """The plan of this run that was approved in an earlier leg or by another process."""
        return approved_plan(self.read_log(APPROVAL_EVENTS))

    def plan_gate(self) -> PlanGate:
        """The gate at the start of a leg; decided once, inside its first step."""
        if self.planning.gate == "open" and self.approved_plan() is not None:
            return "passed"
        return self.planning.gate

    def plan_edits(self) -> PlanEdits | None:
        """What a person wants changed in a plan, if no plan was made with it in an earlier leg.
        Decided once, inside the first step of a leg."""
        decision = last_plan_decision(self.read_log(APPROVAL_EVENTS))
        return decision if isinstance(decision, PlanEdits) else None

    def plan_patience(self) -> timedelta | None:
        """How long a plan waits for an answer; after a no for as long as a person needs."""
        decision = last_plan_decision(self.read_log(APPROVAL_EVENTS))
        return None if isinstance(decision, PlanDenied) else self.planning.patience

    def plan_remark(self, plan: str) -> str:
        """What whoever decides about a plan should know besides."""
        estimate = estimate_in(self.read_log(("plan.written",)), plan)
        return plan_remark(estimate, self.planning.past_efforts())

    @property
    def is_stopping(self) -> Callable[[], bool]:
        return self.driver.stop.is_set

    def loop(
        self,
        work: WorkflowState,
        *,
        progress: RunProgress,
        tip: str,
        landing: LandingChoice,
        prepare: Prepare | None = None,
        limits: Mapping[str, SessionLimits] | None = None,
    ) -> RunLoop:
        """The loop of this leg for a workflow's state; `prepare` runs before each session, and
        `limits` are those of single instructions."""
        set_up = self.sessions.new_setup()
        trial = CommandTrial(
            set_up=set_up,
            awaited_files=self.sessions.awaited_files,
            runner=self.checks.runner,
            test="" if self.checks.suite is None else self.checks.suite.command,
            commit=self.workspace.snapshot,
            has_worked=self.history.has_worked,
            clock=self.driver.clock,
            log=self.leg_log,
        )
        rounds = RoundSteps(
            driver=self.driver,
            work=work,
            workspace=self.workspace,
            session_limits=self.sessions.limits,
            inputs=self.inputs,
            admission=self.sessions.admission,
            history=self.history,
            log=self.leg_log,
            slots=self.sessions.slots,
            trial=trial,
            prepare=prepare or set_up,
            own_limits=limits or {},
        )
        return RunLoop(
            steps=self.steps,
            work=work,
            rounds=rounds,
            pacing=self.pacing,
            clock=self.driver.clock,
            log=self.leg_log,
            pauses=RunPauses(
                self.steps,
                self.pacing,
                self.driver.clock,
                self.leg_log,
                self.driver.stop,
                self.jitter,
                rounds.admission,
            ),
            jitter=self.jitter,
            timer=self.timer,
            questions=RunQuestions(
                self.steps, self.requester, self.plan_patience(), self.plan_remark
            ),
            landing=landing,
            progress=progress,
            tip=tip,
            round_commits=[RoundCommit(0, tip)],
        )


@dataclass(frozen=True, slots=True)
class LegLog:
    """A log whose `once` keys count within one leg of the run, because step numbers start again
    at 1 in every leg."""

    log: Log
    leg: int

    def record(self, event: Event, *, once: str = "") -> None:
        self.log.record(event, once=f"{self.leg}: {once}" if once else "")
