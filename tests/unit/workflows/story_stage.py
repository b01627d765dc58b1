"""A whole `deliver` run over real git and a replayed agent; no time passes in it by itself."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    types_of,
)
from treadle.adapters.agents.replay import Move, Pause, ReplayAgent
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import AgentEnded, Fault, Identity, ToolUse
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.session import SessionEnded
from treadle.domain.ids import RunId
from treadle.domain.limits import RunLimits, SessionLimits
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, Outcome
from treadle.policy.available_tools import merge_tools
from treadle.session.drive import Driver
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.instructions import Facts
from treadle.workflows.deliver.next_step import Progress, Rules
from treadle.workflows.deliver.rounds import Equipment, Rounds
from treadle.workflows.deliver.story import Story
from treadle.workflows.worksite import Earlier, LandingForm, Site, Worksite, prepare_worksite
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


@dataclass
class StoryStage:
    """Set what matters to a test before `tell`."""

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
    events: list[Event] = field(default_factory=list)
    agent: ReplayAgent = field(default_factory=lambda: ReplayAgent(()))
    story: Story | None = None
    worksite: Worksite | None = None

    @property
    def workspace(self) -> Path:
        return self.directory / self.run / "workspace"

    @property
    def status(self) -> StatusFile:
        return StatusFile(self.user.path / ".treadle" / "status.json")

    @property
    def types(self) -> list[str]:
        """The whole course of the run by its wire names, once its workspace is prepared."""
        names = types_of(self.events)
        return names[names.index("workspace.prepared") + 1 :]

    @property
    def outcomes(self) -> list[Outcome]:
        return [each.result.outcome for each in self.events if isinstance(each, SessionEnded)]

    def of_type(self, *kinds: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    async def tell(self) -> RunResult:
        """The whole run, as far as it needs nobody to land its work."""
        self.agent = ReplayAgent(self.sessions)
        self.worksite = await prepare_worksite(
            Site(
                project=await find_project(self.user.path, self.user.environment),
                run=self.run,
                identity=ADA,
                directory=self.directory / self.run,
                attribution="removed",
                form=self.form,
                record=self.events.append,
                landed=self.landed,
                earlier=self.earlier,
            ),
            specification=SPEC,
            spec="SPEC.md",
        )
        self.story = self._story(self.worksite)
        await self.story.board.recheck(self.worksite.holds)
        return await self.story.tell()

    def _story(self, worksite: Worksite) -> Story:
        record = self.events.append
        board = Board(self.status, record, self.clock, rehearsed=self.rehearsed)
        rounds = Rounds(
            driver=Driver(self.agent, self.clock, record, self.stop),
            board=board,
            worksite=worksite,
            equipment=self._equipment(),
            run_limits=self.limits,
            session_limits=self.session_limits,
            new_session_id=SessionNumbers(),
            real_path=os.path.realpath,
        )
        return Story(
            rules=Rules(self.limits, wait_for_quota=self.wait_for_quota),
            delay_s=3.0,
            backoff_s=self.backoff_s,
            quota_margin_s=60.0,
            spec_hash=SPEC_HASH,
            rounds=rounds,
            board=board,
            clock=self.clock,
            record=record,
            stop=self.stop,
            jitter=lambda: self.jitter,
            progress=self.progress,
        )

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
