"""Puts runs on the queue that workers serve, and starts a worker if none lives."""

import os
import subprocess
import sys
from contextlib import closing

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.events.run import RunQueued
from treadle.domain.run_request import RunRequest
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, leg_name
from treadle.runs.locks import worker_is_alive
from treadle.runs.rehearsal_model import store_script
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import request_json, store_request
from treadle.settings.environment import Environment
from treadle.wiring.checked_request import RunHost
from treadle.wiring.sandboxed_agent import prove_before


async def detach(request: RunRequest, presence: RunHost) -> None:
    """Queue a new run; a user's mistakes are raised before it exists."""
    environment = presence.environment
    request = with_variables(request, environment)
    ready = await check_request(request, presence)
    await prove_before(ready)
    store_request(environment.root, request)
    if presence.rehearsing is not None:
        store_script(environment.root, request.run, presence.rehearsing.script)
    with closing(open_store(environment.storage)) as store:
        queued = RunQueued(
            run=request.run,
            workflow=request.workflow,
            project=str(ready.project.root),
            project_key=ready.project.key,
            rehearsal=request.rehearsal,
        )
        Recorder(store, request.run, SystemClock(), ()).record(queued)
    enqueue_leg(request, environment)


def enqueue_leg(request: RunRequest, environment: Environment) -> None:
    """Hand a leg of a run to the workers, and see to it that there is one."""
    put_on_queue(request, environment)
    ensure_worker(environment)


def put_on_queue(request: RunRequest, environment: Environment) -> None:
    """Hand a leg of a run to the workers; one that the engine knows already stays as it is."""
    from treadle.durable.client import enqueue

    location = engine_location(environment.storage)
    enqueue(location, leg_name(request.run, request.leg), ENGINE_WORKFLOW, request_json(request))


def ensure_worker(environment: Environment) -> None:
    """Start a worker that stays as long as there is work, unless one is alive."""
    root = environment.root
    if worker_is_alive(root):
        return
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(root / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, "-m", "treadle", "worker", "--until-idle"],
            env=dict(environment.raw),
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)
