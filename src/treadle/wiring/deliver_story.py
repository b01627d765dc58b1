"""Puts the story of a `deliver` run together: worksite, board and rounds."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.run import RunResult
from treadle.durable.port import Steps
from treadle.policy.secret_search import SecretSearch
from treadle.session.drive import Driver
from treadle.wiring.clock import SystemClock, fresh_session_id
from treadle.wiring.earlier import Past, past_again, past_of, require_all_landed
from treadle.wiring.equipment import equipment_of, secrets_of
from treadle.wiring.gates import gates_of, spread
from treadle.wiring.gateway import others_today_usd as spent_by_others
from treadle.wiring.guard import guard_of, notice_foreign_settings
from treadle.wiring.landing import asker_of
from treadle.wiring.limits import run_limits, session_limits
from treadle.wiring.network import hosts_told
from treadle.wiring.protecting import protected_paths
from treadle.wiring.setup import preparing
from treadle.wiring.telling import LandingWish, Telling, landing_when
from treadle.wiring.verification import terms_of, verification_of
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.briefing import Briefing
from treadle.workflows.deliver.findings import Tip
from treadle.workflows.deliver.look import Surroundings
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.rounds import Rounds
from treadle.workflows.deliver.story import Manner, Story
from treadle.workflows.deliver.stuck import RoundFacts, criteria_of
from treadle.workflows.opening_worksites import find_worksite, prepare_worksite
from treadle.workflows.worksite import Site, Worksite

RecordOnce = Callable[[str, Event], None]


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a leg of the run begins with, decided once."""

    spec_hash: str
    plan_outdated: bool
    tip: str
    facts: RoundFacts
    # Which steps the landing takes must not depend on who comes to it.
    landing: LandingWish = field(default_factory=LandingWish)


async def begin_worksite(telling: Telling) -> Worksite:
    """The run's own clone: found again where the log names one, else made."""
    ready, known = telling.ready, telling.known
    past = await _past(telling)
    if ready.request.workflow == "sync":
        require_all_landed(past)
    site = Site(
        project=ready.project,
        run=ready.request.run,
        identity=ready.identity,
        directory=ready.directory,
        attribution="allowed" if ready.settings.agent.attribution else "removed",
        form="commits" if ready.settings.commit else "files",
        record=telling.recorder.record,
        record_once=telling.recorder.record_once,
        landed=past.landed,
        earlier=past.earlier,
        search=SecretSearch(secrets_of(ready)),
        protected=protected_paths(ready.settings, ready.project.root),
        clean=telling.clean,
    )
    spec = ready.spec
    if known.prepared is None:
        return await prepare_worksite(site, specification=ready.spec_text, spec=spec)
    worksite = await find_worksite(site, known.prepared, known.imported)
    if not known.has_worked:
        await worksite.move_in(spec)
    return worksite


async def _past(telling: Telling) -> Past:
    """What earlier runs left; a run that was prepared finds what it began with in its own log."""
    ready, known = telling.ready, telling.known
    if ready.past is not None:
        return ready.past
    storage, project, request = ready.environment.storage, ready.project, ready.request
    if known.prepared is None:
        return await past_of(storage, project, before=request.run, rehearsal=request.rehearsal)
    return await past_again(
        storage, project, known, before=request.run, rehearsal=request.rehearsal
    )


