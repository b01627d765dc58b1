"""Executes a queue in this process: one item after the other, each an ordinary run.

Its log and its files are its whole state: a process that continues it reads them again, and needs
no steps of the engine.
"""

import asyncio
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from treadle.adapters.clock import SystemClock, fresh_run_id
from treadle.adapters.stores.control_requests import ControlRequestKind, ControlRequests
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of
from treadle.domain.deliverable import Tally
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.queue import ItemEnded, ItemStarted, QueueEvent, WaitEnded, WaitStarted
from treadle.domain.events.run import InterruptRequested, RunEnded, RunRecovered
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.durable.port import WorkflowCancelled
from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.redaction import make_redactor
from treadle.runs.child_runs import ChildRuns
from treadle.runs.credentials import run_secrets
from treadle.runs.log_files import open_log_files
from treadle.runs.queue_facts import (
    background_today_usd,
    running_s,
    wait_for_changes,
    why_not_named,
    why_not_now,
)
from treadle.runs.queue_landing import LaterLanding, landed_commit
from treadle.runs.request_json import read_request, store_request
from treadle.runs.start_record import start_event
from treadle.session.stop_signal import StopSignal, unless_stopped
from treadle.settings.user import login_name
from treadle.wiring.checked_request import CheckedRequest, SignalName
from treadle.wiring.limits import run_limits
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.queue.definition import (
    EndQueue,
    QueueItem,
    QueueParts,
    QueueSource,
    QueueStep,
    StartItem,
    WaitFor,
)
from treadle.workflows.queue.queue_state import QueueState, read_queue
from treadle.workspace.snapshot import read_checkout

POLL_S = 1.0
# Something may change that no event of a file tells.
LOOK_AGAIN_S = 30.0


async def execute_queue(checked: CheckedRequest, children: ChildRuns) -> RunResult:
    """Work on the items until the queue ends. The caller holds its locks."""
    with closing(open_database(checked.environment.storage)) as database:
        store = EventStore(database, host_of(checked.environment.root))
        history = read_history(store.read(checked.request.run))
        if history.result is not None:
            return history.result
        redact = make_redactor(KnownSecrets(run_secrets(checked)))
        readers = (*checked.host.readers, *open_log_files(checked, store).readers)
        recorder = Recorder(store, checked.request.run, SystemClock(), readers, clean=redact)
        _record_start(checked, recorder, history)
        queue = ActiveQueue(checked, database, store, recorder, children)
        with checked.host.signals(queue.interrupt, children.kill):
            polling = asyncio.create_task(queue.poll_requests())
            try:
                result = await queue.run()
            finally:
                polling.cancel()
        recorder.record(RunEnded(result), once=f"ended {history.leg}")
        return result


def _record_start(checked: CheckedRequest, recorder: Recorder, history: RunHistory) -> None:
    if history.last_event in ("", "run.queued"):
        recorder.record(start_event(checked))
    elif history.last_event != "run.reopened":
        recorder.record(RunRecovered(run_limits(checked.settings), checked.confinement))


