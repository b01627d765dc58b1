"""A whole `focus` run over real git and a replayed agent, with a proving ground of words."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from treadle.wiring.focus_files import FocusFiles
from treadle.wiring.focus_loop import FocusStart, NoStatusFile
from treadle.workflows.focus.briefing import FocusBriefing, FocusPosition

from tests.builders import SessionNumbers, repository_in, run_started
from treadle.adapters.agents.replay import ReplayStep
from treadle.adapters.stores.note_files import NoteFiles
from treadle.adapters.stores.recorder import LegLog, Recorder
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.agent import Allow, TextClosed, TextStreamed, ToolUse
from treadle.domain.deliverable import Tally
from treadle.domain.run import RunResult
from treadle.durable.memory import MemorySteps
from treadle.session.driver import SessionDriver
from treadle.verify.check_runner_port import CommandStopped
from treadle.verify.memory_check_runner import GREEN, MemoryCheckRunner, PresetResult
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.focus.focus_history import phase_state
from treadle.workflows.focus.focus_steps import FocusSteps, ProjectCommands
from treadle.workflows.focus.focus_work import FocusWork
from treadle.workflows.focus.prompt import FocusFacts
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.loop.observation import Pacing
from treadle.workflows.loop.round_steps import RoundSteps
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.stuck import RoundFacts
from treadle.workflows.loop.tool_guard import ToolGuard
from treadle.workspace.project import find_project

from .story_stage import LastingAgent, StoryStage, ending, use

WORDS = "Tell the time"
CHECK = "make check"


@dataclass
class FocusStage(StoryStage):
    """As the stage of `deliver`; what the check command says is said beforehand."""

    given_review: str = ""
    review_terms: ReviewRules = field(default_factory=lambda: ReviewRules("major", 3))
    check: str = CHECK
    said: dict[tuple[str, str], PresetResult] = field(default_factory=lambda: {(CHECK, ""): GREEN})
    # What the tests say, one time after the other; then they have nothing against the work.
    tests: list[str | CommandStopped] = field(default_factory=list)
    set_up: list[str] = field(default_factory=list)
    chronicle: FocusFiles | None = None

    @property
    def wip(self) -> Mapping[str, str]:
        """The working files in the project, without the run's id before their names."""
        return files_in(self.user.path / ".treadle" / "wip", self.run)

    @property
    def history(self) -> Mapping[str, str]:
        return files_in(self.directory / self.run / "wip", self.run)

    async def tell(self) -> RunResult:
        known = read_history(self.store.read(self.run))
        if not known.events:
            self.agent, self.new_session_id = LastingAgent(self.sessions), SessionNumbers()
            self.record(run_started(self.run))
        files = WipFiles(
            self.user.path / ".treadle" / "wip", self.directory / self.run / "wip", self.run
        )
        self.chronicle = FocusFiles(files, given_review=self.given_review)
        self.chronicle.recall(self.store.read(self.run))
        readers = (self.chronicle.hear,)
        recorder = Recorder(self.writing(self.store), self.run, self.clock, readers)
        try:
            self.worksite = await self._worksite(recorder, known)
            self.story = await self._focus_story(recorder, known, self.worksite)
            return await self.story.run()
        finally:
            recorder.flush()

    async def _focus_story(
        self, recorder: Recorder, known: RunHistory, worksite: RunWorkspace
    ) -> RunLoop:
        assert self.chronicle is not None
        chronicle = self.chronicle

        log = LegLog(recorder, known.leg)

        stored = self.finished.setdefault((self.run, known.leg), [])
        steps = self.through(MemorySteps(stored, self.clock))
        begin = partial(self._focus_begin, worksite)
        beginning = await steps.step("begin", begin, returns=FocusStart)
        situation = FocusPosition(beginning.stage)
        ground, cabinet = MemoryCheckRunner(self.said), NoteFiles(self.user.path, self.run)
        project = await find_project(self.user.path, self.user.environment)
        acts = FocusSteps(
            history=lambda: chronicle.course,
            workspace=worksite,
            notes=cabinet,
            runner=ground,
            commands=ProjectCommands(
                self.check, 60.0, self._set_up, lambda: self.set_up.append("anew")
            ),
            clock=self.clock,
            log=log,
            stopping=self.stop.is_set,
        )
        reviewing = ReviewSteps(
            course=lambda: chronicle.course,
            git=project.git,
            ground=ground,
            cabinet=cabinet,
            terms=self.review_terms,
            clock=self.clock,
            command_s=60.0,
            log=log,
            is_allowed=lambda line: not line.startswith("rm "),
            judge_tests=self._judge_tests,
        )
        plot = FocusWork(steps, situation, acts, reviewing, WORDS)
        await plot.open(beginning.tip)
        briefing = FocusBriefing(
            setup=self._equipment(),
            facts=FocusFacts(WORDS, "specs", self.given_review, self.check),
            workspace=worksite,
            position=situation,
            history=lambda: chronicle.course,
            log=recorder,
            new_session_id=self.new_session_id,
            guard=ToolGuard(os.path.realpath, lambda line, allowed, directory: Allow()),
            clean=lambda arguments: arguments,
        )
        rounds = RoundSteps(
            driver=SessionDriver(self.agent, self.clock, recorder.record, self.stop),
            board=DeliverableBoard(NoStatusFile(), recorder.record, self.clock),
            workspace=worksite,
            briefing=briefing,
            session_limits=self.session_limits,
            inputs=self._surroundings(),
            admission=self._gates(),
            history=known,
            log=log,
            slots=asyncio.Semaphore(1),
            import_work=acts.import_work,
        )
        before = RoundFacts(0, beginning.tree, Tally(), beginning.stage.measure)
        story = RunLoop(
            steps=steps,
            pacing=Pacing(delay_s=3.0, backoff_s=self.backoff_s, quota_margin_s=60.0),
            spec_hash="",
            rounds=rounds,
            clock=self.clock,
            log=log,
            stop=self.stop,
            jitter=lambda: self.jitter,
            progress=RunProgress(
                rounds=beginning.stage.complete,
                unfinished=beginning.stage.unfinished,
                history=(before,),
            ),
            tip=beginning.tip,
            decide=plot.decide,
        )
        story.after = partial(plot.after, story)
        return story

    async def _focus_begin(self, worksite: RunWorkspace) -> FocusStart:
        assert self.chronicle is not None
        tip = worksite.start
        tree = (await worksite.tree_change(tip, tip)).tree
        return FocusStart(tip, tree, phase_state(self.chronicle.course))

    async def _set_up(self) -> None:
        self.set_up.append("set up")

    async def _judge_tests(self, commit: str) -> str | CommandStopped:
        return self.tests.pop(0) if self.tests else ""


