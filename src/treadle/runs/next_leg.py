"""Queues the leg that comes after one that this process has executed. The caller holds the run's
lock, and the engine has no result of the executed leg yet: after an interruption the worker that
takes that one up queues the new one."""

from contextlib import closing
from dataclasses import replace
from typing import Literal

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.events.run import RunReopened
from treadle.domain.run import RunResult
from treadle.runs.request_json import store_request
from treadle.runs.worker_queue import put_on_queue
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.limits import run_limits


def queue_next_leg(checked: CheckedRequest, result: RunResult) -> None:
    """Queue a new leg of a run whose leg another version began."""
    _queue(checked, result, "resume")


def queue_following(checked: CheckedRequest, result: RunResult) -> None:
    """Queue a leg that follows the pull request of this one, if the result says so."""
    if result.follow_until is not None:
        _queue(checked, result, "follow")


def _queue(checked: CheckedRequest, result: RunResult, by: Literal["resume", "follow"]) -> None:
    request = replace(checked.request, leg=checked.request.leg + 1, so_far=result)
    store_request(checked.environment.root, request)
    reopened = RunReopened(by, run_limits(checked.settings), checked.confinement)
    with closing(open_store(checked.environment.storage)) as store:
        # Without readers: whoever has watched this leg has seen its end.
        recorder = Recorder(store, request.run, SystemClock(), ())
        recorder.record(reopened, once=f"reopened {request.leg}")
    put_on_queue(request, checked.environment)
