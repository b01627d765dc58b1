"""Executes one leg of a run in this process, from the state of its log to its end."""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace

from treadle.adapters.clock import SystemClock
from treadle.adapters.packages.home_files import write_home_files
from treadle.adapters.processes.marked_processes import processor_s
from treadle.adapters.sandboxes.cgroup_files import remove_stale_groups
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of
from treadle.domain.errors import SandboxBroken, StoreError, TreadleError
from treadle.domain.events.run import RunWarned
from treadle.domain.ports import KillableAgent
from treadle.domain.run import RunResult
from treadle.domain.sandbox import Sandbox
from treadle.durable.port import Steps, WorkflowChanged
from treadle.gateway.allowed_hosts import parse_entries
from treadle.gateway.sandbox_network import host_recorder
from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.redaction import make_redactor
from treadle.runs.active_run import ActiveRun, RedactedSteps
from treadle.runs.apply_notes import apply_notes
from treadle.runs.credentials import login_environment, run_secrets
from treadle.runs.follow import follow_pull_request
from treadle.runs.heartbeat import with_last_beat
from treadle.runs.land import land_at_end, landing_choice
from treadle.runs.log_files import open_log_files
from treadle.runs.previous_runs import previous_runs_of, require_all_landed
from treadle.runs.publish import publish_at_end, warn_if_not_publishable
from treadle.runs.recovery import end_leftovers
from treadle.runs.sandbox_probe import probe_sandbox
from treadle.runs.start_record import record_start
from treadle.runs.working_files import follow_log
from treadle.session.driver import SessionDriver
from treadle.session.stop_signal import StopSignal
from treadle.settings.trust_requirements import sandbox_notice
from treadle.wiring.agent import agent_inputs, make_agent
from treadle.wiring.browser import provide_servers
from treadle.wiring.check_runner import CHECKOUT_FOLDER
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.compose import compose, open_run_workspace
from treadle.wiring.gateway import metered
from treadle.wiring.limits import disk_watch
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox import choose_sandbox, remove_stale_reports
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import session_sandbox
from treadle.wiring.search_path import without_project
from treadle.workflows.loop.approval_requests import void_questions
from treadle.workflows.loop.recorded_changes import record_changes
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_parts import RunParts
from treadle.workspace.clean_checkout import CleanCheckout


async def execute(checked: CheckedRequest, steps: Steps) -> RunResult:
    """Execute one leg of a run and return its result. The caller holds the run's locks."""
    environment = login_environment(checked.environment, checked.agent_kind)
    checked = replace(checked, host=replace(checked.host, environment=environment))
    with closing(open_database(environment.storage)) as database:
        store = EventStore(database, host_of(environment.root))
        log = store.read(checked.request.run)
        history = with_last_beat(read_history(log), checked.directory)
        if history.result is not None:
            return history.result
        secrets = KnownSecrets(run_secrets(checked))
        redact = make_redactor(secrets)
        follower = follow_log(checked, store)
        own = [] if follower is None else [follower.apply]
        files = open_log_files(checked, store)
        readers = (*checked.host.readers, *files.readers, *own)
        recorder = Recorder(store, checked.request.run, SystemClock(), readers, clean=redact)
        try:
            context = RunContext(
                checked=checked,
                database=database,
                recorder=recorder,
                history=history,
                secrets=secrets,
                redact=redact,
                stop=StopSignal(),
                sandbox=_choose_sandbox(checked),
                servers=provide_servers(
                    checked.settings.mcp_servers,
                    environment,
                    checked.project.root,
                    home=checked.private_home,
                    confined=not checked.unconfined,
                ),
                follower=follower,
            )
            return redact(await _execute(context, RedactedSteps(steps, redact)))
        finally:
            recorder.flush()
            files.close()


async def _execute(context: RunContext, steps: Steps) -> RunResult:
    with _agent_behind_gateway(context) as (agent, driver):
        await end_leftovers(
            _own_processes(context),
            EventStore(context.database, host_of(context.checked.environment.root)),
            context.checked.environment,
            context.recorder.record,
        )
        try:
            return await _run_to_end(ActiveRun(context, driver.timer), driver, agent.kill, steps)
        finally:
            await agent.gone()