async def make_story(telling: Telling, worksite: Worksite, driver: Driver, steps: Steps) -> Story:
    ready, recorder = telling.ready, telling.recorder
    settings, request = ready.settings, ready.request
    board = await _board(telling, worksite, driver)
    notice_foreign_settings(telling, worksite.path)

    async def begin() -> Beginning:
        # A plan of this run's own is for what it has in its worksite.
        planned = "" if telling.known.planned else (await _past(telling)).planned
        tip = worksite.start
        facts = RoundFacts(
            number=0,
            tree=(await worksite.movement(tip, tip)).tree,
            tally=board.tally(),
            criteria=criteria_of(board.deliverables),
        )
        outdated = planned not in ("", ready.spec_hash)
        when = landing_when(settings.land, separated=telling.separated)
        wish = LandingWish(when, by_approval=ready.presence.asks_by_approval)
        return Beginning(ready.spec_hash, outdated, tip, facts, wish)

    beginning = await steps.step("begin", begin, returns=Beginning)
    telling.landing = beginning.landing
    rounds = Rounds(
        driver=driver,
        board=board,
        worksite=worksite,
        briefing=Briefing(
            equipment_of(telling),
            board,
            worksite,
            recorder.record,
            fresh_session_id,
            await guard_of(telling, worksite),
        ),
        session_limits=session_limits(settings),
        surroundings=surroundings_of(telling),
        gates=gates_of(telling),
        known=telling.known,
        record_once=of_leg(telling),
        slots=ready.presence.slots,
        prepare=preparing(telling, worksite.path, hosts_told(telling)),
        verification=verification_of(telling, worksite, board),
    )
    return Story(
        steps=steps,
        manner=manner_of(telling),
        spec_hash=beginning.spec_hash,
        rounds=rounds,
        clock=driver.clock,
        record_once=of_leg(telling),
        stop=driver.stop,
        jitter=lambda: spread(request.run),
        progress=_progress(request.so_far, beginning),
        tip=beginning.tip,
        tips=[Tip(0, beginning.tip)],
        asker=asker_of(telling),
    )


async def _board(telling: Telling, worksite: Worksite, driver: Driver) -> Board:
    ready, known = telling.ready, telling.known
    board = Board(
        StatusFile(ready.project.root / ".treadle" / "status.json"),
        telling.recorder.record,
        driver.clock,
        rehearsed=ready.request.rehearsal,
        clean=telling.clean,
        terms=terms_of(ready, worksite.path),
    )
    if known.deliverables or known.turns:
        board.reopen(known)
        if known.is_fresh_leg:
            # Other runs may have passed meanwhile what this one has not got.
            await board.recheck(worksite.holds)
            if known.reopened == "retry":
                board.unblock()
    else:
        board.open()
        if names := ", ".join(board.left_out):
            left_out = RunWarned(f"left out, because only a rehearsal wrote it down: {names}")
            telling.recorder.record_once("rehearsed plan left out", left_out)
    if not known.has_worked:
        await board.recheck(worksite.holds)
    return board


def manner_of(telling: Telling) -> Manner:
    """How a run of any workflow waits and retries."""
    settings = telling.ready.settings
    return Manner(
        delay_s=settings.deliver.delay_s,
        backoff_s=settings.deliver.backoff_s,
        quota_margin_s=settings.quota.margin_s,
    )


def surroundings_of(telling: Telling) -> Surroundings:
    """What a run of any workflow sees around it."""
    settings, request = telling.ready.settings, telling.ready.request

    def others_today_usd() -> float:
        now = SystemClock().now()
        return spent_by_others(telling.database, request.run, now, rehearsal=request.rehearsal)

    return Surroundings(
        limits=lambda: run_limits(settings),
        wait_for_quota=settings.quota.wait,
        stopping=lambda: telling.stopping,
        others_today_usd=others_today_usd,
        fix_rounds=settings.verify.fix_rounds,
    )


def of_leg(telling: Telling) -> RecordOnce:
    """Keys of a story count from 1 in every leg of a run."""
    leg = telling.known.leg

    def record_once(key: str, event: Event) -> None:
        telling.recorder.record_once(f"{leg}: {key}", event)

    return record_once


def _progress(so_far: RunResult | None, beginning: Beginning) -> Progress:
    fresh = Progress(
        plan_outdated=beginning.plan_outdated,
        history=(beginning.facts,),
        rounds=0 if so_far is None else so_far.rounds,
    )
    return with_spent(fresh, so_far)


def with_spent(fresh: Progress, so_far: RunResult | None) -> Progress:
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
