"""What a report says about a queue: its items, what it used, what it waits for. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, short_id
from treadle.domain.run_row import RunRow
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize
from treadle.views.log_state import LogState
from treadle.views.next_steps import Command, next_steps_for_row
from treadle.views.outcome_text import RunTitle
from treadle.views.queue_summary import ItemEntry, summarize_queue, waiting_commands
from treadle.views.run_state_text import run_title
from treadle.views.waiting import WaitingEntry
from treadle.views.workflow_labels import is_queue_of_increments
from treadle.workflows.queue.queue_state import QueueState

MOST_COMMANDS = 2
# Ends after which a person says how to go on.
_NEEDS_PERSON: frozenset[ExitReason] = frozenset({"items_left", "spec_issue"})


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """What came of one queue."""

    run: str
    project: str
    workflow: str
    title: RunTitle
    # `3 done, 1 failed`.
    counts: str
    items: tuple[ItemEntry, ...]
    usage: str
    commands: tuple[Command, ...]


def queue_entry(row: RunRow, state: LogState, now: datetime) -> QueueEntry:
    summary = summarize_queue(state.queue)
    return QueueEntry(
        run=short_id(row.id),
        project=PurePath(row.project_path).name,
        workflow=row.workflow,
        title=run_title(row, state, now),
        counts=summary.counts_text or "no item was started",
        items=summary.items,
        usage=_usage_text(row, state),
        commands=_commands(row, state),
    )


def _commands(row: RunRow, state: LogState) -> tuple[Command, ...]:
    """Without the report itself."""
    steps = next_steps_for_row(row, state)
    return tuple(each for each in steps if not each[0].startswith("treadle report"))[:MOST_COMMANDS]


def _usage_text(row: RunRow, state: LogState) -> str:
    """`$1.20 of $50.00 · 12m of 24h · 7 of 100 rounds`; the limits of a watch are of each item."""
    summary = summarize_queue(state.queue)
    used = (money(summary.cost_usd), duration(summary.running_s))
    rounds = pluralize(summary.rounds, "round")
    if state.started is None or not is_queue_of_increments(row.workflow):
        return " · ".join((*used, rounds))
    limits = state.started.limits
    return (
        f"{used[0]} of {money(limits.max_cost_usd)} · {used[1]} of"
        f" {duration(limits.max_minutes * 60)} · {rounds} of {limits.max_iterations}"
    )


def items_built_on(queues: Iterable[QueueState]) -> frozenset[str]:
    """The runs whose work is part of that of a later item that succeeded."""
    records = [record for queue in queues for record in queue.records if record.succeeded]
    return frozenset(record.started.after for record in records if record.started.after)


def runs_told_of(row: RunRow, state: LogState) -> Iterator[RunId]:
    """The runs of items whose unclear specifications are told of by their queue, or settled: their
    item was started again."""
    if any(queue_waits(row, state)):
        yield from (record.started.run for record in state.queue.records)
    yield from runs_tried_again(state.queue)


def runs_tried_again(queue: QueueState) -> Iterator[RunId]:
    """The runs of items that were started once more: what they left for a person is settled."""
    for number, record in enumerate(queue.records):
        later = (each.started.item for each in queue.records[number + 1 :])
        if record.started.item in later and not record.started.background:
            yield record.started.run


def queue_waits(row: RunRow, state: LogState) -> Iterator[WaitingEntry]:
    """What a queue needs from a person: now, or before it can go on."""
    name, waiting, result = short_id(row.id), state.queue.waiting, state.result
    commands = waiting_commands(state.queue, name)
    if result is None and waiting is not None and commands and row.alive:
        yield WaitingEntry(name, f"the queue waits: {waiting.text}", commands)
    if result is not None and result.reason in _NEEDS_PERSON:
        typed = tuple(command for command, _ in _commands(row, state))
        yield WaitingEntry(name, f"items are left: {result.message}", typed)
