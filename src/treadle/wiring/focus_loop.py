"""Puts the story of a `focus` run together: what all workflows share, and its own plot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from treadle.adapters.clock import SystemClock, fresh_session_id
from treadle.adapters.stores.note_files import NoteFiles
from treadle.domain.agent import Allow
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.events.run import RunWarned
from treadle.durable.port import Steps
from treadle.runs.active_run import ActiveRun, LandingChoice, landing_when
from treadle.session.driver import SessionDriver
from treadle.verify.check_runner_port import CheckRunner, CommandStopped
from treadle.verify.suite_comparison import RegressionRules
from treadle.wiring.admission import session_admission, spread
from treadle.wiring.check_runner import check_runner
from treadle.wiring.deliver_loop import leg_log, pacing, run_inputs, with_spent
from treadle.wiring.focus_files import FocusFiles
from treadle.wiring.limits import session_limits
from treadle.wiring.network import hosts_told
from treadle.wiring.session_setup import session_setup
from treadle.wiring.setup import DONE, preparing
from treadle.wiring.tool_guard import notice_foreign_settings, shell_decider, tool_guard
from treadle.wiring.verification import test_suite
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.focus.briefing import FocusBriefing, FocusPosition
from treadle.workflows.focus.focus_history import FocusHistory, phase_state
from treadle.workflows.focus.focus_steps import FocusSteps, ProjectCommands
from treadle.workflows.focus.focus_work import FocusWork
from treadle.workflows.focus.phases import PhaseState
from treadle.workflows.focus.prompt import FocusFacts
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import ReviewSteps, VerifyTests, no_objection
from treadle.workflows.loop.round_steps import RoundSteps
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.stuck import RoundFacts
from treadle.workflows.loop.suite_verifier import SuiteVerifier


@dataclass(frozen=True, slots=True)
class FocusStart:
    """What a leg of the run begins with, decided once."""

    tip: str
    tree: str
    stage: PhaseState
    landing: LandingChoice = field(default_factory=LandingChoice)


class NoStatusFile:
    """A focus run has no deliverables, and leaves those of others alone."""

    def read(self) -> tuple[Deliverable, ...]:
        return ()

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        return True


async def make_focus_loop(
    telling: ActiveRun, worksite: RunWorkspace, driver: SessionDriver, steps: Steps
) -> RunLoop:
    ready, chronicle = telling.ready, telling.focus_files
    if chronicle is None:
        raise AssertionError("a focus run has its chronicle from the start")
    notice_foreign_settings(telling, worksite.path)

    async def begin() -> FocusStart:
        tip = worksite.start
        when = landing_when(ready.settings.land, separated=telling.separated)
        return FocusStart(
            tip=tip,
            tree=(await worksite.tree_change(tip, tip)).tree,
            stage=phase_state(chronicle.course),
            landing=LandingChoice(when, by_approval=ready.host.asks_by_approval),
        )

    beginning = await steps.step("begin", begin, returns=FocusStart)
    telling.landing = beginning.landing
    situation = FocusPosition(beginning.stage)
    plot = _plot(telling, worksite, steps, situation, chronicle)
    took_s = await plot.open(beginning.tip)
    rounds = await _rounds(telling, worksite, driver, situation, plot)
    story = RunLoop(
        steps=steps,
        pacing=pacing(telling),
        spec_hash=ready.spec_hash,
        rounds=rounds,
        clock=driver.clock,
        log=leg_log(telling),
        stop=driver.stop,
        jitter=lambda: spread(ready.request.run),
        progress=_progress(telling, beginning, took_s),
        tip=beginning.tip,
        decide=plot.decide,
    )
    story.after = partial(plot.after, story)
    return story


def _plot(
    telling: ActiveRun,
    worksite: RunWorkspace,
    steps: Steps,
    situation: FocusPosition,
    chronicle: FocusFiles,
) -> FocusWork:
    ready, settings = telling.ready, telling.ready.settings

    def course() -> FocusHistory:
        if chronicle.trouble:
            warned = f"the working files are not up to date: {chronicle.trouble}"
            telling.recorder.record(RunWarned(warned), once=f"wip {chronicle.trouble}")
        return chronicle.course

    ground = check_runner(telling)
    cabinet = NoteFiles(ready.project.root, ready.request.run)
    acts = FocusSteps(
        history=course,
        workspace=worksite,
        notes=cabinet,
        runner=ground,
        commands=_commands(telling, worksite),
        clock=SystemClock(),
        log=leg_log(telling),
        stopping=telling.stop.is_set,
    )
    reviewing = ReviewSteps(
        course=course,
        git=ready.project.git,
        ground=ground,
        cabinet=cabinet,
        terms=ReviewRules(settings.focus.review_bar, settings.focus.max_reviews),
        clock=SystemClock(),
        command_s=settings.verify.check_minutes * 60,
        log=leg_log(telling),
        is_allowed=_is_allowed(telling, worksite),
        judge_tests=_judge_tests(telling, worksite, ground, chronicle),
    )
    return FocusWork(steps, situation, acts, reviewing, ready.request.words)


def _commands(telling: ActiveRun, worksite: RunWorkspace) -> ProjectCommands:
    settings = telling.ready.settings
    done = telling.ready.directory / DONE

    async def set_up() -> None:
        # Each time with its tries before it: a new plan is another reason to try.
        await preparing(telling, worksite.path, hosts_told(telling))()

    return ProjectCommands(
        check=settings.project.check,
        check_s=settings.verify.check_minutes * 60,
        set_up=set_up,
        forget_setup=lambda: done.unlink(missing_ok=True),
    )


def _is_allowed(telling: ActiveRun, worksite: RunWorkspace) -> Callable[[str], bool]:
    workspace = worksite.path
    judge_line = shell_decider(telling.ready, workspace)
    return lambda line: isinstance(judge_line(line, "run", str(workspace)), Allow)


def _judge_tests(
    telling: ActiveRun, worksite: RunWorkspace, ground: CheckRunner, chronicle: FocusFiles
) -> VerifyTests:
    suite = test_suite(telling)
    if suite is None:
        return no_objection
    request, coverage = telling.ready.request, telling.ready.settings.verify.coverage
    gate = SuiteVerifier(
        runner=ground,
        suite=suite,
        # Not what an earlier run left: its red would count as known.
        baseline=worksite.snapshot,
        # A test may go if somebody who planned the work said so.
        rules=lambda: RegressionRules(
            "\n".join((request.words, *chronicle.course.plans)), coverage
        ),
        record=telling.recorder.record,
    )

    async def judge_tests(commit: str) -> str | CommandStopped:
        gated = await gate.verify(commit)
        return gated if isinstance(gated, CommandStopped) else gated.problems

    return judge_tests


async def _rounds(
    telling: ActiveRun,
    worksite: RunWorkspace,
    driver: SessionDriver,
    situation: FocusPosition,
    plot: FocusWork,
) -> RoundSteps:
    ready, recorder, settings = telling.ready, telling.recorder, telling.ready.settings
    project, request = settings.project, ready.request
    briefing = FocusBriefing(
        setup=session_setup(telling),
        facts=FocusFacts(
            words=request.words,
            specs=project.specs,
            given_review=request.review,
            check=project.check,
            test=project.test,
            bar=settings.focus.review_bar,
        ),
        workspace=worksite,
        position=situation,
        history=plot.focus_steps.history,
        log=recorder,
        new_session_id=fresh_session_id,
        guard=await tool_guard(telling, worksite),
        clean=telling.clean,
    )
    return RoundSteps(
        driver=driver,
        board=DeliverableBoard(NoStatusFile(), recorder.record, driver.clock),
        workspace=worksite,
        briefing=briefing,
        session_limits=session_limits(settings),
        inputs=run_inputs(telling),
        admission=session_admission(telling),
        history=telling.history,
        log=leg_log(telling),
        slots=ready.host.slots,
        import_work=plot.focus_steps.import_work,
    )


def _progress(telling: ActiveRun, beginning: FocusStart, took_s: float) -> RunProgress:
    stage = beginning.stage
    before = RoundFacts(0, beginning.tree, Tally(), stage.measure)
    fresh = RunProgress(
        rounds=stage.complete, unfinished=stage.unfinished, running_s=took_s, history=(before,)
    )
    return with_spent(fresh, telling.ready.request.so_far)
