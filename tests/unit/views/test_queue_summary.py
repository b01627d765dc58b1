"""What a queue brought is told by the last attempt at each item."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import NOON, RUN
from tests.unit.workflows.queue.records import attempt, in_background, queue
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.queue import ItemEnded, ItemSkipped, WaitStarted
from treadle.domain.events.work import WorkLanded
from treadle.views.log_state import LogState, apply_event
from treadle.views.queue_summary import item_text, summarize_queue, waiting_commands
from treadle.workflows.queue.queue_state import QueueState

LANDED = WorkLanded("treadle/b-2", "0" * 40)


def texts(state: QueueState) -> list[str]:
    return [item_text(each) for each in summarize_queue(state).items]


def with_landed(events: list[Event], commit: str | None) -> list[Event]:
    return [
        replace(event, landed=commit, rounds=2, running_s=5.0)
        if isinstance(event, ItemEnded)
        else event
        for event in events
    ]


def test_what_takes_a_person_comes_first_and_a_repeated_item_is_one() -> None:
    state = queue(
        attempt(1, "a", "stuck"),
        attempt(2, "b", "stuck"),
        attempt(3, "a", "approved"),
        [ItemSkipped("c", "it needs b, which is not done")],
        attempt(4, "d", "interrupted"),
        in_background(attempt(5, "audit", "audited")),
        attempt(6, "e", None),
    )

    summary = summarize_queue(state)

    assert texts(state) == [
        "failed b · stuck: why",
        "skipped c · it needs b, which is not done",
        "interrupted d · why",
        "at work e",
        "done a · 2 attempts",
    ]
    assert summary.counts_text == "1 done, 1 failed, 1 interrupted, 1 skipped, 1 at work"
    assert (summary.background, summary.cost_usd) == (1, 2.5)


@pytest.mark.parametrize(
    ("commit", "later", "text"),
    [
        ("31700a474be5", [], "done a · landed at 31700a47 · 2 rounds · $0.50 · 5s"),
        ("", [], "done a · not in your checkout yet · 2 rounds · $0.50 · 5s"),
        # Work of a later item has landed, and with it this one's.
        ("", [LANDED], "done a · landed later · 2 rounds · $0.50 · 5s"),
        # A version before did not record it.
        (None, [], "done a · 2 rounds · $0.50 · 5s"),
    ],
)
def test_an_item_says_where_its_work_is(commit: str | None, later: list[Event], text: str) -> None:
    assert texts(queue(with_landed(attempt(1, "a"), commit), later)) == [text]


def test_the_state_of_a_log_has_the_queue() -> None:
    events = [*attempt(1, "a"), LANDED, *attempt(2, "b", None)]
    state = LogState()
    for number, event in enumerate(events, start=1):
        recorded = RecordedEvent(RUN, number, NOON + timedelta(seconds=number), event)
        state = apply_event(state, recorded)

    assert state.queue == queue(attempt(1, "a"), [LANDED], attempt(2, "b", None))
    assert state.queue.landed_at == 1


@pytest.mark.parametrize(
    ("waits", "commands"),
    [
        (WaitStarted("spec_issue", "unclear", needs_person=True), ("treadle discuss",)),
        (WaitStarted("items_left", "not done", needs_person=True), ("ls .treadle/backlog",)),
        (
            WaitStarted("paused", "no login", needs_person=True),
            ("treadle doctor", "treadle logs 7c01d2e4"),
        ),
        (WaitStarted("empty", "the backlog is empty"), ()),
    ],
)
def test_a_wait_for_a_person_says_what_to_type(
    waits: WaitStarted, commands: tuple[str, ...]
) -> None:
    assert waiting_commands(queue([waits]), "7c01d2e4") == commands
