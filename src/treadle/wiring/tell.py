"""Tells a run in this process, from wherever its log says it is, to its end."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from dataclasses import replace

from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.runs import host_of
from treadle.domain.errors import SandboxBroken, StoreError, TreadleError
from treadle.domain.events.run import RunRecovered, RunStarted, RunWarned
from treadle.domain.run import RunResult, Workflow
from treadle.durable.port import Steps, StoryChanged
from treadle.gateway.hosts import parse_entries
from treadle.policy.redaction import Redactor, redactor
from treadle.session.drive import Driver
from treadle.settings.openings import opened
from treadle.wiring.agent import KillableAgent, make_agent, processor_time
from treadle.wiring.clean_steps import CleanSteps
from treadle.wiring.clock import SystemClock
from treadle.wiring.confining import enclosed, prove, reach_model
from treadle.wiring.credentials import with_kept_login
from treadle.wiring.deliver_story import begin_worksite, make_story
from treadle.wiring.equipment import private_home, secrets_of, servers_of
from treadle.wiring.focus_chronicle import chronicle_of
from treadle.wiring.gateway import metered
from treadle.wiring.heartbeat import last_beat
from treadle.wiring.landing import land, void_open_questions
from treadle.wiring.leftovers import end_leftovers
from treadle.wiring.limits import run_limits
from treadle.wiring.network import hosts_told, machines_proxy, way_out
from treadle.wiring.requests import watching
from treadle.wiring.run_request import Ready
from treadle.wiring.sandbox import choose_sandbox, forget_reports
from treadle.wiring.search_path import without_project
from treadle.wiring.sync_story import make_sync_story
from treadle.wiring.telling import Telling
from treadle.wiring.verification import tell_what_was_touched
from treadle.workflows.deliver.recollection import recollect
from treadle.workflows.deliver.story import Story
from treadle.workflows.worksite import Worksite

UNSANDBOXED = "unsandboxed: the agent can do what you can do on this machine"


async def _focus(telling: Telling, worksite: Worksite, driver: Driver, steps: Steps) -> Story:
    # Only here: it brings plans and reviews with it.
    from treadle.wiring.focus_story import make_focus_story

    return await make_focus_story(telling, worksite, driver, steps)


_MAKERS: dict[Workflow, Callable[[Telling, Worksite, Driver, Steps], Awaitable[Story]]] = {
    "deliver": make_story,
    "focus": _focus,
    "sync": make_sync_story,
}


async def tell(ready: Ready, steps: Steps) -> RunResult:
    """One leg of a run, to its end by value. The caller holds the run's locks."""
    ready = _logged_in(ready)
    clean = redactor(secrets_of(ready))
    with closing(open_database(ready.environment.storage)) as database:
        store = EventStore(database, host_of(ready.environment.root))
        known = recollect(store.read(ready.request.run)).heard_of(last_beat(ready.directory))
        if known.ended is not None:
            return known.ended
        chronicle = chronicle_of(ready, store)
        recorder = Recorder(
            store,
            ready.request.run,
            SystemClock(),
            (*ready.presence.readers, *([] if chronicle is None else [chronicle.hear])),
            clean=clean,
        )
        try:
            telling = Telling(ready, database, recorder, known, clean, chronicle=chronicle)
            return clean(await _tell(telling, CleanSteps(steps, clean)))
        finally:
            recorder.flush()


def _logged_in(ready: Ready) -> Ready:
    environment = with_kept_login(ready.environment)
    return replace(ready, presence=replace(ready.presence, environment=environment))


async def _tell(telling: Telling, steps: Steps) -> RunResult:
    ready, presence = telling.ready, telling.ready.presence
    on_host = without_project(ready.environment, ready.project.root)
    agent, warnings = make_agent(
        ready.settings.agent, on_host, presence.rehearsing, private_home(ready)
    )
    address = presence.rehearsing.base_url if presence.rehearsing else None
    with ExitStack() as held:
        if not ready.unconfined:
            agent = _confined(agent, telling, held)
        driven = held.enter_context(
            metered(
                agent,
                ready.environment,
                ready.settings,
                run=ready.request.run,
                rehearsal_url=address,
                reach=reach_model,
            )
        )
        _announce(telling, [*warnings, *driven.warnings])
        await _end_leftovers(telling)
        driver = Driver(
            agent=driven.agent,
            clock=SystemClock(),
            record=telling.recorder.record,
            stop=telling.stop,
            processor_s=processor_time,
            bill=driven.bill,
            prices=driven.prices,
        )
        try:
            return await _see_to_the_end(telling, driver, agent.kill, steps)
        finally:
            await agent.gone()


