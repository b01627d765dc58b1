"""What a queue of increments does next."""

from dataclasses import replace

import pytest

from treadle.domain.increment import FailurePolicy, Increment, IncrementStatus
from treadle.workflows.auto.next_increment import (
    AskAboutFailure,
    NextIncrement,
    QueueFinished,
    QueueRules,
    SkipIncrement,
    StartIncrement,
    StopQueue,
    WaitForIncrements,
    next_increment,
)

A, B, C, D = (
    Increment("a", "a"),
    Increment("b", "b", ("a",)),
    Increment("c", "c", ("b",)),
    Increment("d", "d"),
)
QUEUE = (A, B, C, D)
LETTERS: dict[str, IncrementStatus] = {
    "+": "done",
    "-": "failed",
    "*": "working",
    "/": "skipped",
    ".": "ready",
}


def statuses(text: str) -> dict[str, IncrementStatus]:
    """`+-*/.`: one letter for each of the queue."""
    return {each.name: LETTERS[letter] for each, letter in zip(QUEUE, text, strict=False)}


@pytest.mark.parametrize(
    ("text", "policy", "decided"),
    [
        ("....", "stop", StartIncrement("a")),
        ("+...", "stop", StartIncrement("b")),
        ("++..", "stop", StartIncrement("c")),
        ("+++.", "stop", StartIncrement("d")),
        ("++++", "stop", QueueFinished(is_complete=True)),
        ("*...", "stop", WaitForIncrements(("a",))),
        ("-...", "stop", StopQueue("a")),
        ("+-..", "stop", StopQueue("b")),
        # Nothing is left that could be stopped.
        ("+++-", "stop", QueueFinished(is_complete=False)),
        ("-...", "skip_dependants", SkipIncrement("b", "a")),
        ("-/..", "skip_dependants", SkipIncrement("c", "b")),
        ("-//.", "skip_dependants", StartIncrement("d")),
        ("-//+", "skip_dependants", QueueFinished(is_complete=False)),
        ("+-..", "skip_dependants", SkipIncrement("c", "b")),
        ("+/..", "skip_dependants", SkipIncrement("c", "b")),
        ("-...", "ask", AskAboutFailure("a")),
        ("+++-", "ask", QueueFinished(is_complete=False)),
    ],
)
def test_the_queue_goes_on_by_dependencies_and_the_failure_policy(
    text: str, policy: FailurePolicy, decided: NextIncrement
) -> None:
    rules = QueueRules(on_failure=policy)

    assert next_increment(QUEUE, statuses(text), rules) == decided


def test_a_person_who_accepts_a_failure_lets_the_others_go_on() -> None:
    rules = QueueRules(on_failure="ask", accepted=frozenset({"a"}))

    assert next_increment(QUEUE, statuses("-..."), rules) == SkipIncrement("b", "a")
    assert next_increment(QUEUE, statuses("-//."), rules) == StartIncrement("d")
    assert next_increment(QUEUE, statuses("-//-"), rules) == QueueFinished(is_complete=False)


@pytest.mark.parametrize(
    ("limit", "own", "others", "decided"),
    [
        (1, None, (), StartIncrement("d")),
        (1, None, ("x",), WaitForIncrements(("x",))),
        (2, None, ("x",), StartIncrement("d")),
        (2, None, ("x", "y"), WaitForIncrements(("x", "y"))),
        # Its own limit counts before the setting, both ways.
        (3, 1, ("x",), WaitForIncrements(("x",))),
        (1, 2, ("x",), StartIncrement("d")),
    ],
)
def test_as_many_are_in_work_as_may_be(
    limit: int, own: int | None, others: tuple[str, ...], decided: NextIncrement
) -> None:
    known: dict[str, IncrementStatus] = dict.fromkeys(others, "working")

    assert next_increment([replace(D, wip=own)], known, QueueRules(limit)) == decided


def test_what_waits_for_an_increment_outside_the_queue_waits_while_that_is_in_work() -> None:
    assert next_increment([B], {"a": "working"}, QueueRules(2)) == WaitForIncrements(("a",))
    assert next_increment([B], {"a": "done"}, QueueRules()) == StartIncrement("b")
    assert next_increment([B], {"a": "ready"}, QueueRules()) == SkipIncrement("b", "a")
