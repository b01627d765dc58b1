"""Executes one leg of a run in this process, from wherever its log says it is, to its end."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, closing
from dataclasses import replace

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of
from treadle.domain.errors import SandboxBroken, StoreError, TreadleError
from treadle.domain.events.run import RunRecovered, RunStarted, RunWarned
from treadle.domain.run import RunResult, Workflow
from treadle.durable.port import Steps, WorkflowChanged
from treadle.gateway.allowed_hosts import parse_entries
from treadle.policy.redaction import Redactor, make_redactor
from treadle.runs.active_run import ActiveRun
from treadle.runs.credentials import with_stored_login
from treadle.runs.heartbeat import last_beat
from treadle.runs.land import land_at_end, void_open_questions
from treadle.runs.recovery import end_leftovers
from treadle.runs.redacted_steps import RedactedSteps
from treadle.runs.request import CheckedRequest
from treadle.runs.requests import watch_requests
from treadle.session.driver import SessionDriver
from treadle.settings.trust_requirements import sandbox_notice
from treadle.wiring.agent import KillableAgent, make_agent, processor_time
from treadle.wiring.deliver_loop import make_deliver_loop, open_run_workspace
from treadle.wiring.focus_files import focus_files
from treadle.wiring.gateway import metered
from treadle.wiring.limits import run_limits
from treadle.wiring.network import hosts_told, machines_proxy, way_out
from treadle.wiring.sandbox import choose_sandbox, forget_reports
from treadle.wiring.sandboxed_agent import prove, reach_model, sandboxed
from treadle.wiring.search_path import without_project
from treadle.wiring.session_setup import private_home, secrets_of, servers_of
from treadle.wiring.sync_loop import make_sync_loop
from treadle.wiring.verification import record_touched_evidence
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_workspace import RunWorkspace

UNSANDBOXED = "unsandboxed: the agent can do what you can do on this machine"


async def _focus(
    telling: ActiveRun, worksite: RunWorkspace, driver: SessionDriver, steps: Steps
) -> RunLoop:
    # Only here: it brings plans and reviews with it.
    from treadle.wiring.focus_loop import make_focus_loop

    return await make_focus_loop(telling, worksite, driver, steps)


_MAKERS: dict[
    Workflow, Callable[[ActiveRun, RunWorkspace, SessionDriver, Steps], Awaitable[RunLoop]]
] = {
    "deliver": make_deliver_loop,
    "focus": _focus,
    "sync": make_sync_loop,
}


async def execute(ready: CheckedRequest, steps: Steps) -> RunResult:
    """One leg of a run, to its end by value. The caller holds the run's locks."""
    ready = _with_login(ready)
    clean = make_redactor(secrets_of(ready))
    with closing(open_database(ready.environment.storage)) as database:
        store = EventStore(database, host_of(ready.environment.root))
        known = read_history(store.read(ready.request.run)).extended_to(last_beat(ready.directory))
        if known.ended is not None:
            return known.ended
        chronicle = focus_files(ready, store)
        recorder = Recorder(
            store,
            ready.request.run,
            SystemClock(),
            (*ready.host.readers, *([] if chronicle is None else [chronicle.hear])),
            clean=clean,
        )
        try:
            telling = ActiveRun(ready, database, recorder, known, clean, focus_files=chronicle)
            return clean(await _execute(telling, RedactedSteps(steps, clean)))
        finally:
            recorder.flush()


def _with_login(ready: CheckedRequest) -> CheckedRequest:
    environment = with_stored_login(ready.environment)
    return replace(ready, host=replace(ready.host, environment=environment))


async def _execute(telling: ActiveRun, steps: Steps) -> RunResult:
    ready, presence = telling.ready, telling.ready.host
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
        _record_start(telling, [*warnings, *driven.warnings])
        await _end_leftovers(telling)
        driver = SessionDriver(
            agent=driven.agent,
            clock=SystemClock(),
            record=telling.recorder.record,
            stop=telling.stop,
            processor_s=processor_time,
            bill=driven.bill,
            prices=driven.prices,
        )
        try:
            return await _run_to_end(telling, driver, agent.kill, steps)
        finally:
            await agent.gone()


