"""Puts the story of a `deliver` run together: worksite, board and rounds."""

from dataclasses import dataclass, field, replace

from treadle.adapters.clock import SystemClock, fresh_session_id
from treadle.adapters.stores.recorder import LegLog
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.events.run import RunWarned
from treadle.domain.run import RunResult
from treadle.durable.port import Steps
from treadle.policy.secret_search import SecretSearch
from treadle.runs.active_run import ActiveRun, LandingChoice, landing_when
from treadle.runs.land import approval_requester
from treadle.runs.previous_runs import (
    PreviousRuns,
    find_previous_runs,
    previous_runs_from_log,
    require_all_landed,
)
from treadle.session.driver import SessionDriver
from treadle.wiring.admission import session_admission, spread
from treadle.wiring.gateway import others_today_usd as spent_by_others
from treadle.wiring.limits import run_limits, session_limits
from treadle.wiring.network import hosts_told
from treadle.wiring.protected_paths import protected_paths
from treadle.wiring.session_setup import secrets_of, session_setup
from treadle.wiring.setup import preparing
from treadle.wiring.tool_guard import notice_foreign_settings, tool_guard
from treadle.wiring.verification import deliverable_verifier, pass_rules
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.briefing import DeliverBriefing
from treadle.workflows.loop.findings import RoundCommit
from treadle.workflows.loop.observation import Pacing, RunInputs
from treadle.workflows.loop.open_workspace import make_workspace, reopen_workspace
from treadle.workflows.loop.round_steps import RoundSteps
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace, WorkspaceSpec
from treadle.workflows.loop.stuck import RoundFacts, criteria_of


@dataclass(frozen=True, slots=True)
class DeliverStart:
    """What a leg of the run begins with, decided once."""

    spec_hash: str
    plan_outdated: bool
    tip: str
    facts: RoundFacts
    # Which steps the landing takes must not depend on who comes to it.
    landing: LandingChoice = field(default_factory=LandingChoice)


async def open_run_workspace(telling: ActiveRun) -> RunWorkspace:
    """The run's own clone: found again where the log names one, else made."""
    ready, known = telling.ready, telling.history
    past = await _past(telling)
    if ready.request.workflow == "sync":
        require_all_landed(past)
    site = WorkspaceSpec(
        project=ready.project,
        run=ready.request.run,
        identity=ready.identity,
        directory=ready.directory,
        attribution="allowed" if ready.settings.agent.attribution else "removed",
        form="commits" if ready.settings.commit else "files",
        log=telling.recorder,
        landed=past.landed,
        earlier=past.unlanded,
        search=SecretSearch(secrets_of(ready)),
        protected=protected_paths(ready.settings, ready.project.root),
        clean=telling.clean,
    )
    spec = ready.spec
    if known.prepared is None:
        return await make_workspace(site, specification=ready.spec_text, spec=spec)
    worksite = await reopen_workspace(site, known.prepared, known.imported)
    if not known.has_worked:
        await worksite.prepare(spec)
    return worksite


async def _past(telling: ActiveRun) -> PreviousRuns:
    """What earlier runs left; a run that was prepared finds what it began with in its own log."""
    ready, known = telling.ready, telling.history
    if ready.previous is not None:
        return ready.previous
    storage, project, request = ready.environment.storage, ready.project, ready.request
    if known.prepared is None:
        return await find_previous_runs(
            storage, project, before=request.run, rehearsal=request.rehearsal
        )
    return await previous_runs_from_log(
        storage, project, known, before=request.run, rehearsal=request.rehearsal
    )