@contextmanager
def _agent_behind_gateway(context: RunContext) -> Iterator[tuple[KillableAgent, SessionDriver]]:
    """The agent, confined and metered, and what drives its sessions."""
    checked, host, settings = context.checked, context.checked.host, context.settings
    kind, home, project = checked.agent_kind, checked.private_home, checked.project.root
    on_host, learn = without_project(checked.environment, project), context.secrets.learn
    inputs = agent_inputs(kind, settings.agent, on_host, project, checked.directory, learn)
    agent, warnings = make_agent(kind, inputs, host.rehearsing)
    with ExitStack() as stack:
        if context.sandbox is not None and kind.confine is not None:
            if checked.open_indexes is not None:
                write_home_files(home, checked.open_indexes.home_files)
            hosts, record = parse_entries(settings.sandbox.hosts), host_recorder(context.recorder)
            network = stack.enter_context(
                sandbox_network(
                    checked, settings.sandbox.network, hosts, record, checked.open_indexes
                )
            )
            confined = session_sandbox(
                context.sandbox,
                checked,
                network,
                context.servers,
                tell=lambda told: context.recorder.record(RunWarned(told)),
            )
            agent = kind.confine(agent, confined)
        metered_agent = stack.enter_context(
            metered(
                agent,
                kind,
                checked.environment,
                settings,
                run=context.run,
                rehearsal_url=host.rehearsing.model.base_url if host.rehearsing else None,
            )
        )
        record_start(context, [*warnings, *metered_agent.warnings])
        driver = SessionDriver(
            agent=metered_agent.agent,
            clock=SystemClock(),
            record=context.recorder.record,
            stop=context.stop.event,
            faults=kind.faults,
            prices=metered_agent.prices,
            processor_s=processor_s,
            bill=metered_agent.bill,
            disk=disk_watch(settings.sandbox, checked.environment.root),
        )
        yield agent, driver


def _choose_sandbox(checked: CheckedRequest) -> Sandbox | None:
    """The sandbox; None if a person switched it off."""
    if checked.unconfined:
        return None
    on_host = without_project(checked.environment, checked.project.root)
    remove_stale_reports(checked.directory)
    remove_stale_groups(checked.environment.root)
    return choose_sandbox(on_host, reports=checked.directory, wanted=True)


def _own_processes(context: RunContext) -> list[str]:
    """Marks of processes that an earlier process of this run may have left."""
    history = context.history
    own: list[str] = [context.run] if history.prepared else []
    return [*own, *(started.session for started in history.sessions)]


async def _run_to_end(
    active: ActiveRun, driver: SessionDriver, kill: Callable[[], None], steps: Steps
) -> RunResult:
    def kill_now() -> None:
        kill()
        active.end(active.result("interrupted", "killed by a second signal"))

    with active.context.checked.host.signals(active.interrupt, kill_now):
        async with active.watch_requests():
            result = await _run_loop(active, driver, steps)
        void_questions(active.context.requester, reason="the run ended")
        active.end(result)
    # What a setup installed may be large, and the next leg can install it again.
    with suppress(OSError):
        checkouts = CleanCheckout(active.context.checked.directory / CHECKOUT_FOLDER)
        await asyncio.to_thread(checkouts.remove_bases)
    return result


async def _run_loop(active: ActiveRun, driver: SessionDriver, steps: Steps) -> RunResult:
    """Run the loop and return its result, also for errors; only a failed store is raised."""
    workflow = active.context.checked.workflow
    try:
        parts = await _prepare(active.context, driver, steps)
        await warn_if_not_publishable(active.context, parts)
        followed = await follow_pull_request(active.context, parts)
        parts = replace(parts, followed=followed)
        active.loop = await workflow.build(parts)
        result = await active.loop.run()
        changes = await record_changes(parts, active.context.checked.spec)
        if active.loop.landing.when == "pull_request":
            result = await publish_at_end(active.context, parts, result)
        elif workflow.lands:
            await land_at_end(active.context, parts, active.loop.landing, result, changes)
            _apply_notes(active.context, parts, result)
    except StoreError:
        raise  # not the run's end: it continues when that is repaired
    except WorkflowChanged as error:
        ended = active.result("error", f"{error.message} ({error.hint})")
        return replace(ended, outdated=True)
    except SandboxBroken as error:
        return active.result("sandbox_error", f"{error.message} ({error.hint})")
    except TreadleError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return active.result("error", f"{error.message}{hint}")
    except Exception:  # a bug of Treadle: the traceback is kept for a report
        return active.result("error", _keep_traceback(active.context))
    return result


def _apply_notes(context: RunContext, parts: RunParts, result: RunResult) -> None:
    if not result.succeeded:
        return  # a later leg hands over more
    context.recorder.flush()
    project, workflow = context.checked.project, parts.workflow.name
    apply_notes(workflow, context.read_log(), project, context.run, parts.leg_log)


async def _prepare(context: RunContext, driver: SessionDriver, steps: Steps) -> RunParts:
    """Open the workspace and probe the sandbox: nothing runs before both succeed."""
    checked, settings = context.checked, context.settings
    probing = asyncio.create_task(probe_sandbox(context.sandbox))
    try:
        previous = await previous_runs_of(checked, context.history)
        if checked.workflow.needs_landed_work:
            require_all_landed(previous)
        workspace = await open_run_workspace(context, previous)
        relaxed = "" if checked.unconfined else sandbox_notice(settings.sandbox)
        proof = await probing
        for notice in filter(None, [*proof.warnings, relaxed, context.servers.notice]):
            context.recorder.record(RunWarned(notice), once=f"told {notice}")
    finally:
        probing.cancel()
    landing = landing_choice(checked, separated=proof.separated)
    return await compose(context, workspace, driver, steps, previous, landing)


def _keep_traceback(context: RunContext) -> str:
    path = context.checked.directory / "traceback.txt"
    path.write_text(context.redact(traceback.format_exc()), encoding="utf-8")
    return f"internal error; please report it with {path}"
