"""What the log of a run says about its checks, for the process that takes it over."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from tests.builders import NOON, RUN, deliverable
from tests.unit.workflows.deliver.board_harness import COMMIT, finished
from treadle.domain.check import Check
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.work import DeliverableCreated
from treadle.workflows.deliver.check_history import (
    ReadLog,
    count_looks,
    first_check_commits,
    green_checks,
    red_checks,
    unknown_looks,
)

ONE, TWO = Check("It greets", "make one"), Check("It ends", "make two")
KEY, OTHER = ("DL-1", "It greets", "make one"), ("DL-2", "It ends", "make two")
RED, GREEN = finished("DL-1", ONE), finished("DL-1", ONE, exit_code=0)
UNKNOWN = replace(RED, inconclusive="greet was not found", missing_program="greet")
LATER = replace(RED, evidence=replace(RED.evidence, commit="b2" * 20))
AFTER = finished("DL-1", ONE, "after", exit_code=0)
PINNED = finished("DL-1", ONE, "pinned", exit_code=0)


def log_of(*events: Event) -> ReadLog:
    def read(types: Collection[str]) -> Iterator[RecordedEvent]:
        for number, event in enumerate(events, 1):
            if event.type in types:
                yield RecordedEvent(RUN, number, NOON, event)

    return read


def test_the_commit_of_the_first_look_counts() -> None:
    events = (DeliverableCreated(deliverable("DL-1")), AFTER, UNKNOWN, LATER)

    assert first_check_commits(log_of(*events, finished("DL-2", TWO))) == {
        KEY: COMMIT,
        OTHER: COMMIT,
    }


def test_every_look_before_the_work_is_counted_and_no_other_run() -> None:
    read = log_of(UNKNOWN, AFTER, PINNED, LATER, finished("DL-2", TWO))

    assert count_looks(read) == {KEY: 2, OTHER: 1}


def test_a_look_at_which_a_program_was_missing_is_known() -> None:
    hung = replace(finished("DL-2", TWO), inconclusive="it ran out of time")

    assert unknown_looks(log_of(UNKNOWN, AFTER, hung)) == {KEY: UNKNOWN}


def test_what_was_green_and_red_on_the_work_or_on_the_pinned_tree_is_known() -> None:
    unfinished = replace(AFTER, unfinished="the runner did not report its end")
    red = finished("DL-1", ONE, "pinned")

    read = log_of(GREEN, RED, AFTER, unfinished, red, PINNED)

    assert (green_checks(read), red_checks(read)) == ([AFTER, PINNED], [unfinished, red])
