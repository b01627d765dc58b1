"""A whole `deliver` run over real git and a replayed agent; no time passes in it by itself."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.builders import (
    RUN,
    RUN_LIMITS,
    SESSION_LIMITS,
    FakeClock,
    Repository,
    SessionNumbers,
    repository_in,
    run_started,
    types_of,
)
from treadle.adapters.agents.replay import Move, Pause, ReplayAgent, ReplaySession
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.stores.memory_gates import MemoryBreakers, MemoryQuotaGates
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import AgentEnded, Allow, Brief, Fault, Identity, ToolUse
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SessionEnded
from treadle.domain.ids import RunId
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.ports import Store
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, Outcome
from treadle.durable.memory import MemorySteps
from treadle.durable.port import Json, Steps
from treadle.policy.available_tools import merge_tools
from treadle.session.drive import Driver
from treadle.session.gates import Gates
from treadle.wiring.deliver_story import Beginning
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.briefing import Briefing, Equipment
from treadle.workflows.deliver.findings import Tip
from treadle.workflows.deliver.instructions import Facts
from treadle.workflows.deliver.look import Surroundings
from treadle.workflows.deliver.passing import AT_ONCE, Terms
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.recollection import Recollection, recollect
from treadle.workflows.deliver.rounds import Rounds, nothing_to_prepare
from treadle.workflows.deliver.story import Manner, Story
from treadle.workflows.deliver.stuck import RoundFacts, criteria_of
from treadle.workflows.deliver.verification import Verification
from treadle.workflows.guard import Guard
from treadle.workflows.landing import LandingForm
from treadle.workflows.opening_worksites import find_worksite, prepare_worksite
from treadle.workflows.worksite import Earlier, Site, Worksite
from treadle.workspace.project import find_project

ADA = Identity("Ada", "ada@example.com")
BRANCH = "treadle/clock-9abcdef0"
SPEC = "# Clock\n\nTell the time.\n"
SPEC_HASH = "hash-of-the-specification"

# What every session that begins and ends by itself records around its own events.
ADOPTED = ["status.adopted"]
OPENING = ["round.started", "session.started", "prompt.sent"]
CREATING = ["tool.called", "tool.decided", "deliverable.created", "tool.finished"]
CHANGING = ["tool.called", "tool.decided", "deliverable.changed", "tool.finished"]
ENDING = ["session.ended"]
HOME = ["work.committed", "work.imported"]
PLANNED = ["plan.made"]


class LastingAgent(ReplayAgent):
    """Outlives the process that tells the run. A session that is opened again plays all its moves
    again: whatever it had done before is refused by the board, or makes no difference."""

    async def open(self, brief: Brief) -> ReplaySession:
        names = list(dict.fromkeys(each.session for each in (*self.briefs, brief)))
        self.briefs.append(brief)
        number = names.index(brief.session)
        if number >= len(self.sessions):
            missing = Fault(f"the recording has no session {number + 1}", subtype="start")
            return ReplaySession(brief, [AgentEnded(missing)])
        return ReplaySession(brief, self.sessions[number])


@dataclass
class StoryStage:
    """Set what matters to a test before `tell`. To tell the same run again is a restart."""

    directory: Path
    user: Repository
    sessions: Sequence[Sequence[Move]] = ()
    limits: RunLimits = RUN_LIMITS
    session_limits: SessionLimits = SESSION_LIMITS
    wait_for_quota: bool = False
    jitter: float = 0.0
    backoff_s: float = 5.0
    rehearsed: bool = False
    progress: Progress = field(default_factory=Progress)
    run: RunId = RUN
    landed: tuple[str, ...] = ()
    earlier: Earlier | None = None
    form: LandingForm = "commits"
    facts: Facts = field(default_factory=lambda: Facts("SPEC.md", ".treadle-notes.md"))
    clock: FakeClock = field(default_factory=FakeClock)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    store: MemoryStore = field(default_factory=MemoryStore)
    # The steps that finished, by the run and its leg.
    finished: dict[tuple[RunId, int], list[tuple[str, Json]]] = field(default_factory=dict)
    # What stands between a telling and its steps or its log.
    through: Callable[[Steps], Steps] = lambda steps: steps
    writing: Callable[[Store], Store] = lambda store: store
    breakers: MemoryBreakers = field(default_factory=MemoryBreakers)
    quota_gates: MemoryQuotaGates = field(default_factory=MemoryQuotaGates)
    agent: ReplayAgent = field(default_factory=lambda: LastingAgent(()))
    new_session_id: SessionNumbers = field(default_factory=SessionNumbers)
    story: Story | None = None
    worksite: Worksite | None = None
    prepare: Callable[[], Awaitable[None]] = nothing_to_prepare
    terms: Terms = AT_ONCE
    # What shows the work of a telling; None: nothing does.
    verifying: Callable[[Board, Recorder, Worksite], Verification] | None = None

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
        return [name for name, _ in stored]

    def of_type(self, *kinds: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    def start_over(self, run: RunId) -> None:
        """The next `tell` is the beginning of this run; nobody remembers an earlier one."""
        self.run, self.store = run, MemoryStore()
        self.finished.clear()

    def record(self, *events: Event) -> None:
        """Something that is no part of the story is told of the run."""
        self.store.append(self.run, [(self.clock.now(), event) for event in events])

    async def tell(self) -> RunResult:
        """The whole run, as far as it needs nobody to land its work; goes on where it was cut."""
        known = recollect(self.store.read(self.run))
        if not known.events:
            self.agent, self.new_session_id = LastingAgent(self.sessions), SessionNumbers()
            self.record(run_started(self.run))
        recorder = Recorder(self.writing(self.store), self.run, self.clock, ())
        try:
            self.worksite = await self._worksite(recorder, known)
            self.story = await self._story(recorder, known, self.worksite)
            return await self.story.tell()
        finally:
            recorder.flush()

    async def _worksite(self, recorder: Recorder, known: Recollection) -> Worksite:
        site = Site(
            project=await find_project(self.user.path, self.user.environment),
            run=self.run,
            identity=ADA,
            directory=self.directory / self.run,
            attribution="removed",
            form=self.form,
            record=recorder.record,
            record_once=recorder.record_once,
            landed=self.landed,
            earlier=self.earlier,
        )
        if known.prepared is None:
            return await prepare_worksite(site, specification=SPEC, spec="SPEC.md")
        worksite = await find_worksite(site, known.prepared, known.imported)
        if not known.has_worked:
            await worksite.move_in("SPEC.md")
        return worksite

    async def _board(self, recorder: Recorder, known: Recollection, worksite: Worksite) -> Board:
        board = Board(
            self.status, recorder.record, self.clock, rehearsed=self.rehearsed, terms=self.terms
        )
        if known.deliverables or known.turns:
            board.reopen(known)
        else:
            board.open()
            await board.recheck(worksite.holds)
        return board

    async def _story(self, recorder: Recorder, known: Recollection, worksite: Worksite) -> Story:
        board = await self._board(recorder, known, worksite)

        def record_once(key: str, event: Event) -> None:
            recorder.record_once(f"{known.leg}: {key}", event)

        rounds = Rounds(
            driver=Driver(self.agent, self.clock, recorder.record, self.stop),
            board=board,
            worksite=worksite,
            briefing=Briefing(
                self._equipment(),
                board,
                worksite,
                recorder.record,
                self.new_session_id,
                Guard(os.path.realpath, lambda line, allowed, directory: Allow()),
            ),
            session_limits=self.session_limits,
            surroundings=self._surroundings(),
            gates=self._gates(),
            known=known,
            record_once=record_once,
            slots=asyncio.Semaphore(1),
            prepare=self.prepare,
            verification=self.verifying and self.verifying(board, recorder, worksite),
        )
        stored = self.finished.setdefault((self.run, known.leg), [])
        steps = self.through(MemorySteps(stored, self.clock))
        begin = partial(self._begin, board, worksite)
        beginning = await steps.step("begin", begin, returns=Beginning)
        return Story(
            steps=steps,
            manner=Manner(delay_s=3.0, backoff_s=self.backoff_s, quota_margin_s=60.0),
            spec_hash=SPEC_HASH,
            rounds=rounds,
            clock=self.clock,
            record_once=record_once,
            stop=self.stop,
            jitter=lambda: self.jitter,
            progress=replace(self.progress, history=(beginning.facts,)),
            tip=beginning.tip,
            tips=[Tip(0, beginning.tip)],
        )

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            limits=lambda: self.limits,
            wait_for_quota=self.wait_for_quota,
            stopping=lambda: "interrupted" if self.stop.is_set() else "",
            others_today_usd=lambda: 0.0,
        )

    def _gates(self) -> Gates:
        return Gates(
            breakers=self.breakers,
            quota=self.quota_gates,
            run=self.run,
            service="model API",
            credential="fingerprint",
            now=self.clock.now,
            jitter=lambda: self.jitter,
            margin_s=60.0,
        )

    async def _begin(self, board: Board, worksite: Worksite) -> Beginning:
        tip = worksite.start
        tree = (await worksite.movement(tip, tip)).tree
        facts = RoundFacts(0, tree, board.tally(), criteria_of(board.deliverables))
        return Beginning(SPEC_HASH, self.progress.plan_outdated, tip, facts)

    def _equipment(self) -> Equipment:
        return Equipment(
            model="sonnet",
            plan_model="opus",
            thinking_tokens=None,
            toolset=merge_tools((), (), {}),
            mcp_servers={},
            identity=ADA,
            home=self.directory / "agent-home",
            facts=self.facts,
        )

    def plan(self, *deliverables: Deliverable) -> None:
        """Deliverables that an earlier run left."""
        status = self.status
        status.read()
        assert status.write(deliverables, today="2026-01-01")

    def limit(self, **limits: Any) -> None:
        self.limits = replace(self.limits, **limits)

    def wrote(self, name: str, text: str = "text\n") -> Pause:
        """The agent writes a file of its workspace."""

        def write() -> None:
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

        return did(write)


def stage_in(directory: Path, **contents: str) -> StoryStage:
    user = repository_in(directory, **{"SPEC.md": SPEC, "README.md": "A clock.\n", **contents})
    return StoryStage(directory, user)


def did(work: Callable[[], object]) -> Pause:
    """Something happens in the middle of a session."""

    async def until() -> None:
        work()

    return Pause(until)


def created(*names: str) -> ToolUse:
    entries = [
        {
            "id": name,
            "description": f"What {name} is about",
            "acceptanceCriteria": [f"{name} can be seen"],
        }
        for name in names
    ]
    return use("create_deliverable", {"deliverables": entries})


def turned(name: str, status: str) -> ToolUse:
    return use("set_deliverable_status", {"deliverableId": name, "status": status})


def use(tool: str, arguments: Mapping[str, Any]) -> ToolUse:
    return ToolUse("1", f"mcp__treadle__{tool}", arguments)


def ending(outcome: Outcome | Fault | None = None, *, cost_usd: float = 0.0) -> AgentEnded:
    return AgentEnded(outcome or Completed("done"), cost_usd=cost_usd, turns=1)
