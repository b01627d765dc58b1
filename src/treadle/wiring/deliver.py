"""Builds a `deliver` run out of settings and concrete adapters, and sees it through to its end."""

import asyncio
import os
import random
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.stores.recorder import Reader, Recorder
from treadle.adapters.stores.runs import run_directory
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import Identity
from treadle.domain.errors import SettingsError, StoreError, TreadleError, UsageError
from treadle.domain.events.run import InterruptRequested, RunEnded, RunStarted, RunWarned
from treadle.domain.ids import RunId
from treadle.domain.run import RunLimits, RunResult, SessionLimits
from treadle.policy.rules import Rule, parse_rule
from treadle.policy.toolset import merge_servers, merge_tools
from treadle.session.drive import Driver
from treadle.settings.environment import Environment
from treadle.settings.load import load
from treadle.settings.model import Settings
from treadle.wiring.agent import Rehearsing, baseline_servers, load_agent_modules, make_agent
from treadle.wiring.clock import SystemClock, fresh_session_id
from treadle.wiring.holding import hold_run
from treadle.wiring.interrupts import Name, graceful_interrupts
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.instructions import Facts
from treadle.workflows.deliver.next_step import Progress, Rules, Stop
from treadle.workflows.deliver.rounds import Equipment, Rounds
from treadle.workflows.deliver.story import Story, ended
from treadle.workflows.worksite import Site, Worksite, prepare_worksite
from treadle.workspace.contents import NOTES
from treadle.workspace.project import Project, find_project, identity


@dataclass(frozen=True, slots=True)
class DeliverRequest:
    """What was asked for, before anything has been looked at."""

    run: RunId
    project_dir: Path
    flags: dict[str, object]
    no_sandbox: bool
    rehearsing: Rehearsing | None
    readers: Sequence[Reader]
    ask: Callable[[str], bool] | None


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything checked that can be checked before the run exists."""

    request: DeliverRequest
    environment: Environment
    settings: Settings
    project: Project
    identity: Identity
    spec_text: str


async def deliver(request: DeliverRequest, environment: Environment) -> RunResult:
    """One whole run. A user's mistakes are raised before it starts; then it ends by value."""
    loading = asyncio.create_task(asyncio.to_thread(load_agent_modules))
    ready = await _check(request, environment)
    with hold_run(environment.root, ready.project.key, request.run):
        store = SqliteStore(environment.root)
        recorder = Recorder(store, request.run, SystemClock(), request.readers)
        try:
            return await _run(ready, recorder)
        finally:
            recorder.flush()
            store.close()
            await loading


async def _check(request: DeliverRequest, environment: Environment) -> Ready:
    project = await find_project(request.project_dir, environment.raw)
    settings = load(project.root, environment=environment.raw, flags=request.flags).settings
    spec = project.root / settings.project.spec
    if not spec.is_file():
        raise UsageError(
            f"no {settings.project.spec} in {project.root}",
            hint="write down what you want built, or name the file with project.spec",
        )
    unconfined = request.no_sandbox or environment.no_sandbox or not settings.sandbox.enabled
    if request.rehearsing is None and not unconfined:
        raise UsageError(
            "there is no sandbox yet, so a run on a real model needs --no-sandbox",
            hint="use a machine you can lose, or rehearse with `treadle rehearse`",
        )
    try:
        text = spec.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {spec}: {error}") from error
    permission_rules(settings)
    return Ready(request, environment, settings, project, await identity(project), text)


async def _run(ready: Ready, recorder: Recorder) -> RunResult:
    request, settings = ready.request, ready.settings
    limits, clock, stop = _run_limits(settings), SystemClock(), asyncio.Event()
    agent, warnings = make_agent(
        settings.agent, ready.environment, request.rehearsing, _home(ready)
    )
    recorder.record(_started(ready, limits))
    if request.rehearsing is None:
        recorder.record(RunWarned("unsandboxed: the agent can do what you can do on this machine"))
    for warning in warnings:
        recorder.record(RunWarned(warning))

    def interrupted(name: Name) -> None:
        recorder.record(InterruptRequested(name))
        stop.set()

    with graceful_interrupts(first=interrupted, second=agent.kill):
        result = await _see_through(ready, recorder, Driver(agent, clock, recorder.record, stop))
    recorder.record(RunEnded(result))
    return result


