"""Builds the loop of a `focus` run from the parts of the run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import SetupFinished
from treadle.domain.run import LandingChoice
from treadle.verify.grades.grade import shortfall
from treadle.verify.results.check_runner import CommandStopped
from treadle.verify.suites.suite_comparison import RegressionRules
from treadle.workflows.focus.focus_files import FocusFiles
from treadle.workflows.focus.focus_history import FocusHistory, phase_state
from treadle.workflows.focus.focus_steps import FocusSteps, ProjectCommands
from treadle.workflows.focus.focus_work import FocusWork
from treadle.workflows.focus.phases import PhaseState
from treadle.workflows.focus.prompt import FocusFacts
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import (
    ReviewSteps,
    SuiteFindings,
    VerifyTests,
    no_objection,
)
from treadle.workflows.loop.answers import with_edits
from treadle.workflows.loop.plan_question import PlanEdits, PlanGate
from treadle.workflows.loop.round_steps import nothing_to_prepare
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress, with_spent
from treadle.workflows.loop.stuck import RoundFacts, criteria_of
from treadle.workflows.loop.suite_verifier import SuiteVerifier, suites_on_work
from treadle.workspace.blob_texts import read_texts

History = Callable[[], FocusHistory]


@dataclass(frozen=True, slots=True)
class FocusStart:
    """What a leg of the run starts with. Stored as a step result."""

    tip: str
    tree: str
    stage: PhaseState
    landing: LandingChoice = field(default_factory=LandingChoice)
    plan_gate: PlanGate = "off"
    # What the next plan must have changed.
    edits: PlanEdits | None = None


async def build_focus(parts: RunParts) -> RunLoop:
    files = parts.follower
    if not isinstance(files, FocusFiles):
        raise AssertionError("a focus run follows its log from the start")
    history = _history(parts, files)
    parts.warn_of_agent_settings()

    async def start() -> FocusStart:
        tip = parts.workspace.start
        tree = (await parts.workspace.tree_change(tip, tip)).tree
        state, gate, edits = phase_state(files.history), parts.plan_gate(), parts.plan_edits()
        if edits is not None:
            state = replace(state, phase="planning")
        return FocusStart(tip, tree, state, parts.landing, gate, edits)

    started = await parts.steps.step("begin", start, returns=FocusStart)
    work = _work(parts, history, started.stage, await _specifications(parts))
    took_s = await work.prepare(started.tip)
    progress = _first_progress(parts, started, took_s)
    return parts.loop(
        work,
        progress=progress,
        tip=started.tip,
        landing=started.landing,
        prepare=nothing_to_prepare,
    )


def _history(parts: RunParts, files: FocusFiles) -> History:
    def history() -> FocusHistory:
        if files.problem:
            warning = RunWarned(f"the working files are not up to date: {files.problem}")
            parts.log.record(warning, once=f"wip {files.problem}")
        return files.history

    return history


def _work(parts: RunParts, history: History, state: PhaseState, specifications: str) -> FocusWork:
    inputs, options = parts.request.inputs, parts.options
    return FocusWork(
        steps=parts.steps,
        phase_state=state,
        history=history,
        focus_steps=_focus_steps(parts, history),
        review_steps=_review_steps(parts, history, specifications),
        briefs=parts.sessions.briefs,
        facts=FocusFacts(
            focus=inputs.get("words", ""),
            specs=parts.facts.specs,
            given_review=inputs.get("review", ""),
            check=parts.facts.check,
            test=parts.facts.test,
            bar=options.review_bar,
        ),
        log=parts.log,
        redact=parts.redact,
    )


def _focus_steps(parts: RunParts, history: History) -> FocusSteps:
    async def set_up() -> SetupFinished | None:
        # With its own count of failures: a new plan is another reason to try.
        return await parts.sessions.new_setup()()

    commands = ProjectCommands(
        check=parts.facts.check,
        check_s=parts.checks.check_s,
        set_up=set_up,
        forget_setup=parts.sessions.forget_setup,
    )
    return FocusSteps(
        history=history,
        workspace=parts.workspace,
        notes=parts.notes,
        runner=parts.checks.runner,
        commands=commands,
        clock=parts.driver.clock,
        log=parts.leg_log,
        is_stopping=parts.driver.stop.is_set,
    )


def _review_steps(parts: RunParts, history: History, specifications: str) -> ReviewSteps:
    options = parts.options
    return ReviewSteps(
        history=history,
        git=parts.git,
        runner=parts.checks.runner,
        notes=parts.notes,
        rules=ReviewRules(options.review_bar, options.max_reviews),
        clock=parts.driver.clock,
        command_s=parts.checks.check_s,
        log=parts.leg_log,
        is_allowed=parts.checks.is_allowed,
        verify_tests=_verify_tests(parts, specifications),
    )


async def _specifications(parts: RunParts) -> str:
    """The texts of the folder of specifications, as the user left them."""
    if parts.checks.suite is None or not parts.facts.specs:
        return ""
    folder = str(PurePosixPath(parts.facts.specs))
    texts = await read_texts(parts.git, parts.workspace.snapshot, [folder])
    return "\n".join(texts.values())


def _verify_tests(parts: RunParts, specifications: str) -> VerifyTests:
    checks = parts.checks
    if checks.suite is None:
        return no_objection

    def rules() -> RegressionRules:
        # Not the plan, which an agent wrote: only the user lets a test disappear.
        words = parts.request.inputs.get("words", "")
        return RegressionRules(f"{words}\n{specifications}", checks.coverage)

    # Not unlanded work of an earlier run: its failures would count as known.
    baseline = parts.workspace.snapshot
    suite = SuiteVerifier(
        checks.runner,
        checks.suite,
        baseline,
        rules,
        parts.log.record,
        checks.judges,
        finished=suites_on_work(parts.read_log),
    )

    async def verify_tests(commit: str) -> SuiteFindings | CommandStopped:
        verdict = await suite.verify(commit)
        if isinstance(verdict, CommandStopped):
            return verdict
        return SuiteFindings(verdict.problems, shortfall((), verdict.grade, checks.required))

    return verify_tests


def _first_progress(parts: RunParts, start: FocusStart, took_s: float) -> RunProgress:
    state = start.stage
    before = RoundFacts(0, start.tree, Tally(), criteria_of(()), phases=state.measure)
    fresh = RunProgress(
        rounds=state.complete,
        unfinished=state.unfinished,
        running_s=took_s,
        history=(before,),
        plan_gate=start.plan_gate,
    )
    return with_spent(with_edits(fresh, start.edits), parts.request.so_far)