def _confined(agent: KillableAgent, telling: Telling, held: ExitStack) -> KillableAgent:
    ready, wanted = telling.ready, telling.ready.settings.sandbox
    on_host = without_project(ready.environment, ready.project.root)
    forget_reports(ready.directory)
    telling.sandbox = choose_sandbox(on_host, reports=ready.directory, wanted=True)
    hosts = parse_entries(wanted.hosts)
    upstream = machines_proxy(ready.environment)
    out = held.enter_context(way_out(wanted.network, hosts, hosts_told(telling), upstream=upstream))
    return enclosed(agent, telling.sandbox, ready, out, servers_of(telling))


async def _end_leftovers(telling: Telling) -> None:
    """Processes of runs whose owner was killed, this run's own among them."""
    known = telling.known
    own: list[str] = [telling.ready.request.run] if known.prepared else []
    own += [started.session for started in known.sessions]
    environment = telling.ready.environment
    store = EventStore(telling.database, host_of(environment.root))
    await end_leftovers(own, store, environment, telling.recorder.record)


async def _see_to_the_end(
    telling: Telling, driver: Driver, kill: Callable[[], None], steps: Steps
) -> RunResult:
    def killed() -> None:
        kill()
        telling.end(telling.ended("interrupted", "killed by a second signal"))

    with telling.ready.presence.signals(telling.interrupt, killed):
        async with watching(telling):
            result = await _see_through(telling, driver, steps)
        void_open_questions(telling)
        telling.end(result)
    return result


def _announce(telling: Telling, warnings: list[str]) -> None:
    """Who works on the run now: it began, or it had lost the process that worked on it."""
    recorder, known = telling.recorder, telling.known
    fresh = known.last in ("", "run.queued")
    if fresh:
        recorder.record(_started(telling.ready))
    elif known.last != "run.reopened":
        limits = run_limits(telling.ready.settings)
        recorder.record(RunRecovered(limits, telling.ready.confinement))
    # Whoever goes on with a run may have given the sandbox up only now.
    told = [UNSANDBOXED] if telling.ready.unconfined else []
    for warning in [*told, *warnings] if fresh else told:
        recorder.record(RunWarned(warning))


async def _see_through(telling: Telling, driver: Driver, steps: Steps) -> RunResult:
    """The story to its end, also when the end is an error; only a store that fails is raised."""
    try:
        worksite = await _begin(telling)
        make = _MAKERS[telling.ready.request.workflow]
        telling.story = await make(telling, worksite, driver, steps)
        result = await telling.story.tell()
        await tell_what_was_touched(telling, worksite)
        if telling.ready.request.workflow != "sync":
            await land(telling, worksite, steps, result)
    except (StoreError, StoryChanged):
        raise  # not the run's end: it goes on when that is put right
    except SandboxBroken as error:
        return telling.ended("sandbox_error", f"{error.message} ({error.hint})")
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return telling.ended("error", f"{error.message}{hint}")
    except Exception:  # a mistake of ours: kept for the report, said in one line
        return telling.ended("error", _keep_traceback(telling.ready, telling.clean))
    return result


async def _begin(telling: Telling) -> Worksite:
    """The worksite, and the proof that the sandbox holds: nothing runs before both are there."""
    probing = asyncio.create_task(prove(telling.sandbox))
    try:
        worksite = await begin_worksite(telling)
        notice = servers_of(telling).notice
        opening = "" if telling.ready.unconfined else opened(telling.ready.settings.sandbox)
        proven = await probing
        telling.separated = proven.separated
        for told in filter(None, [*proven.told, opening, notice]):
            telling.recorder.record_once(f"told {told}", RunWarned(told))
    finally:
        probing.cancel()
    return worksite


def _started(ready: Ready) -> RunStarted:
    from treadle._version import __version__

    settings = ready.settings
    return RunStarted(
        run=ready.request.run,
        workflow=ready.request.workflow,
        project=str(ready.project.root),
        project_key=ready.project.key,
        version=__version__,
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        limits=run_limits(settings),
        sandbox=ready.confinement,
        rehearsal=ready.request.rehearsal,
    )


def _keep_traceback(ready: Ready, clean: Redactor) -> str:
    path = ready.directory / "traceback.txt"
    path.write_text(clean(traceback.format_exc()), encoding="utf-8")
    return f"Treadle itself failed; please report it with {path}"
