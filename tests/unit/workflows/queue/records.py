"""Queues as their logs tell them."""

from dataclasses import replace
from datetime import timedelta

from tests.builders import NOON, RUN
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.workflows.queue.queue_state import QueueState, read_queue


def run_of(number: int) -> RunId:
    return RunId(f"run-{number}")


def attempt(
    number: int, item: str, reason: ExitReason | None = "approved", *, version: str = "1"
) -> list[Event]:
    """One attempt; without a reason its run has not ended."""
    started = ItemStarted(item, version, run_of(number), "focus")
    if reason is None:
        return [started]
    return [started, ItemEnded(item, version, run_of(number), reason, "why", 0.5)]


def in_background(events: list[Event]) -> list[Event]:
    return [
        replace(event, background=True) if isinstance(event, ItemStarted) else event
        for event in events
    ]


def queue(*attempts: list[Event]) -> QueueState:
    events = [event for each in attempts for event in each]
    return read_queue(
        RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
        for number, event in enumerate(events, start=1)
    )