async def make_deliver_loop(
    telling: ActiveRun, worksite: RunWorkspace, driver: SessionDriver, steps: Steps
) -> RunLoop:
    ready, recorder = telling.ready, telling.recorder
    settings, request = ready.settings, ready.request
    board = await _board(telling, worksite, driver)
    notice_foreign_settings(telling, worksite.path)

    async def begin() -> DeliverStart:
        # A plan of this run's own is for what it has in its worksite.
        planned = "" if telling.history.planned else (await _past(telling)).planned
        tip = worksite.start
        facts = RoundFacts(
            number=0,
            tree=(await worksite.tree_change(tip, tip)).tree,
            tally=board.tally(),
            criteria=criteria_of(board.deliverables),
        )
        outdated = planned not in ("", ready.spec_hash)
        when = landing_when(settings.land, separated=telling.separated)
        wish = LandingChoice(when, by_approval=ready.host.asks_by_approval)
        return DeliverStart(ready.spec_hash, outdated, tip, facts, wish)

    beginning = await steps.step("begin", begin, returns=DeliverStart)
    telling.landing = beginning.landing
    rounds = RoundSteps(
        driver=driver,
        board=board,
        workspace=worksite,
        briefing=DeliverBriefing(
            session_setup(telling),
            board,
            worksite,
            recorder.record,
            fresh_session_id,
            await tool_guard(telling, worksite),
        ),
        session_limits=session_limits(settings),
        inputs=run_inputs(telling),
        admission=session_admission(telling),
        history=telling.history,
        log=leg_log(telling),
        slots=ready.host.slots,
        prepare=preparing(telling, worksite.path, hosts_told(telling)),
        verification=deliverable_verifier(telling, worksite, board),
    )
    return RunLoop(
        steps=steps,
        pacing=pacing(telling),
        spec_hash=beginning.spec_hash,
        rounds=rounds,
        clock=driver.clock,
        log=leg_log(telling),
        stop=driver.stop,
        jitter=lambda: spread(request.run),
        progress=_progress(request.so_far, beginning),
        tip=beginning.tip,
        round_commits=[RoundCommit(0, beginning.tip)],
        asker=approval_requester(telling),
    )


async def _board(
    telling: ActiveRun, worksite: RunWorkspace, driver: SessionDriver
) -> DeliverableBoard:
    ready, known = telling.ready, telling.history
    board = DeliverableBoard(
        StatusFile(ready.project.root / ".treadle" / "status.json"),
        telling.recorder.record,
        driver.clock,
        rehearsed=ready.request.rehearsal,
        clean=telling.clean,
        terms=pass_rules(ready, worksite.path),
    )
    if known.deliverables or known.session_records:
        board.reopen(known)
        if known.is_fresh_leg:
            # Other runs may have passed meanwhile what this one has not got.
            await board.recheck(worksite.contains)
            if known.reopened == "retry":
                board.unblock()
    else:
        board.open()
        if names := ", ".join(board.left_out):
            left_out = RunWarned(f"left out, because only a rehearsal wrote it down: {names}")
            telling.recorder.record(left_out, once="rehearsed plan left out")
    if not known.has_worked:
        await board.recheck(worksite.contains)
    return board


def pacing(telling: ActiveRun) -> Pacing:
    """How a run of any workflow waits and retries."""
    settings = telling.ready.settings
    return Pacing(
        delay_s=settings.deliver.delay_s,
        backoff_s=settings.deliver.backoff_s,
        quota_margin_s=settings.quota.margin_s,
    )


def run_inputs(telling: ActiveRun) -> RunInputs:
    """What a run of any workflow sees around it."""
    settings, request = telling.ready.settings, telling.ready.request

    def others_today_usd() -> float:
        now = SystemClock().now()
        return spent_by_others(telling.database, request.run, now, rehearsal=request.rehearsal)

    return RunInputs(
        limits=lambda: run_limits(settings),
        wait_for_quota=settings.quota.wait,
        stopping=lambda: telling.stopping,
        others_today_usd=others_today_usd,
        fix_rounds=settings.verify.fix_rounds,
    )


def leg_log(telling: ActiveRun) -> LegLog:
    return LegLog(telling.recorder, telling.history.leg)


def _progress(so_far: RunResult | None, beginning: DeliverStart) -> RunProgress:
    fresh = RunProgress(
        plan_outdated=beginning.plan_outdated,
        history=(beginning.facts,),
        rounds=0 if so_far is None else so_far.rounds,
    )
    return with_spent(fresh, so_far)


def with_spent(fresh: RunProgress, so_far: RunResult | None) -> RunProgress:
    """Where the last leg ended, with a clean slate for errors: somebody wants it to go on."""
    if so_far is None:
        return fresh
    return replace(
        fresh,
        cost_usd=so_far.cost_usd,
        usage=so_far.usage,
        running_s=so_far.duration_s + fresh.running_s,
        priced=so_far.priced,
    )