@dataclass(slots=True)
class ActiveQueue:
    """A queue that this process executes."""

    checked: CheckedRequest
    database: Database
    store: EventStore
    recorder: Recorder
    children: ChildRuns
    stop: StopSignal = field(default_factory=StopSignal)

    @property
    def run_id(self) -> RunId:
        return self.checked.request.run

    def interrupt(self, by: SignalName) -> None:
        """Ask the queue to end; the run of its item ends first."""
        if self.stop.reason:
            return
        try:
            self.recorder.record(InterruptRequested(by))
        finally:
            self.stop.request("cancelled" if by == "cancel" else "interrupted")
            self.children.interrupt(by)

    async def poll_requests(self) -> None:
        """Interrupt the queue if a person cancels it; endless."""
        requests = ControlRequests(self.database)
        while True:
            with suppress(StoreError):
                request = requests.find_oldest(self.run_id)
                if request is not None:
                    self.interrupt(request.kind)
                    return
            await asyncio.sleep(POLL_S)

    async def run(self) -> RunResult:
        """Do one step after the other until the queue ends."""
        source, landing = self._source(), LaterLanding(self.checked, self.store)
        while True:
            state = self.state()
            if state.current is not None:
                await self._finish(state.current.started, source)
                continue
            if state.last_good and (landed := await landing.land(state.last_good)):
                self.recorder.record(landed)
            if self.stop.reason:
                return self._result(state, self.stop.reason)
            match await self._decide(source, state):
                case StartItem(item=item):
                    self._start(item, state)
                case WaitFor() as step:
                    await self._wait(step, state, source)
                case EndQueue(reason=reason, message=message):
                    return self._result(state, reason, message)
                case unreachable:
                    assert_never(unreachable)

    def state(self) -> QueueState:
        return read_queue(self.store.read(self.run_id))

    def _source(self) -> QueueSource:
        checked = self.checked
        assert checked.workflow.items is not None  # noqa: S101  else it is no queue
        return checked.workflow.items(
            QueueParts(
                project=checked.project.root,
                specs=checked.settings.project.specs,
                inputs=checked.request.inputs,
                options=getattr(checked.settings, checked.workflow.name, None),
                limits=run_limits(checked.settings),
                record=self._record,
                changed=wait_for_changes,
                checkout_tree=self._checkout_tree,
                background_today_usd=lambda: background_today_usd(
                    self.checked, self.database, self.state()
                ),
            )
        )

    def _record(self, event: QueueEvent, once: str) -> None:
        self.recorder.record(event, once=once)

    async def _decide(self, source: QueueSource, state: QueueState) -> QueueStep:
        now = SystemClock().now()
        try:
            step = await source.next_step(state, now)
        except StoreError:
            raise
        except TreadleError as error:
            return EndQueue("error", f"{error.message} ({error.hint})")
        if not isinstance(step, StartItem):
            return step
        unnamed = why_not_named(step.item.name, self.recorder)
        return unnamed or why_not_now(self.checked, self.database, state, now) or step

    async def _checkout_tree(self) -> str:
        return (await read_checkout(self.checked.project)).tree

    def _start(self, item: QueueItem, state: QueueState) -> None:
        """Store the request and the id of the run; `run` does the rest, as after a crash."""
        if state.waiting is not None:
            self.recorder.record(WaitEnded())
        request, run = self.checked.request, fresh_run_id()
        after = state.start_of(item.name, item.version)
        asked = replace(
            request,
            run=run,
            leg=1,
            so_far=None,
            workflow=item.workflow,
            inputs=item.inputs,
            flags={**request.flags, **item.flags},
            queue=request.run,
            after=after,
        )
        store_request(self.checked.environment.root, asked)
        self.recorder.record(
            ItemStarted(
                item=item.name,
                version=item.version,
                run=run,
                workflow=item.workflow,
                title=item.title,
                background=item.background,
                after=after,
            )
        )

    async def _finish(self, started: ItemStarted, source: QueueSource) -> None:
        """Start or continue the run of the item, and record how it ended."""
        watching = asyncio.create_task(self._cancel_for_other_work(started, source))
        try:
            ended = await self._run_child(started)
        finally:
            watching.cancel()
        self.recorder.record(ended, once=f"item ended {started.run}")

    async def _run_child(self, started: ItemStarted) -> ItemEnded:
        item, version, run = started.item, started.version, started.run
        environment = self.checked.environment
        try:
            request = read_request(environment.root, run)
            result = await self.children.run(request, environment.storage)
        except StoreError:
            raise
        except WorkflowCancelled as error:
            return ItemEnded(item, version, run, "cancelled", error.message)
        except TreadleError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return ItemEnded(item, version, run, "error", f"{error.message}{hint}")
        reason: ExitReason = "interrupted" if result.outdated else result.reason
        used = (result.cost_usd, result.rounds, result.duration_s)
        landed = landed_commit(self.store, run)
        return ItemEnded(item, version, run, reason, result.message, *used, landed)

    async def _cancel_for_other_work(self, started: ItemStarted, source: QueueSource) -> None:
        """Ask the run of the item to end if the queue is asked to, or if it is in the background
        and other work arrives. Its process, such as a worker, may hear of no signals."""
        waiting: list[asyncio.Task[Any]] = [asyncio.create_task(self.stop.event.wait())]
        if started.background:
            waiting.append(asyncio.create_task(source.wait_for_work()))
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        kind: ControlRequestKind = "pause" if self.stop.reason == "interrupted" else "cancel"
        requests = ControlRequests(self.database)
        requests.add(started.run, kind, by=login_name(), at=SystemClock().now())

    async def _wait(self, step: WaitFor, state: QueueState, source: QueueSource) -> None:
        waits = WaitStarted(step.reason, step.text, step.until, step.needs_person)
        if state.waiting != waits and (step.reason != "busy" or state.waiting is None):
            self.recorder.record(waits)
        now = SystemClock().now()
        left = LOOK_AGAIN_S if step.until is None else (step.until - now).total_seconds()
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(LOOK_AGAIN_S, left))):
                await unless_stopped(source.wait_for_change(), self.stop.event)

    def _result(self, state: QueueState, reason: ExitReason, message: str = "") -> RunResult:
        # The cost is that of its runs: it would count twice here.
        return RunResult(
            reason=reason,
            rounds=len(state.records),
            tally=Tally(),
            cost_usd=0.0,
            usage=Usage(),
            duration_s=round(running_s(self.store, self.run_id, SystemClock().now()), 3),
            message=message,
        )
