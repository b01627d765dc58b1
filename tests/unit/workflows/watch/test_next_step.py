"""What a watched backlog does next, and what becomes of an item, by the first rule that fits."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import NOON, RUN_LIMITS
from tests.unit.workflows.queue.records import attempt, in_background, queue, run_of
from treadle.domain.events.all_events import Event
from treadle.domain.events.queue import ItemEnded, ItemStarted, WaitStarted
from treadle.domain.events.run import RunReopened
from treadle.domain.exit_reasons import ExitReason
from treadle.workflows.queue.definition import EndQueue, QueueStep, StartItem, WaitFor
from treadle.workflows.queue.queue_state import ItemRecord, QueueState
from treadle.workflows.watch.backlog import BacklogItem, BacklogView
from treadle.workflows.watch.next_step import (
    FAULT_S,
    KeepItem,
    RemoveItem,
    RetryItem,
    Settlement,
    WatchRules,
    next_step,
    settle,
)

A, B = BacklogItem("a.md", "1", "# First\n\nDo a."), BacklogItem("b.md", "1", "Do b.")
FAILED = replace(A, has_reason=True)
RULES = WatchRules(debounce_s=30.0)
ONCE = replace(RULES, once=True)
AUDITING = replace(RULES, audit=True, audit_usd=2.0)
REOPENED = RunReopened("resume", RUN_LIMITS)
BOTH = BacklogView((A, B))
EMPTY = BacklogView()
# The end of an attempt is the second event.
PAUSED_UNTIL = NOON + timedelta(seconds=2 + FAULT_S)


def summary(step: QueueStep) -> str:
    match step:
        case StartItem(item=item):
            return f"start {item.name}"
        case WaitFor(reason=reason, needs_person=needs_person):
            return f"wait {reason}{' for a person' if needs_person else ''}"
        case EndQueue(reason=reason):
            return f"end {reason}"


def changed(seconds: float) -> BacklogView:
    return replace(BOTH, changed_at=NOON - timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("view", "state", "rules", "expected"),
    [
        (BOTH, queue(), RULES, "start a.md"),
        (EMPTY, queue(), RULES, "wait empty"),
        (EMPTY, queue(), ONCE, "end queue_done"),
        # unclear specifications come first
        (replace(BOTH, issues=("x.md",)), queue(), RULES, "wait spec_issue for a person"),
        (replace(BOTH, issues=("x.md",)), queue(), ONCE, "end spec_issue"),
        (BOTH, queue(attempt(1, "a.md", "spec_issue")), RULES, "start a.md"),
        # files that are being written
        (changed(29), queue(), RULES, "wait quiet"),
        (changed(30), queue(), RULES, "start a.md"),
        (changed(29), queue(), ONCE, "start a.md"),
        (changed(-3600), queue(), RULES, "start a.md"),
        # a failed item waits for a change of its text, or until its reason is taken away
        (BacklogView((FAILED, B)), queue(attempt(1, "a.md", "stuck")), RULES, "start b.md"),
        (BacklogView((FAILED,)), queue(attempt(1, "a.md", "stuck")), ONCE, "end items_left"),
        (
            BacklogView((FAILED,)),
            queue(attempt(1, "a.md", "stuck")),
            RULES,
            "wait items_left for a person",
        ),
        (BacklogView((A, B)), queue(attempt(1, "a.md", "stuck")), RULES, "start a.md"),
        (
            BacklogView((replace(FAILED, version="2"), B)),
            queue(attempt(1, "a.md", "stuck")),
            RULES,
            "start a.md",
        ),
        (BOTH, queue(attempt(1, "a.md", "interrupted")), RULES, "start a.md"),
        # faults that all items share
        (BOTH, queue(attempt(1, "a.md", "authentication")), RULES, "wait paused for a person"),
        (BOTH, queue(attempt(1, "a.md", "quota_exceeded")), ONCE, "end quota_exceeded"),
        (BOTH, queue(attempt(1, "a.md", "setup_failed"), [REOPENED]), RULES, "start a.md"),
        (BOTH, queue(attempt(1, "a.md", "setup_failed"), [REOPENED]), ONCE, "start a.md"),
        # audits, while there is nothing to do
        (BOTH, queue(), AUDITING, "start a.md"),
        (EMPTY, queue(), AUDITING, "start audit"),
        (EMPTY, queue(), replace(AUDITING, audit_usd=0.0), "wait empty"),
        (BacklogView((FAILED,)), queue(attempt(1, "a.md", "stuck")), AUDITING, "start audit"),
        (
            EMPTY,
            queue(in_background(attempt(1, "audit", "audited", version="tree"))),
            AUDITING,
            "wait empty",
        ),
        (
            EMPTY,
            queue(in_background(attempt(1, "audit", "audited", version="older"))),
            AUDITING,
            "start audit",
        ),
        (
            EMPTY,
            queue(in_background(attempt(1, "audit", "cancelled", version="tree"))),
            AUDITING,
            "start audit",
        ),
        (
            EMPTY,
            queue(in_background(attempt(1, "audit", "authentication", version="tree"))),
            AUDITING,
            "wait empty",
        ),
    ],
)
def test_the_next_step(
    view: BacklogView, state: QueueState, rules: WatchRules, expected: str
) -> None:
    assert summary(next_step(view, state, rules, NOON, "tree")) == expected


def test_an_item_is_a_run_of_its_text_with_its_first_line_as_title() -> None:
    step = next_step(BOTH, queue(), RULES, NOON, "tree")

    assert isinstance(step, StartItem)
    assert (step.item.title, step.item.inputs) == ("First", {"words": "# First\n\nDo a."})
    assert not step.item.background


def test_an_audit_may_cost_what_is_left_of_the_day() -> None:
    step = next_step(EMPTY, queue(), replace(AUDITING, audit_usd=0.75), NOON, "tree")

    assert isinstance(step, StartItem)
    assert step.item.background
    assert step.item.flags == {"limits.max_cost_usd": 0.75}


@pytest.mark.parametrize(
    "meanwhile",
    [
        [],
        [WaitStarted("quiet", "files have just been changed")],
        [WaitStarted("items_left", "not done: a.md", needs_person=True)],
    ],
)
def test_a_shared_fault_is_looked_at_again_once_whatever_was_waited_for(
    meanwhile: list[Event],
) -> None:
    state = queue(attempt(1, "a.md", "authentication"), meanwhile)

    step = next_step(BOTH, state, RULES, NOON, "tree")
    later = next_step(BOTH, state, RULES, PAUSED_UNTIL, "tree")

    assert isinstance(step, WaitFor)
    assert (step.reason, step.until) == ("paused", PAUSED_UNTIL)
    assert isinstance(later, StartItem)


CHANGED = KeepItem("it was changed while it was worked on: it is done again", failed=False)


@pytest.mark.parametrize(
    ("reason", "message", "version", "expected"),
    [
        ("approved", "", "1", RemoveItem()),
        ("approved", "", "2", CHANGED),
        ("stuck", "it gets nowhere", "1", KeepItem("stuck: it gets nowhere", failed=True)),
        ("cancelled", "", "1", KeepItem("cancelled", failed=True)),
        ("stuck", "it gets nowhere", "2", CHANGED),
        ("spec_issue", "", "1", RetryItem()),
        ("interrupted", "", "1", RetryItem()),
        ("authentication", "no login", "1", RetryItem()),
        ("budget_exceeded", "a day (limits.day_cost_usd)", "1", RetryItem()),
        (
            "budget_exceeded",
            "the limit is $1",
            "1",
            KeepItem("budget_exceeded: the limit is $1", failed=True),
        ),
    ],
)
def test_what_becomes_of_an_item(
    reason: ExitReason, message: str, version: str, expected: Settlement
) -> None:
    started = ItemStarted("a.md", "1", run_of(1), "focus")
    ended = ItemEnded("a.md", "1", run_of(1), reason, message)

    assert settle(ItemRecord(started, ended), replace(A, version=version)) == expected


def test_an_item_at_work_is_left_alone() -> None:
    assert settle(ItemRecord(ItemStarted("a.md", "1", run_of(1), "focus")), A) == RetryItem()
