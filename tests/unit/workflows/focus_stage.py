"""A whole `focus` run over real git and a replayed agent, with a proving ground of words."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.builders import SessionNumbers, repository_in, run_started
from treadle.adapters.agents.replay import Move
from treadle.adapters.stores.kept_notes import KeptNotes
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.agent import Allow, TextClosed, TextStreamed, ToolUse
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.run import RunResult
from treadle.durable.memory import MemorySteps
from treadle.session.drive import Driver
from treadle.verify.memory_ground import GREEN, MemoryGround, Said
from treadle.verify.proving_ground import NotShown
from treadle.wiring.focus_chronicle import Chronicle
from treadle.wiring.focus_story import FocusBeginning, NoStatusFile
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.recollection import Recollection, recollect
from treadle.workflows.deliver.rounds import Rounds
from treadle.workflows.deliver.story import Manner, Story
from treadle.workflows.deliver.stuck import RoundFacts
from treadle.workflows.focus.acts import Acts, Commands
from treadle.workflows.focus.briefing import FocusBriefing, Situation
from treadle.workflows.focus.plot import Plot
from treadle.workflows.focus.prompts import Facts
from treadle.workflows.focus.recollection import stage_of
from treadle.workflows.focus.reviewing import Reviewing
from treadle.workflows.focus.reviews import Terms
from treadle.workflows.guard import Guard
from treadle.workflows.worksite import Worksite
from treadle.workspace.project import find_project

from .story_stage import LastingAgent, StoryStage, ending, use

WORDS = "Tell the time"
CHECK = "make check"


@dataclass
class FocusStage(StoryStage):
    """As the stage of `deliver`; what the check command says is said beforehand."""

    given_review: str = ""
    review_terms: Terms = field(default_factory=lambda: Terms("major", 3))
    check: str = CHECK
    said: dict[tuple[str, str], Said] = field(default_factory=lambda: {(CHECK, ""): GREEN})
    # What the tests say, one time after the other; then they have nothing against the work.
    tests: list[str | NotShown] = field(default_factory=list)
    set_up: list[str] = field(default_factory=list)
    chronicle: Chronicle | None = None

    @property
    def wip(self) -> Mapping[str, str]:
        """The working files in the project, without the run's id before their names."""
        return files_in(self.user.path / ".treadle" / "wip", self.run)

    @property
    def history(self) -> Mapping[str, str]:
        return files_in(self.directory / self.run / "wip", self.run)

    async def tell(self) -> RunResult:
        known = recollect(self.store.read(self.run))
        if not known.events:
            self.agent, self.new_session_id = LastingAgent(self.sessions), SessionNumbers()
            self.record(run_started(self.run))
        files = WipFiles(
            self.user.path / ".treadle" / "wip", self.directory / self.run / "wip", self.run
        )
        self.chronicle = Chronicle(files, given_review=self.given_review)
        self.chronicle.recall(self.store.read(self.run))
        readers = (self.chronicle.hear,)
        recorder = Recorder(self.writing(self.store), self.run, self.clock, readers)
        try:
            self.worksite = await self._worksite(recorder, known)
            self.story = await self._focus_story(recorder, known, self.worksite)
            return await self.story.tell()
        finally:
            recorder.flush()

    async def _focus_story(
        self, recorder: Recorder, known: Recollection, worksite: Worksite
    ) -> Story:
        assert self.chronicle is not None
        chronicle = self.chronicle

        def record_once(key: str, event: Event) -> None:
            recorder.record_once(f"{known.leg}: {key}", event)

        stored = self.finished.setdefault((self.run, known.leg), [])
        steps = self.through(MemorySteps(stored, self.clock))
        begin = partial(self._focus_begin, worksite)
        beginning = await steps.step("begin", begin, returns=FocusBeginning)
        situation = Situation(beginning.stage)
        ground, cabinet = MemoryGround(self.said), KeptNotes(self.user.path, self.run)
        project = await find_project(self.user.path, self.user.environment)
        acts = Acts(
            course=lambda: chronicle.course,
            worksite=worksite,
            cabinet=cabinet,
            ground=ground,
            commands=Commands(self.check, 60.0, self._set_up, lambda: self.set_up.append("anew")),
            clock=self.clock,
            record_once=record_once,
            stopping=self.stop.is_set,
        )
        reviewing = Reviewing(
            course=lambda: chronicle.course,
            git=project.git,
            ground=ground,
            cabinet=cabinet,
            terms=self.review_terms,
            clock=self.clock,
            command_s=60.0,
            record_once=record_once,
            is_allowed=lambda line: not line.startswith("rm "),
            judge_tests=self._judge_tests,
        )
        plot = Plot(steps, situation, acts, reviewing, WORDS)
        await plot.open(beginning.tip)
        briefing = FocusBriefing(
            equipment=self._equipment(),
            facts=Facts(WORDS, "specs", self.given_review, self.check),
            worksite=worksite,
            situation=situation,
            course=lambda: chronicle.course,
            record=recorder.record,
            record_once=recorder.record_once,
            new_session_id=self.new_session_id,
            guard=Guard(os.path.realpath, lambda line, allowed, directory: Allow()),
            clean=lambda arguments: arguments,
        )
        rounds = Rounds(
            driver=Driver(self.agent, self.clock, recorder.record, self.stop),
            board=Board(NoStatusFile(), recorder.record, self.clock),
            worksite=worksite,
            briefing=briefing,
            session_limits=self.session_limits,
            surroundings=self._surroundings(),
            gates=self._gates(),
            known=known,
            record_once=record_once,
            slots=asyncio.Semaphore(1),
            bring=acts.bring,
        )
        before = RoundFacts(0, beginning.tree, Tally(), beginning.stage.measure)
        story = Story(
            steps=steps,
            manner=Manner(delay_s=3.0, backoff_s=self.backoff_s, quota_margin_s=60.0),
            spec_hash="",
            rounds=rounds,
            clock=self.clock,
            record_once=record_once,
            stop=self.stop,
            jitter=lambda: self.jitter,
            progress=Progress(
                rounds=beginning.stage.complete,
                unfinished=beginning.stage.unfinished,
                history=(before,),
            ),
            tip=beginning.tip,
            decide=plot.decide,
        )
        story.after = partial(plot.after, story)
        return story

    async def _focus_begin(self, worksite: Worksite) -> FocusBeginning:
        assert self.chronicle is not None
        tip = worksite.start
        tree = (await worksite.movement(tip, tip)).tree
        return FocusBeginning(tip, tree, stage_of(self.chronicle.course))

    async def _set_up(self) -> None:
        self.set_up.append("set up")

    async def _judge_tests(self, commit: str) -> str | NotShown:
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


def said(*lines: str) -> list[Move]:
    """The agent says this in one block of text."""
    return [TextStreamed("\n".join(lines) + "\n"), TextClosed()]


def marker(kind: str, text: str) -> list[Move]:
    return said(f"<{kind}>", text, f"</{kind}>")


def planned(text: str) -> list[Move]:
    """A planner's whole session."""
    return [use("write_plan", {"text": text}), *marker("PLAN_COMPLETE", "Planned."), ending()]


def finding(severity: str, text: str, **shown: str) -> dict[str, str]:
    return {"severity": severity, "text": text, **shown}


def reviewed(kind: str, findings: Sequence[Mapping[str, str]] = ()) -> list[Move]:
    """A reviewer's whole session; one that approves without findings hands none over."""
    written: list[Move] = [_review(findings)] if findings else []
    return [*written, *marker(kind, "Reviewed."), ending()]


def _review(findings: Sequence[Mapping[str, str]]) -> ToolUse:
    return use("write_review", {"findings": [dict(each) for each in findings]})
