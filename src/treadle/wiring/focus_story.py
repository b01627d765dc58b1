"""Puts the story of a `focus` run together: what all workflows share, and its own plot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from treadle.adapters.stores.kept_notes import KeptNotes
from treadle.domain.agent import Allow
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.events.run import RunWarned
from treadle.durable.port import Steps
from treadle.session.drive import Driver
from treadle.verify.gate import GateRules
from treadle.verify.proving_ground import NotShown, ProvingGround
from treadle.wiring.clock import SystemClock, fresh_session_id
from treadle.wiring.deliver_story import manner_of, of_leg, surroundings_of, with_spent
from treadle.wiring.equipment import equipment_of
from treadle.wiring.focus_chronicle import Chronicle
from treadle.wiring.gates import gates_of, spread
from treadle.wiring.guard import guard_of, judging, notice_foreign_settings
from treadle.wiring.limits import session_limits
from treadle.wiring.network import hosts_told
from treadle.wiring.proving import proving_ground
from treadle.wiring.setup import DONE, preparing
from treadle.wiring.telling import LandingWish, Telling, landing_when
from treadle.wiring.verification import suite_of
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.rounds import Rounds
from treadle.workflows.deliver.story import Story
from treadle.workflows.deliver.stuck import RoundFacts
from treadle.workflows.focus.acts import Acts, Commands
from treadle.workflows.focus.briefing import FocusBriefing, Situation
from treadle.workflows.focus.plot import Plot
from treadle.workflows.focus.prompts import Facts
from treadle.workflows.focus.recollection import Course, stage_of
from treadle.workflows.focus.reviewing import JudgeTests, Reviewing, no_objection
from treadle.workflows.focus.reviews import Terms
from treadle.workflows.focus.stage import Stage
from treadle.workflows.suite_gate import SuiteGate
from treadle.workflows.worksite import Worksite


@dataclass(frozen=True, slots=True)
class FocusBeginning:
    """What a leg of the run begins with, decided once."""

    tip: str
    tree: str
    stage: Stage
    landing: LandingWish = field(default_factory=LandingWish)


class NoStatusFile:
    """A focus run has no deliverables, and leaves those of others alone."""

    def read(self) -> tuple[Deliverable, ...]:
        return ()

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        return True


async def make_focus_story(
    telling: Telling, worksite: Worksite, driver: Driver, steps: Steps
) -> Story:
    ready, chronicle = telling.ready, telling.chronicle
    if chronicle is None:
        raise AssertionError("a focus run has its chronicle from the start")
    notice_foreign_settings(telling, worksite.path)

    async def begin() -> FocusBeginning:
        tip = worksite.start
        when = landing_when(ready.settings.land, separated=telling.separated)
        return FocusBeginning(
            tip=tip,
            tree=(await worksite.movement(tip, tip)).tree,
            stage=stage_of(chronicle.course),
            landing=LandingWish(when, by_approval=ready.presence.asks_by_approval),
        )

    beginning = await steps.step("begin", begin, returns=FocusBeginning)
    telling.landing = beginning.landing
    situation = Situation(beginning.stage)
    plot = _plot(telling, worksite, steps, situation, chronicle)
    took_s = await plot.open(beginning.tip)
    rounds = await _rounds(telling, worksite, driver, situation, plot)
    story = Story(
        steps=steps,
        manner=manner_of(telling),
        spec_hash=ready.spec_hash,
        rounds=rounds,
        clock=driver.clock,
        record_once=of_leg(telling),
        stop=driver.stop,
        jitter=lambda: spread(ready.request.run),
        progress=_progress(telling, beginning, took_s),
        tip=beginning.tip,
        decide=plot.decide,
    )
    story.after = partial(plot.after, story)
    return story


def _plot(
    telling: Telling, worksite: Worksite, steps: Steps, situation: Situation, chronicle: Chronicle
) -> Plot:
    ready, settings = telling.ready, telling.ready.settings

    def course() -> Course:
        if chronicle.trouble:
            warned = f"the working files are not up to date: {chronicle.trouble}"
            telling.recorder.record_once(f"wip {chronicle.trouble}", RunWarned(warned))
        return chronicle.course

    ground = proving_ground(telling)
    cabinet = KeptNotes(ready.project.root, ready.request.run)
    acts = Acts(
        course=course,
        worksite=worksite,
        cabinet=cabinet,
        ground=ground,
        commands=_commands(telling, worksite),
        clock=SystemClock(),
        record_once=of_leg(telling),
        stopping=telling.stop.is_set,
    )
    reviewing = Reviewing(
        course=course,
        git=ready.project.git,
        ground=ground,
        cabinet=cabinet,
        terms=Terms(settings.focus.review_bar, settings.focus.max_reviews),
        clock=SystemClock(),
        command_s=settings.verify.check_minutes * 60,
        record_once=of_leg(telling),
        is_allowed=_is_allowed(telling, worksite),
        judge_tests=_judge_tests(telling, worksite, ground, chronicle),
    )
    return Plot(steps, situation, acts, reviewing, ready.request.words)


def _commands(telling: Telling, worksite: Worksite) -> Commands:
    settings = telling.ready.settings
    done = telling.ready.directory / DONE

    async def set_up() -> None:
        # Each time with its tries before it: a new plan is another reason to try.
        await preparing(telling, worksite.path, hosts_told(telling))()

    return Commands(
        check=settings.project.check,
        check_s=settings.verify.check_minutes * 60,
        set_up=set_up,
        forget_setup=lambda: done.unlink(missing_ok=True),
    )


def _is_allowed(telling: Telling, worksite: Worksite) -> Callable[[str], bool]:
    workspace = worksite.path
    judge_line = judging(telling.ready, workspace)
    return lambda line: isinstance(judge_line(line, "run", str(workspace)), Allow)


def _judge_tests(
    telling: Telling, worksite: Worksite, ground: ProvingGround, chronicle: Chronicle
) -> JudgeTests:
    suite = suite_of(telling)
    if suite is None:
        return no_objection
    request, coverage = telling.ready.request, telling.ready.settings.verify.coverage
    gate = SuiteGate(
        ground=ground,
        suite=suite,
        # Not what an earlier run left: its red would count as known.
        baseline=worksite.snapshot,
        # A test may go if somebody who planned the work said so.
        rules=lambda: GateRules("\n".join((request.words, *chronicle.course.plans)), coverage),
        record=telling.recorder.record,
    )

    async def judge_tests(commit: str) -> str | NotShown:
        gated = await gate.judge(commit)
        return gated if isinstance(gated, NotShown) else gated.told

    return judge_tests


async def _rounds(
    telling: Telling, worksite: Worksite, driver: Driver, situation: Situation, plot: Plot
) -> Rounds:
    ready, recorder, settings = telling.ready, telling.recorder, telling.ready.settings
    project, request = settings.project, ready.request
    briefing = FocusBriefing(
        equipment=equipment_of(telling),
        facts=Facts(
            words=request.words,
            specs=project.specs,
            given_review=request.review,
            check=project.check,
            test=project.test,
            bar=settings.focus.review_bar,
        ),
        worksite=worksite,
        situation=situation,
        course=plot.acts.course,
        record=recorder.record,
        record_once=recorder.record_once,
        new_session_id=fresh_session_id,
        guard=await guard_of(telling, worksite),
        clean=telling.clean,
    )
    return Rounds(
        driver=driver,
        board=Board(NoStatusFile(), recorder.record, driver.clock),
        worksite=worksite,
        briefing=briefing,
        session_limits=session_limits(settings),
        surroundings=surroundings_of(telling),
        gates=gates_of(telling),
        known=telling.known,
        record_once=of_leg(telling),
        slots=ready.presence.slots,
        bring=plot.acts.bring,
    )


def _progress(telling: Telling, beginning: FocusBeginning, took_s: float) -> Progress:
    stage = beginning.stage
    before = RoundFacts(0, beginning.tree, Tally(), stage.measure)
    fresh = Progress(
        rounds=stage.complete, unfinished=stage.unfinished, running_s=took_s, history=(before,)
    )
    return with_spent(fresh, telling.ready.request.so_far)
