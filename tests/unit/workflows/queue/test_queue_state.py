"""A process that takes a queue over knows from its log what is at work and what to build on."""

import pytest

from tests.builders import RUN_LIMITS
from tests.unit.workflows.queue.records import attempt, in_background, queue, run_of
from treadle.domain.events.queue import (
    ItemEnded,
    ItemKept,
    ItemRemoved,
    ItemStarted,
    WaitEnded,
    WaitStarted,
)
from treadle.domain.events.run import RunReopened
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.workflows.queue.queue_state import QueueState

WAIT = WaitStarted("empty", "the backlog is empty")


@pytest.mark.parametrize(
    ("state", "current", "last_good"),
    [
        (QueueState(), None, None),
        (queue(attempt(1, "a", None)), run_of(1), None),
        (queue(attempt(1, "a")), None, run_of(1)),
        (queue(attempt(1, "a"), attempt(2, "b", None)), run_of(2), run_of(1)),
        # failed and interrupted work is never built on, nor is that of an audit
        (queue(attempt(1, "a"), attempt(2, "b", "max_iterations")), None, run_of(1)),
        (queue(attempt(1, "a"), attempt(2, "b", "interrupted")), None, run_of(1)),
        (queue(attempt(1, "a"), in_background(attempt(2, "audit", "audited"))), None, run_of(1)),
    ],
)
def test_what_is_at_work_and_what_the_next_item_starts_from(
    state: QueueState, current: RunId | None, last_good: RunId | None
) -> None:
    assert (state.current.started.run if state.current else None) == current
    assert state.last_good == last_good


@pytest.mark.parametrize(
    ("version", "reason", "start"),
    [
        ("1", "interrupted", run_of(2)),
        # It asks for something else now.
        ("2", "interrupted", run_of(1)),
        ("1", "stuck", run_of(1)),
    ],
)
def test_an_item_starts_from_its_own_interrupted_work_or_the_last_that_is_good(
    version: str, reason: ExitReason, start: str
) -> None:
    state = queue(attempt(1, "a"), attempt(2, "b", reason))

    assert state.start_of("b", version) == start


def test_an_item_that_has_spent_the_money_of_the_day_goes_on_from_its_own_work() -> None:
    started = ItemStarted("b", "1", run_of(2), "increment")
    ended = ItemEnded("b", "1", run_of(2), "budget_exceeded", "a day (limits.day_cost_usd)")

    state = queue(attempt(1, "a"), [started, ended])

    assert state.start_of("b", "1") == run_of(2)


def test_the_last_attempt_of_an_item_counts_with_why_it_was_kept() -> None:
    kept = ItemKept("a", "2", "it was changed")

    state = queue(attempt(1, "a"), attempt(2, "b"), attempt(3, "a", version="2"), [kept])

    last = state.last_attempt("a")
    assert last is not None
    assert (last.started.run, last.kept) == (run_of(3), kept)
    assert state.last_attempt("c") is None
    assert (state.done, state.cost_usd) == (3, 1.5)


def test_a_wait_is_over_with_the_next_item_or_by_an_event() -> None:
    assert queue([WAIT]).waiting == WAIT
    assert queue([WAIT, WaitEnded()]).waiting is None
    assert queue([WAIT], attempt(1, "a", None)).waiting is None


def test_a_queue_that_was_reopened_waits_for_nothing() -> None:
    reopened = RunReopened("resume", RUN_LIMITS)

    assert queue([WAIT, reopened]).waiting is None


def test_an_item_of_the_same_name_after_a_removal_is_another_one() -> None:
    removed = queue(attempt(1, "a"), attempt(2, "a"), attempt(3, "b"), [ItemRemoved("a")])

    assert removed.last_attempt("a") is None
    assert (removed.last_good, removed.done) == (run_of(3), 3)

    again = queue(attempt(1, "a"), [ItemRemoved("a")], attempt(2, "a", "stuck"))
    last = again.last_attempt("a")
    assert last is not None
    assert last.started.run == run_of(2)
