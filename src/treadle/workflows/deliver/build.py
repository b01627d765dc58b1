"""Builds the loop of a `deliver` run from the parts of the run."""

from collections.abc import Callable
from dataclasses import dataclass, field

from treadle.domain.events.run import RunWarned
from treadle.domain.run import LandingChoice
from treadle.verify.checks.spec_checks import spec_checks, unread_checks
from treadle.verify.suites.suite_comparison import RegressionRules
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.check_history import (
    count_looks,
    first_check_commits,
    green_checks,
    red_checks,
    unknown_looks,
)
from treadle.workflows.deliver.check_runs import CheckRuns
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.deliver.pass_rules import PassRules
from treadle.workflows.deliver.verifier import DeliverableVerifier
from treadle.workflows.loop.answers import with_edits
from treadle.workflows.loop.plan_question import PlanEdits, PlanGate
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress, with_spent
from treadle.workflows.loop.stuck import RoundFacts, criteria_of
from treadle.workflows.loop.suite_verifier import SuiteVerifier, suites_on_work

_MOST_LINES = 10
_RIGHT_FORM = (
    "put it after the text of a list item, in backticks: - It greets. Check: `./greet | grep hi`"
)


@dataclass(frozen=True, slots=True)
class DeliverStart:
    """What a leg of the run starts with. Stored as a step result."""

    spec_hash: str
    plan_outdated: bool
    tip: str
    facts: RoundFacts
    # Stored, so that the steps of the landing do not depend on the process.
    landing: LandingChoice = field(default_factory=LandingChoice)
    plan_gate: PlanGate = "off"
    # What the next plan must have changed.
    edits: PlanEdits | None = None


async def build_deliver(parts: RunParts) -> RunLoop:
    return await build_loop(parts, DeliverWork, make_verifier)


async def build_loop(
    parts: RunParts,
    work_type: Callable[..., DeliverWork],
    verifier_of: Callable[[RunParts, DeliverableBoard], DeliverableVerifier],
) -> RunLoop:
    """The loop of a run on deliverables."""
    board = await open_board(parts)
    parts.warn_of_agent_settings()
    start = await start_leg(parts, board)
    work = work_type(
        board=board,
        verifier=verifier_of(parts, board),
        workspace=parts.workspace,
        briefs=parts.sessions.briefs,
        facts=parts.facts,
        spec_hash=start.spec_hash,
        log=parts.leg_log,
    )
    progress = first_progress(parts, start)
    return parts.loop(work, progress=progress, tip=start.tip, landing=start.landing)


async def open_board(parts: RunParts) -> DeliverableBoard:
    """The deliverables from the run's log, or from status.json for a new run."""
    history, workspace = parts.history, parts.workspace
    board = DeliverableBoard(
        parts.status,
        parts.log.record,
        parts.driver.clock,
        rehearsed=parts.request.rehearsal,
        clean=parts.redact,
        rules=_pass_rules(parts),
    )
    if history.deliverables or history.session_records:
        board.reopen(history)
        if history.is_fresh_leg:
            if parts.workflow.place == "branch" and workspace.imported is not None:
                # Its log does not tell the commit of a pass that is only claimed.
                board.confirm_passes(workspace.imported.commit)
            # Passes of other runs may rely on work that this run lacks.
            await board.reset_missing_passes(workspace.contains)
            if history.reopened_by == "retry":
                board.unblock()
    else:
        board.open()
        if names := ", ".join(board.rehearsed_ids):
            left_out = RunWarned(f"left out, because only a rehearsal created it: {names}")
            parts.log.record(left_out, once="rehearsed plan left out")
    if not history.has_worked:
        await board.reset_missing_passes(workspace.contains)
    if not _is_plan_outdated(parts):
        board.add_unmatched_checks()
    return board


def _is_plan_outdated(parts: RunParts) -> bool:
    """Whether the deliverables were written for another specification."""
    # A plan of this run is for the specification in its workspace.
    planned = "" if parts.history.planned else parts.previous.planned
    return planned not in ("", parts.spec_hash)


def _pass_rules(parts: RunParts) -> PassRules:
    """What the settings and the specification require for a pass."""
    return PassRules(
        timing="after_round" if parts.checks.suite is not None else "at_once",
        require_checks="required" if parts.checks.require_checks else "optional",
        spec_checks=spec_checks(parts.spec_text),
        why_not_run=parts.checks.why_not_run,
    )


async def start_leg(parts: RunParts, board: DeliverableBoard) -> DeliverStart:
    """The start of this leg, decided once."""

    async def start() -> DeliverStart:
        tip = parts.workspace.start
        facts = RoundFacts(
            number=0,
            tree=(await parts.workspace.tree_change(tip, tip)).tree,
            tally=board.tally(),
            criteria=criteria_of(board.deliverables),
        )
        gate, edits = parts.plan_gate(), parts.plan_edits()
        is_outdated = _is_plan_outdated(parts) or edits is not None
        return DeliverStart(parts.spec_hash, is_outdated, tip, facts, parts.landing, gate, edits)

    return await parts.steps.step("begin", start, returns=DeliverStart)


def first_progress(parts: RunParts, start: DeliverStart) -> RunProgress:
    so_far = parts.request.so_far
    fresh = RunProgress(
        plan_outdated=start.plan_outdated,
        history=(start.facts,),
        rounds=0 if so_far is None else so_far.rounds,
        plan_gate=start.plan_gate,
    )
    return with_spent(with_edits(fresh, start.edits), so_far)


def make_verifier(parts: RunParts, board: DeliverableBoard) -> DeliverableVerifier:
    """What verifies deliverables with their checks and the project's tests."""
    checks, baseline = parts.checks, parts.workspace.snapshot
    record_unread_checks(parts)

    def rules() -> RegressionRules:
        # Not the deliverables, which an agent wrote: only the user lets a test disappear.
        return RegressionRules(parts.spec_text, checks.coverage)

    suite = None
    if checks.suite is not None:
        suite = SuiteVerifier(
            checks.runner,
            checks.suite,
            baseline,
            rules,
            parts.log.record,
            checks.judges,
            finished=suites_on_work(parts.read_log),
        )
    return DeliverableVerifier(
        checks=check_runs(parts),
        board=board,
        suite=suite,
        checks_before_work=board.checks_before_work,
        must_hold=board.not_blocked,
        required=checks.required,
        first_commits=first_check_commits(parts.read_log),
        looks=count_looks(parts.read_log),
        unknown_looks=unknown_looks(parts.read_log),
    )


def check_runs(parts: RunParts) -> CheckRuns:
    """What runs the checks of this run."""
    return CheckRuns(
        runner=parts.checks.runner,
        log=parts.log,
        check_s=parts.checks.check_s,
        base=parts.workspace.snapshot,
        judges=parts.checks.judges,
        green=green_checks(parts.read_log),
        red=red_checks(parts.read_log),
    )


def record_unread_checks(parts: RunParts) -> None:
    """Warn about lines of the specification that look like checks but cannot be read."""
    lines = unread_checks(parts.spec_text)
    if not lines:
        return
    numbers = ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
    spec = parts.facts.spec or "the specification"
    location = f"{spec}, line{'s' if len(lines) > 1 else ''} {numbers}"
    warning = RunWarned(f"{location}: not read as a check; {_RIGHT_FORM}")
    parts.log.record(warning, once=f"unread checks {lines}")