async def _see_through(ready: Ready, recorder: Recorder, driver: Driver) -> RunResult:
    """The story to its end, also when the end is an error; only a store that fails is raised."""
    progress = Progress()
    try:
        worksite = await _worksite(ready, recorder)
        story = _story(ready, recorder, worksite, driver)
        try:
            result = await story.tell()
        finally:
            progress = story.progress
        if result.succeeded:
            await worksite.finish(ready.settings.land, ask=ready.request.ask)
        else:
            worksite.keep("the run did not finish its work")
    except StoreError:
        raise
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return ended(progress, Stop("error", f"{error.message}{hint}"))
    except Exception:  # a mistake of ours: kept for the report, said in one line
        return ended(progress, Stop("error", _keep_traceback(ready)))
    return result


async def _worksite(ready: Ready, recorder: Recorder) -> Worksite:
    site = Site(
        project=ready.project,
        run=ready.request.run,
        identity=ready.identity,
        directory=run_directory(ready.environment.root, ready.request.run),
        attribution="allowed" if ready.settings.agent.attribution else "removed",
        form="commits" if ready.settings.commit else "files",
        record=recorder.record,
    )
    return await prepare_worksite(
        site, specification=ready.spec_text, spec=ready.settings.project.spec
    )


def _story(ready: Ready, recorder: Recorder, worksite: Worksite, driver: Driver) -> Story:
    settings, limits = ready.settings, _run_limits(ready.settings)
    board = Board(
        StatusFile(ready.project.root / ".treadle" / "status.json"), recorder.record, driver.clock
    )
    rounds = Rounds(
        driver=driver,
        board=board,
        worksite=worksite,
        equipment=_equipment(ready),
        run_limits=limits,
        session_limits=_session_limits(settings),
        new_session_id=fresh_session_id,
        real_path=os.path.realpath,
    )
    return Story(
        rules=Rules(limits, wait_for_quota=settings.quota.wait),
        delay_s=settings.deliver.delay_s,
        quota_margin_s=settings.quota.margin_s,
        rounds=rounds,
        board=board,
        clock=driver.clock,
        record=recorder.record,
        stop=driver.stop,
        jitter=lambda: random.uniform(0, 1),  # noqa: S311  # spreads wake-ups, keeps no secret
    )


def _equipment(ready: Ready) -> Equipment:
    settings = ready.settings
    servers = merge_servers(baseline_servers(ready.environment.path), settings.mcp_servers)
    return Equipment(
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        thinking_tokens=settings.agent.thinking or None,
        toolset=merge_tools(settings.allowed_tools, permission_rules(settings), servers),
        mcp_servers=servers,
        identity=ready.identity,
        home=_home(ready),
        facts=Facts(
            spec=settings.project.spec,
            notes=NOTES,
            setup=settings.project.setup,
            check=settings.project.check,
            test=settings.project.test,
        ),
    )


def permission_rules(settings: Settings) -> list[Rule]:
    """The rules of `permissions.allow`; one that cannot be read is refused, never passed over."""
    rules = []
    for text in settings.permissions.allow:
        rule = parse_rule(text)
        if rule is None:
            raise SettingsError(
                f"permissions.allow: {text!r} is not a rule",
                hint="write Tool or Tool(pattern), for example WebFetch(https://example.com/*)",
            )
        rules.append(rule)
    return rules


def _home(ready: Ready) -> Path:
    return run_directory(ready.environment.root, ready.request.run) / "home"


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


def _run_limits(settings: Settings) -> RunLimits:
    limits = settings.limits
    return RunLimits(
        max_cost_usd=limits.max_cost_usd,
        max_minutes=limits.max_minutes,
        max_iterations=limits.max_iterations,
        max_retries=limits.max_retries,
    )


def _session_limits(settings: Settings) -> SessionLimits:
    session = settings.session
    return SessionLimits(
        max_cost_usd=session.max_cost_usd,
        max_turns=settings.agent.max_turns,
        wall_s=session.max_minutes * 60,
        first_byte_s=session.first_byte_s,
        idle_s=session.idle_s,
        tool_s=session.tool_minutes * 60,
    )


def _keep_traceback(ready: Ready) -> str:
    path = run_directory(ready.environment.root, ready.request.run) / "traceback.txt"
    path.write_text(traceback.format_exc(), encoding="utf-8")
    return f"Treadle itself failed; please report it with {path}"
