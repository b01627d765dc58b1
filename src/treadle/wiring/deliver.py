"""Builds a `deliver` run out of settings and concrete adapters, and sees it through to its end."""

import asyncio
import os
import random
import traceback
from dataclasses import dataclass, replace

from treadle.adapters.agents.claude.processes import end_lost
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.runs import run_directory
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.agent import ProcessEnded
from treadle.domain.events.run import InterruptRequested, RunEnded, RunStarted, RunWarned
from treadle.domain.limits import RunLimits
from treadle.domain.run import ExitReason, RunResult
from treadle.policy.redaction import redactor
from treadle.session.drive import Driver
from treadle.settings.environment import Environment
from treadle.wiring.agent import load_agent_modules, make_agent
from treadle.wiring.clock import SystemClock, fresh_session_id
from treadle.wiring.deliver_request import DeliverRequest, Ready, check
from treadle.wiring.earlier import lost_sessions, past_of
from treadle.wiring.equipment import equipment_of, private_home, secrets_of
from treadle.wiring.holding import hold_run
from treadle.wiring.interrupts import Name, graceful_interrupts
from treadle.wiring.limits import run_limits, session_limits
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.next_step import Progress, Rules, Stop
from treadle.workflows.deliver.rounds import Rounds
from treadle.workflows.deliver.story import Story, ended
from treadle.workflows.worksite import Site, Worksite, prepare_worksite


async def deliver(request: DeliverRequest, environment: Environment) -> RunResult:
    """One whole run. A user's mistakes are raised before it starts; then it ends by value."""
    loading = asyncio.create_task(asyncio.to_thread(load_agent_modules))
    ready = await check(request, environment)
    with hold_run(environment.root, ready.project.key, request.run):
        rehearsal = request.rehearsing is not None
        past = await past_of(environment.root, ready.project, rehearsal=rehearsal)
        ready = replace(ready, past=past)
        store = SqliteStore(environment.root)
        recorder = Recorder(
            store,
            request.run,
            SystemClock(),
            request.readers,
            clean=redactor(secrets_of(ready)),
        )
        try:
            return await _run(ready, recorder)
        finally:
            recorder.flush()
            store.close()
            await loading


async def _run(ready: Ready, recorder: Recorder) -> RunResult:
    request, settings = ready.request, ready.settings
    limits, clock, stop = run_limits(settings), SystemClock(), asyncio.Event()
    agent, warnings = make_agent(
        settings.agent, ready.environment, request.rehearsing, private_home(ready)
    )
    recorder.record(_started(ready, limits))
    if request.rehearsing is None:
        recorder.record(RunWarned("unsandboxed: the agent can do what you can do on this machine"))
    for warning in warnings:
        recorder.record(RunWarned(warning))
    for process in await end_lost(lost_sessions(ready.environment.root)):
        recorder.record(ProcessEnded(process.pid, process.command))

    def interrupted(name: Name) -> None:
        try:
            recorder.record(InterruptRequested(name))
        finally:
            stop.set()

    told = Told()

    def killed() -> None:
        agent.kill()
        recorder.record(RunEnded(told.ended("interrupted", "killed by a second signal")))

    with graceful_interrupts(first=interrupted, second=killed):
        driver = Driver(agent, clock, recorder.record, stop)
        result = await _see_through(ready, recorder, driver, told)
        recorder.record(RunEnded(result))
    return result


@dataclass(slots=True)
class Told:
    """How far the story has come, for whoever has to end it from outside."""

    story: Story | None = None

    def ended(self, reason: ExitReason, message: str) -> RunResult:
        progress = Progress() if self.story is None else self.story.so_far()
        return ended(progress, Stop(reason, message))


async def _see_through(ready: Ready, recorder: Recorder, driver: Driver, told: Told) -> RunResult:
    """The story to its end, also when the end is an error; only a store that fails is raised."""
    try:
        worksite = await _worksite(ready, recorder)
        told.story = _story(ready, recorder, worksite, driver)
        await told.story.board.recheck(worksite.holds)
        result = await told.story.tell()
        await _land(ready, recorder, worksite, result)
    except StoreError:
        raise
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return told.ended("error", f"{error.message}{hint}")
    except Exception:  # a mistake of ours: kept for the report, said in one line
        return told.ended("error", _keep_traceback(ready))
    return result


async def _land(ready: Ready, recorder: Recorder, worksite: Worksite, result: RunResult) -> None:
    if not result.succeeded:
        worksite.keep("the run did not finish its work")
        return
    if result.rounds and worksite.imported is None:
        recorder.record(RunWarned("everything was claimed as passed without a single change"))
    try:
        await worksite.finish(ready.settings.land, ask=ready.request.ask)
    except StoreError:
        raise
    except TreadleError as error:
        # The work is finished all the same; it only has to wait on its branch.
        worksite.keep(error.message)


async def _worksite(ready: Ready, recorder: Recorder) -> Worksite:
    site = Site(
        project=ready.project,
        run=ready.request.run,
        identity=ready.identity,
        directory=run_directory(ready.environment.root, ready.request.run),
        attribution="allowed" if ready.settings.agent.attribution else "removed",
        form="commits" if ready.settings.commit else "files",
        record=recorder.record,
        landed=ready.past.landed,
        earlier=ready.past.earlier,
    )
    return await prepare_worksite(
        site, specification=ready.spec_text, spec=ready.settings.project.spec
    )


def _story(ready: Ready, recorder: Recorder, worksite: Worksite, driver: Driver) -> Story:
    settings, limits = ready.settings, run_limits(ready.settings)
    board = Board(
        StatusFile(ready.project.root / ".treadle" / "status.json"),
        recorder.record,
        driver.clock,
        rehearsed=ready.request.rehearsing is not None,
    )
    rounds = Rounds(
        driver=driver,
        board=board,
        worksite=worksite,
        equipment=equipment_of(ready),
        run_limits=limits,
        session_limits=session_limits(settings),
        new_session_id=fresh_session_id,
        real_path=os.path.realpath,
    )
    return Story(
        rules=Rules(limits, wait_for_quota=settings.quota.wait),
        delay_s=settings.deliver.delay_s,
        backoff_s=settings.deliver.backoff_s,
        quota_margin_s=settings.quota.margin_s,
        spec_hash=ready.spec_hash,
        rounds=rounds,
        board=board,
        clock=driver.clock,
        record=recorder.record,
        stop=driver.stop,
        jitter=lambda: random.uniform(0, 1),  # noqa: S311  # spreads wake-ups, keeps no secret
        progress=Progress(plan_outdated=ready.past.planned not in ("", ready.spec_hash)),
    )


def _started(ready: Ready, limits: RunLimits) -> RunStarted:
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
        limits=limits,
        sandbox="unsandboxed",
        rehearsal=ready.request.rehearsing is not None,
    )


def _keep_traceback(ready: Ready) -> str:
    path = run_directory(ready.environment.root, ready.request.run) / "traceback.txt"
    path.write_text(traceback.format_exc(), encoding="utf-8")
    return f"Treadle itself failed; please report it with {path}"
