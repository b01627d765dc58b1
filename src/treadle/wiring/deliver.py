"""Tells a `deliver` run in this process, from wherever its log says it is, to its end."""

import traceback
from collections.abc import Callable
from contextlib import closing

from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.runs import host_of
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.run import RunRecovered, RunStarted, RunWarned
from treadle.domain.run import RunResult
from treadle.durable.port import Steps, StoryChanged
from treadle.policy.redaction import redactor
from treadle.session.drive import Driver
from treadle.wiring.agent import make_agent, processor_time
from treadle.wiring.clock import SystemClock
from treadle.wiring.deliver_landing import land, void_open_questions
from treadle.wiring.deliver_request import Ready
from treadle.wiring.deliver_story import begin_worksite, make_story
from treadle.wiring.equipment import private_home, secrets_of
from treadle.wiring.gateway import metered
from treadle.wiring.heartbeat import last_beat
from treadle.wiring.leftovers import end_leftovers
from treadle.wiring.limits import run_limits
from treadle.wiring.requests import watching
from treadle.wiring.telling import Telling
from treadle.workflows.deliver.recollection import recollect


async def tell(ready: Ready, steps: Steps) -> RunResult:
    """One leg of a run, to its end by value. The caller holds the run's locks."""
    with closing(open_database(ready.environment.storage)) as database:
        store = EventStore(database, host_of(ready.environment.root))
        known = recollect(store.read(ready.request.run)).heard_of(last_beat(ready.directory))
        if known.ended is not None:
            return known.ended
        recorder = Recorder(
            store,
            ready.request.run,
            SystemClock(),
            ready.presence.readers,
            clean=redactor(secrets_of(ready)),
        )
        try:
            return await _tell(Telling(ready, database, recorder, known), steps)
        finally:
            recorder.flush()


async def _tell(telling: Telling, steps: Steps) -> RunResult:
    ready, presence = telling.ready, telling.ready.presence
    agent, warnings = make_agent(
        ready.settings.agent, ready.environment, presence.rehearsing, private_home(ready)
    )
    address = presence.rehearsing.base_url if presence.rehearsing else None
    with metered(
        agent, ready.environment, ready.settings, run=ready.request.run, rehearsal_url=address
    ) as driven:
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
        return await _see_to_the_end(telling, driver, agent.kill, steps)


async def _end_leftovers(telling: Telling) -> None:
    """Processes of sessions whose owner was killed, this run's own among them."""
    own = [started.session for started in telling.known.sessions]
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
    if known.last in ("", "run.queued"):
        recorder.record(_started(telling.ready))
        if not telling.ready.request.rehearsal:
            warnings = ["unsandboxed: the agent can do what you can do on this machine", *warnings]
        for warning in warnings:
            recorder.record(RunWarned(warning))
    elif known.last != "run.reopened":
        recorder.record(RunRecovered(run_limits(telling.ready.settings)))


async def _see_through(telling: Telling, driver: Driver, steps: Steps) -> RunResult:
    """The story to its end, also when the end is an error; only a store that fails is raised."""
    try:
        worksite = await begin_worksite(telling)
        telling.story = await make_story(telling, worksite, driver, steps)
        result = await telling.story.tell()
        await land(telling, worksite, steps, result)
    except (StoreError, StoryChanged):
        raise  # not the run's end: it goes on when that is put right
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return telling.ended("error", f"{error.message}{hint}")
    except Exception:  # a mistake of ours: kept for the report, said in one line
        return telling.ended("error", _keep_traceback(telling.ready))
    return result


def _started(ready: Ready) -> RunStarted:
    from treadle._version import __version__

    settings = ready.settings
    return RunStarted(
        run=ready.request.run,
        workflow="deliver",
        project=str(ready.project.root),
        project_key=ready.project.key,
        version=__version__,
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        limits=run_limits(settings),
        sandbox="unsandboxed",
        rehearsal=ready.request.rehearsal,
    )


def _keep_traceback(ready: Ready) -> str:
    path = ready.directory / "traceback.txt"
    path.write_text(traceback.format_exc(), encoding="utf-8")
    return f"Treadle itself failed; please report it with {path}"