def _confined(agent: KillableAgent, telling: ActiveRun, held: ExitStack) -> KillableAgent:
    ready, wanted = telling.ready, telling.ready.settings.sandbox
    on_host = without_project(ready.environment, ready.project.root)
    forget_reports(ready.directory)
    telling.sandbox = choose_sandbox(on_host, reports=ready.directory, wanted=True)
    hosts = parse_entries(wanted.hosts)
    upstream = machines_proxy(ready.environment)
    out = held.enter_context(way_out(wanted.network, hosts, hosts_told(telling), upstream=upstream))
    return sandboxed(agent, telling.sandbox, ready, out, servers_of(telling))


async def _end_leftovers(telling: ActiveRun) -> None:
    """Processes of runs whose owner was killed, this run's own among them."""
    known = telling.history
    own: list[str] = [telling.ready.request.run] if known.prepared else []
    own += [started.session for started in known.sessions]
    environment = telling.ready.environment
    store = EventStore(telling.database, host_of(environment.root))
    await end_leftovers(own, store, environment, telling.recorder.record)


async def _run_to_end(
    telling: ActiveRun, driver: SessionDriver, kill: Callable[[], None], steps: Steps
) -> RunResult:
    def killed() -> None:
        kill()
        telling.end(telling.ended("interrupted", "killed by a second signal"))

    with telling.ready.host.signals(telling.interrupt, killed):
        async with watch_requests(telling):
            result = await _run_loop(telling, driver, steps)
        void_open_questions(telling)
        telling.end(result)
    return result


def _record_start(telling: ActiveRun, warnings: list[str]) -> None:
    """Who works on the run now: it began, or it had lost the process that worked on it."""
    recorder, known = telling.recorder, telling.history
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


async def _run_loop(telling: ActiveRun, driver: SessionDriver, steps: Steps) -> RunResult:
    """The story to its end, also when the end is an error; only a store that fails is raised."""
    try:
        worksite = await _begin(telling)
        make = _MAKERS[telling.ready.request.workflow]
        telling.loop = await make(telling, worksite, driver, steps)
        result = await telling.loop.run()
        await record_touched_evidence(telling, worksite)
        if telling.ready.request.workflow != "sync":
            await land_at_end(telling, worksite, steps, result)
    except (StoreError, WorkflowChanged):
        raise  # not the run's end: it goes on when that is put right
    except SandboxBroken as error:
        return telling.ended("sandbox_error", f"{error.message} ({error.hint})")
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return telling.ended("error", f"{error.message}{hint}")
    except Exception:  # a mistake of ours: kept for the report, said in one line
        return telling.ended("error", _keep_traceback(telling.ready, telling.clean))
    return result


async def _begin(telling: ActiveRun) -> RunWorkspace:
    """The worksite, and the proof that the sandbox holds: nothing runs before both are there."""
    probing = asyncio.create_task(prove(telling.sandbox))
    try:
        worksite = await open_run_workspace(telling)
        notice = servers_of(telling).notice
        opening = "" if telling.ready.unconfined else sandbox_notice(telling.ready.settings.sandbox)
        proven = await probing
        telling.separated = proven.separated
        for told in filter(None, [*proven.told, opening, notice]):
            telling.recorder.record(RunWarned(told), once=f"told {told}")
    finally:
        probing.cancel()
    return worksite


def _started(ready: CheckedRequest) -> RunStarted:
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


def _keep_traceback(ready: CheckedRequest, clean: Redactor) -> str:
    path = ready.directory / "traceback.txt"
    path.write_text(clean(traceback.format_exc()), encoding="utf-8")
    return f"Treadle itself failed; please report it with {path}"
