"""What a queue of increments does next, from its own log and the files. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from treadle.domain.events.queue import ItemSkipped
from treadle.domain.increment import FailurePolicy, Increment, IncrementList, IncrementStatus
from treadle.domain.limits import RunLimits
from treadle.workflows.auto.next_increment import (
    AskAboutFailure,
    QueueFinished,
    QueueRules,
    SkipIncrement,
    StartIncrement,
    StopQueue,
    WaitForIncrements,
    next_increment,
)
from treadle.workflows.queue.definition import EndQueue, QueueItem, QueueStep, StartItem, WaitFor
from treadle.workflows.queue.queue_state import ItemRecord, QueueState

WORKFLOW = "increment"


@dataclass(frozen=True, slots=True)
class AutoRules:
    """What a person asked for, and the ceilings of all increments together."""

    # In their order.
    wanted: tuple[str, ...]
    # Done by earlier queues.
    done: frozenset[str]
    promise: str
    limits: RunLimits
    on_failure: FailurePolicy = "skip_dependants"
    wip_limit: int = 1


@dataclass(frozen=True, slots=True)
class RemainingLimits:
    """What the increments have left of the ceilings."""

    iterations: int
    minutes: float
    usd: float


def next_step(
    found: IncrementList, texts: Mapping[str, str], state: QueueState, rules: AutoRules
) -> QueueStep | ItemSkipped:
    """The next increment, one to skip, or why the queue ends."""
    if (fault := state.shared_fault) is not None and (ended := fault.ended) is not None:
        return EndQueue(ended.reason, ended.message)
    left = limits_left(state, rules)
    statuses = queue_statuses(state, rules.done)
    queue = {each.name: each for each in found.increments if each.name in rules.wanted}
    if gone := _unusable(found, rules, statuses):
        return gone
    ordered = [queue[name] for name in rules.wanted if name in queue]
    decided = next_increment(ordered, statuses, _queue_rules(state, rules))
    if isinstance(decided, StartIncrement):
        name = decided.name
        if name not in texts:
            return WaitFor("quiet", f"the files of {name} are being changed")
        return _why_no_more(left, rules.limits) or _start(queue[name], texts[name], rules, left)
    if isinstance(decided, QueueFinished):
        return _finished(ordered, statuses, is_complete=decided.is_complete)
    return _without_start(decided)


def _without_start(
    decided: SkipIncrement | WaitForIncrements | AskAboutFailure | StopQueue,
) -> QueueStep | ItemSkipped:
    match decided:
        case SkipIncrement(name=name, because_of=needed):
            return ItemSkipped(name, f"it needs {needed}, which is not done")
        case WaitForIncrements(names=names):
            return WaitFor("busy", f"in progress: {', '.join(names)}")
        case AskAboutFailure(name=name):
            text = f"{name} failed: `treadle resume` continues without it, `treadle retry` with it"
            return EndQueue("items_left", text)
        case StopQueue(name=name):
            return EndQueue("items_left", f"{name} failed, and auto.on_failure is stop")
        case unreachable:
            assert_never(unreachable)


def queue_statuses(state: QueueState, done: frozenset[str]) -> dict[str, IncrementStatus]:
    """What is known of increments: what earlier queues did, then the attempts of this one."""
    statuses: dict[str, IncrementStatus] = dict.fromkeys(done, "done")
    for number, record in enumerate(state.records):
        status = _status_of(record)
        if status == "failed" and number < state.retried_at:
            status = "ready"
        statuses[record.started.item] = status
    statuses |= dict.fromkeys((each.item for each in state.skipped), "skipped")
    return statuses


def _status_of(record: ItemRecord) -> IncrementStatus:
    if record.ended is None:
        return "working"
    if record.succeeded:
        return "done"
    is_free = record.met_shared_fault or record.was_cut_off
    return "ready" if is_free else "failed"


def limits_left(state: QueueState, rules: AutoRules) -> RemainingLimits:
    ends = [record.ended for record in state.records if record.ended is not None]
    limits = rules.limits
    return RemainingLimits(
        limits.max_iterations - sum(each.rounds for each in ends),
        limits.max_minutes - sum(each.running_s for each in ends) / 60,
        limits.max_cost_usd - sum(each.cost_usd for each in ends),
    )


def _why_no_more(left: RemainingLimits, limits: RunLimits) -> EndQueue | None:
    if left.usd <= 0:
        text = f"all increments may cost ${limits.max_cost_usd:.2f} (auto.max_cost_usd)"
        return EndQueue("budget_exceeded", text)
    if left.minutes <= 0:
        text = f"all increments may take {limits.max_minutes / 60:g} hours (auto.max_hours)"
        return EndQueue("time_exceeded", text)
    if left.iterations <= 0:
        text = f"all increments may take {limits.max_iterations} rounds (auto.max_iterations)"
        return EndQueue("max_iterations", text)
    return None


def _unusable(
    found: IncrementList, rules: AutoRules, statuses: Mapping[str, IncrementStatus]
) -> ItemSkipped | None:
    """The first wanted increment whose folder cannot be used any more."""
    usable = {each.name for each in found.increments}
    problems = {each.name: each.message for each in found.problems}
    for name in rules.wanted:
        if name not in usable and statuses.get(name) not in ("done", "failed", "skipped"):
            return ItemSkipped(name, problems.get(name, "its folder is gone"))
    return None


def _queue_rules(state: QueueState, rules: AutoRules) -> QueueRules:
    """Who resumes a queue accepts the failures that it ended with."""
    accepted = {each.started.item for each in state.records[: state.resumed_at]}
    return QueueRules(rules.wip_limit, rules.on_failure, frozenset(accepted))


def _start(increment: Increment, text: str, rules: AutoRules, left: RemainingLimits) -> StartItem:
    flags: dict[str, Any] = {
        "limits.max_iterations": left.iterations,
        "limits.max_minutes": round(left.minutes, 2),
        "limits.max_cost_usd": round(left.usd, 4),
    }
    inputs = {"specification": text, "promise": rules.promise}
    version = hashlib.sha256(text.encode()).hexdigest()[:16]
    name = increment.name
    return StartItem(QueueItem(name, version, WORKFLOW, inputs, increment.title, flags=flags))


def _finished(
    queue: list[Increment], statuses: Mapping[str, IncrementStatus], *, is_complete: bool
) -> EndQueue:
    done = sum(statuses.get(each.name) == "done" for each in queue)
    if is_complete:
        return EndQueue("queue_done", f"{done} of {len(queue)} increments are done")
    left = [
        f"{each.name} ({statuses.get(each.name)})"
        for each in queue
        if statuses.get(each.name) != "done"
    ]
    return EndQueue("items_left", f"not done: {', '.join(left)}")
