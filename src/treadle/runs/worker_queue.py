"""Puts runs on the queue that workers serve, and starts a worker if there is none."""

import asyncio
import os
import subprocess
import sys
from contextlib import closing

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.events.run import RunQueued
from treadle.domain.run_request import RunRequest
from treadle.domain.stored_path import stored_path
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, leg_name, worker_queue
from treadle.runs.locks import worker_is_alive
from treadle.runs.rehearsal_model import store_script
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import request_json, store_request
from treadle.runs.sandbox_probe import probe_before
from treadle.runs.shell_environment import login_of, with_shell_environment
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import RunHost

WORKER_LOG = "worker.log"
# How long a worker may take until it serves the queue, on a machine that has more to do.
START_S = 15.0
POLL_S = 0.05


async def detach(request: RunRequest, host: RunHost) -> None:
    """Queue a new run; errors of the user are raised before it exists."""
    environment = host.environment
    request = with_variables(request, environment)
    checked = await check_request(request, host)
    await probe_before(checked)
    request = with_shell_environment(request, environment)
    store_request(environment.root, request)
    if host.rehearsing is not None:
        store_script(environment.root, request.run, host.rehearsing.script)
    with closing(open_store(environment.storage)) as store:
        queued = RunQueued(
            run=request.run,
            workflow=request.workflow,
            project=stored_path(checked.project.root),
            project_key=checked.project.key,
            rehearsal=request.rehearsal,
        )
        Recorder(store, request.run, SystemClock(), ()).record(queued)
    enqueue_leg(request, environment)


def enqueue_leg(request: RunRequest, environment: Environment) -> None:
    """Queue a leg of a run, and start a worker if there is none."""
    put_on_queue(request, environment)
    ensure_worker(environment)


def put_on_queue(request: RunRequest, environment: Environment) -> None:
    """Queue a leg of a run; a leg that the engine has already stays as it is."""
    from treadle.durable.client import enqueue

    location = engine_location(environment.storage)
    name, queue = leg_name(request.run, request.leg), worker_queue(request.login)
    enqueue(location, name, ENGINE_WORKFLOW, request_json(request), queue=queue)


def ensure_worker(environment: Environment) -> "subprocess.Popen[bytes] | None":
    """Start a worker that runs until its queue is empty; None if one with this login is alive."""
    root = environment.root
    if worker_is_alive(root, login_of(environment)):
        return None
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(root / WORKER_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return subprocess.Popen(
            # -P: nothing is imported from the directory it starts in.
            [sys.executable, "-P", "-m", "treadle", "worker", "--until-idle"],
            env=dict(environment.raw),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


async def is_served(process: "subprocess.Popen[bytes]", environment: Environment) -> bool:
    """Wait until the worker that was started serves the queue, has emptied it, or has failed; one
    that is slow is trusted."""
    for _ in range(int(START_S / POLL_S)):
        if worker_is_alive(environment.root, login_of(environment)):
            return True
        if process.poll() is not None:
            return process.returncode == 0
        await asyncio.sleep(POLL_S)
    return True