def files_in(folder: Path, run: str) -> Mapping[str, str]:
    if not folder.is_dir():
        return {}
    return {
        path.name.removeprefix(run): path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
    }


def focus_stage_in(directory: Path) -> FocusStage:
    specs = {"SPEC.md": "# Clock\n", "specs/clock.md": "# Clock\n\nTell the time.\n"}
    return FocusStage(directory, repository_in(directory, **specs))


def said(*lines: str) -> list[ReplayStep]:
    """The agent says this in one block of text."""
    return [TextStreamed("\n".join(lines) + "\n"), TextClosed()]


def marker(kind: str, text: str) -> list[ReplayStep]:
    return said(f"<{kind}>", text, f"</{kind}>")


def planned(text: str) -> list[ReplayStep]:
    """A planner's whole session."""
    return [use("write_plan", {"text": text}), *marker("PLAN_COMPLETE", "Planned."), ending()]


def finding(severity: str, text: str, **shown: str) -> dict[str, str]:
    return {"severity": severity, "text": text, **shown}


def reviewed(kind: str, findings: Sequence[Mapping[str, str]] = ()) -> list[ReplayStep]:
    """A reviewer's whole session; one that approves without findings hands none over."""
    written: list[ReplayStep] = [_review(findings)] if findings else []
    return [*written, *marker(kind, "Reviewed."), ending()]


def _review(findings: Sequence[Mapping[str, str]]) -> ToolUse:
    return use("write_review", {"findings": [dict(each) for each in findings]})
