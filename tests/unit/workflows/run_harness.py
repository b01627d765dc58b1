"""A whole `deliver` run over real git and a replayed agent; no time passes in it by itself."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from tests.builders import (
    FAULTS,
    RUN,
    RUN_LIMITS,
    SESSION_LIMITS,
    VENDOR_PRICES,
    FakeClock,
    Repository,
    SessionNumbers,
    repository_in,
    run_started,
    types_of,
)
from tests.unit.workflows.deliver.board_harness import new_entry
from treadle.adapters.agents.replay.agent import ReplayAgent, ReplayPause, ReplaySession, ReplayStep
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.adapters.stores.note_files import NoteFiles
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.service_health import MemoryBreakers, MemoryQuotaBlocks
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import AgentEnded, Allow, CommitIdentity, Fault, SessionBrief, ToolUse
from treadle.domain.approval import ApprovalStore
from treadle.domain.check import RequiredGrade
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SessionEnded
from treadle.domain.ids import RunId
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.ports import Store
from treadle.domain.run import LandingChoice, RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.session import Completed, Outcome
from treadle.durable.memory import MemorySteps
from treadle.durable.port import Json, Steps
from treadle.policy.available_tools import merge_tools
from treadle.policy.redaction import make_redactor
from treadle.session.driver import SessionDriver
from treadle.session.session_admission import SessionAdmission
from treadle.verify.pins.judge_pins import JudgePins, NoJudgePins
from treadle.verify.results.check_runner import CheckRunner
from treadle.verify.results.memory_check_runner import MemoryCheckRunner
from treadle.workflows.definition import LogFollower, Workflow
from treadle.workflows.loop.approval_requests import ApprovalRequester
from treadle.workflows.loop.instructions import project_context
from treadle.workflows.loop.landing import LandingForm
from treadle.workflows.loop.observation import Pacing, RunInputs
from treadle.workflows.loop.open_workspace import make_workspace, reopen_workspace
from treadle.workflows.loop.round_steps import Prepare, nothing_to_prepare
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import (
    CheckParts,
    PlanningRules,
    ProjectFacts,
    RunParts,
    SessionParts,
)
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_briefs import SessionBriefs, SessionSetup
from treadle.workflows.loop.session_conditions import SessionConditions
from treadle.workflows.loop.tool_guard import ToolGuard
from treadle.workflows.loop.workspace_spec import PreviousRuns, UnlandedWork, WorkspaceSpec
from treadle.workflows.registry import find_workflow
from treadle.workspace.project import find_project

ADA = CommitIdentity("Ada", "ada@example.com")
BRANCH = "treadle/clock-9abcdef0"
SPEC = "# Clock\n\nTell the time.\n"
SPEC_HASH = "hash-of-the-specification"
FACTS = ProjectFacts("SPEC.md", "specs", ".treadle-notes.md")

# What every session that begins and ends by itself records around its own events.
ADOPTED = ["status.adopted"]
OPENING = ["round.started", "session.started", "prompt.sent"]
CREATING = ["tool.called", "tool.decided", "deliverable.created", "tool.finished"]
CHANGING = ["tool.called", "tool.decided", "deliverable.changed", "tool.finished"]
ENDING = ["session.ended"]
HOME = ["work.committed", "work.imported"]
PLANNED = ["plan.made"]


class LastingAgent(ReplayAgent):
    """Outlives the process of the run. A session that is opened again plays all its moves
    again: whatever it had done before is refused by the board, or makes no difference."""

    async def open(self, brief: SessionBrief) -> ReplaySession:
        names = list(dict.fromkeys(each.session for each in (*self.briefs, brief)))
        self.briefs.append(brief)
        number = names.index(brief.session)
        if number >= len(self.sessions):
            missing = Fault(f"the recording has no session {number + 1}", subtype="start")
            return ReplaySession(brief, [AgentEnded(missing)])
        return ReplaySession(brief, self.sessions[number])


@dataclass
class RunHarness:
    """Set what matters to a test before `execute`. Executing the same run again is a restart."""

    directory: Path
    user: Repository
    sessions: Sequence[Sequence[ReplayStep]] = ()
    limits: RunLimits = RUN_LIMITS
    session_limits: SessionLimits = SESSION_LIMITS
    wait_for_quota: bool = False
    jitter: float = 0.0
    backoff_s: float = 5.0
    rehearsed: bool = False
    progress: RunProgress = field(default_factory=RunProgress)
    run: RunId = RUN
    landed: tuple[str, ...] = ()
    earlier: UnlandedWork | None = None
    form: LandingForm = "commits"
    facts: ProjectFacts = FACTS
    clock: FakeClock = field(default_factory=FakeClock)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    store: MemoryStore = field(default_factory=MemoryStore)
    finished: dict[tuple[RunId, int], list[tuple[str, Json]]] = field(default_factory=dict)
    wrap_steps: Callable[[Steps], Steps] = lambda steps: steps
    wrap_store: Callable[[Store], Store] = lambda store: store
    breakers: MemoryBreakers = field(default_factory=MemoryBreakers)
    quota_gates: MemoryQuotaBlocks = field(default_factory=MemoryQuotaBlocks)
    agent: ReplayAgent = field(default_factory=lambda: LastingAgent(()))
    new_session_id: SessionNumbers = field(default_factory=SessionNumbers)
    loop: RunLoop | None = None
    run_workspace: RunWorkspace | None = None
    prepare: Prepare = nothing_to_prepare
    forget_setup: Callable[[], None] = lambda: None
    setups_made: int = 0
    runner: CheckRunner = field(default_factory=lambda: MemoryCheckRunner({}))
    judges: JudgePins = field(default_factory=NoJudgePins)
    required: RequiredGrade = "self-tested"
    workflow: str = "deliver"
    inputs: Mapping[str, str] = field(default_factory=dict)
    options: Any = None
    approvals: ApprovalStore | None = None
    planning: PlanningRules = field(default_factory=PlanningRules)

    @property
    def workspace(self) -> Path:
        return self.directory / self.run / "workspace"

    @property
    def status(self) -> StatusFile:
        return StatusFile(self.user.path / ".treadle" / "status.json")

    @property
    def events(self) -> list[Event]:
        """Everything that was recorded of the run, but for its start."""
        return [recorded.event for recorded in self.store.read(self.run, after=1)]

    @property
    def types(self) -> list[str]:
        """The whole course of the run by its wire names, once its workspace is prepared."""
        names = types_of(self.events)
        return names[names.index("workspace.prepared") + 1 :]

    @property
    def outcomes(self) -> list[Outcome]:
        return [each.result.outcome for each in self.events if isinstance(each, SessionEnded)]

    @property
    def steps(self) -> list[str]:
        """The names of the steps that finished, in the leg that ran last."""
        (_, stored), *_ = reversed(self.finished.items())
        return [name for name, _ in stored if not name.startswith("patched: ")]

    def of_type(self, *kinds: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    def start_over(self, run: RunId) -> None:
        """The next `execute` starts this run; the earlier one is forgotten."""
        self.run, self.store = run, MemoryStore()
        self.finished.clear()

    def record(self, *events: Event) -> None:
        """Records events that are not the loop's own."""
        self.store.append(self.run, [(self.clock.now(), event) for event in events])

    async def execute(self) -> RunResult:
        """The whole run but for its landing; continues where it was interrupted."""
        history = read_history(self.store.read(self.run))
        if not history.event_count:
            self.agent, self.new_session_id = LastingAgent(self.sessions), SessionNumbers()
            self.record(run_started(self.run))
        follower = self.follow_log()
        readers = () if follower is None else (follower.apply,)
        recorder = Recorder(self.wrap_store(self.store), self.run, self.clock, readers)
        try:
            self.run_workspace = await self._workspace(recorder, history)
            parts = await self.parts(recorder, history, self.run_workspace, follower)
            self.loop = await parts.workflow.build(parts)
            self.adjust(self.loop)
            return await self.loop.run()
        finally:
            recorder.flush()

    def follow_log(self) -> LogFollower | None:
        return None

    def adjust(self, loop: RunLoop) -> None:
        """The progress that a test begins with."""
        loop.progress = replace(self.progress, history=loop.progress.history)

    async def _workspace(self, recorder: Recorder, history: RunHistory) -> RunWorkspace:
        spec = WorkspaceSpec(
            project=await find_project(self.user.path, self.user.environment),
            run=self.run,
            identity=ADA,
            directory=self.directory / self.run,
            credit_patterns=(),
            form=self.form,
            log=recorder,
            landed=self.landed,
            unlanded=self.earlier,
        )
        if history.prepared is None:
            return await make_workspace(spec, spec_text=SPEC, spec_path="SPEC.md")
        workspace = await reopen_workspace(spec, history.prepared, history.imported)
        if not history.has_worked:
            await workspace.prepare("SPEC.md")
        return workspace

    async def parts(
        self,
        recorder: Recorder,
        history: RunHistory,
        workspace: RunWorkspace,
        follower: LogFollower | None,
    ) -> RunParts:
        """What `wiring.compose` makes for a run, on memory and a replayed agent."""
        workflow = find_workflow(self.workflow)
        stored = self.finished.setdefault((self.run, history.leg), [])
        project = await find_project(self.user.path, self.user.environment)
        return RunParts(
            workflow=workflow,
            request=self.request(),
            facts=self.facts,
            spec_text=SPEC,
            spec_hash=SPEC_HASH,
            options=self.options,
            history=history,
            previous=PreviousRuns(),
            workspace=workspace,
            git=project.git,
            driver=SessionDriver(
                self.agent, self.clock, recorder.record, self.stop, FAULTS, VENDOR_PRICES
            ),
            steps=self.wrap_steps(MemorySteps(stored)),
            log=recorder,
            read_log=lambda types: self.store.read(self.run, types=types),
            redact=make_redactor(()),
            status=self.status,
            notes=NoteFiles(self.user.path, self.run),
            follower=follower,
            sessions=await self._sessions(workflow, workspace),
            checks=self._checks(),
            inputs=self._inputs(),
            pacing=Pacing(delay_s=3.0, backoff_s=self.backoff_s, quota_margin_s=60.0),
            timer=RunTimer(self.limits.max_minutes * 60),
            requester=ApprovalRequester(
                self.run, history.leg, cast(Any, self.approvals), self.clock, self.stop, recorder
            ),
            planning=self.planning,
            landing=LandingChoice(),
            warn_of_agent_settings=lambda: None,
            jitter=lambda: self.jitter,
        )

    def request(self) -> RunRequest:
        return RunRequest(
            run=self.run,
            project_dir=str(self.user.path),
            flags={},
            no_sandbox=False,
            rehearsal=self.rehearsed,
            workflow=self.workflow,
            inputs=self.inputs,
        )

    async def _sessions(self, workflow: Workflow, workspace: RunWorkspace) -> SessionParts:
        project = await find_project(self.user.path, self.user.environment)
        instructions = await project_context(project.git, workspace.snapshot, "CLAUDE.md")
        setup = SessionSetup(
            model="sonnet",
            plan_model="opus",
            thinking_tokens=None,
            toolset=merge_tools((), (), {}),
            mcp_servers={},
            instructions=instructions if isinstance(instructions, str) else "",
            identity=ADA,
            home=self.directory / "agent-home",
            conditions=SessionConditions("sandboxed", "gateway"),
        )
        guard = ToolGuard(os.path.realpath, lambda line, allowed, directory: Allow())
        return SessionParts(
            briefs=SessionBriefs(workflow, setup, workspace, guard, self.new_session_id),
            limits=self.session_limits,
            admission=SessionAdmission(
                breakers=self.breakers,
                quota=self.quota_gates,
                run=self.run,
                service="model API",
                credential="fingerprint",
                clock=self.clock,
                jitter=lambda: self.jitter,
                margin_s=60.0,
            ),
            slots=asyncio.Semaphore(1),
            new_setup=self._new_setup,
            forget_setup=self.forget_setup,
            terminal=None,
            awaited_files=lambda: (),
        )

    def _new_setup(self) -> Prepare:
        self.setups_made += 1
        return self.prepare

    def _checks(self) -> CheckParts:
        return CheckParts(
            runner=self.runner,
            suite=None,
            check_s=60.0,
            coverage=80.0,
            require_checks=False,
            required=self.required,
            judges=self.judges,
            why_not_run=lambda line: "",
            is_allowed=lambda line: not line.startswith("rm "),
        )

    def _inputs(self) -> RunInputs:
        return RunInputs(
            limits=lambda: self.limits,
            wait_for_quota=self.wait_for_quota,
            stopping=lambda: "interrupted" if self.stop.is_set() else "",
            others_today_usd=lambda: 0.0,
        )

    def plan(self, *deliverables: Deliverable) -> None:
        """Deliverables that an earlier run left."""
        status = self.status
        status.read()
        assert status.write(deliverables, today="2026-01-01")

    def limit(self, **limits: Any) -> None:
        self.limits = replace(self.limits, **limits)

    def wrote(self, name: str, text: str = "text\n") -> ReplayPause:
        """The agent writes a file of its workspace."""

        def write() -> None:
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

        return did(write)


def make_run_harness(directory: Path, **contents: str) -> RunHarness:
    user = repository_in(directory, **{"SPEC.md": SPEC, "README.md": "A clock.\n", **contents})
    return RunHarness(directory, user)


def did(work: Callable[[], object]) -> ReplayPause:
    """Something happens in the middle of a session."""

    async def until() -> None:
        work()

    return ReplayPause(until)


def created(*names: str) -> ToolUse:
    return use("create_deliverable", {"deliverables": [new_entry(name) for name in names]})


def turned(name: str, status: str) -> ToolUse:
    return use("set_deliverable_status", {"deliverableId": name, "status": status})


def use(tool: str, arguments: Mapping[str, Any]) -> ToolUse:
    return ToolUse("1", f"mcp__treadle__{tool}", arguments)


def ending(outcome: Outcome | Fault | None = None, *, cost_usd: float = 0.0) -> AgentEnded:
    return AgentEnded(outcome or Completed("done"), cost_usd=cost_usd, turns=1)
