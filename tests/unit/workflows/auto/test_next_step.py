"""What a queue of increments does next, from its own log and the files."""

from dataclasses import replace

import pytest

from treadle.domain.events.queue import ItemEnded, ItemSkipped, ItemStarted
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId
from treadle.domain.increment import FailurePolicy, Increment, IncrementList, IncrementProblem
from treadle.domain.limits import RunLimits
from treadle.workflows.auto.next_step import AutoRules, RemainingLimits, limits_left, next_step
from treadle.workflows.queue.definition import EndQueue, QueueStep, StartItem, WaitFor
from treadle.workflows.queue.queue_state import ItemRecord, QueueState

FOUND = IncrementList((Increment("a", "A"), Increment("b", "B", ("a",)), Increment("c", "C")))
TEXTS = {"a": "Build a.", "b": "Build b.", "c": "Build c."}
RULES = AutoRules(("a", "b", "c"), frozenset(), "READY", RunLimits(5.0, 60, 10, 3))


def attempt(item: str, reason: ExitReason, *, usd: float = 1.0, rounds: int = 2) -> ItemRecord:
    run = RunId(f"run-{item}")
    ended = ItemEnded(item, "1", run, reason, "why", usd, rounds, 60.0)
    return ItemRecord(ItemStarted(item, "1", run, "increment"), ended)


SPENT_DAY = replace(
    attempt("a", "budget_exceeded"),
    ended=ItemEnded("a", "1", RunId("run-a"), "budget_exceeded", "a day (limits.day_cost_usd)"),
)


def state(*records: ItemRecord, resumed: int = 0, retried: int = 0) -> QueueState:
    return QueueState(records, resumed_at=resumed, retried_at=retried)


def summary(step: QueueStep | ItemSkipped) -> str:
    match step:
        case StartItem(item=item):
            return f"start {item.name}"
        case ItemSkipped(item=name):
            return f"skip {name}"
        case WaitFor(reason=reason) | EndQueue(reason=reason):
            return reason


A_DONE, A_FAILED = attempt("a", "all_passed"), attempt("a", "stuck")


@pytest.mark.parametrize(
    ("past", "policy", "summed"),
    [
        (state(), "skip_dependants", "start a"),
        (state(A_DONE), "skip_dependants", "start b"),
        (state(A_DONE, attempt("b", "all_passed")), "skip_dependants", "start c"),
        (state(A_FAILED), "skip_dependants", "skip b"),
        (state(A_FAILED), "stop", "items_left"),
        (state(A_FAILED), "ask", "items_left"),
        # Who resumes goes on without it; who retries, with it.
        (state(A_FAILED, resumed=1), "ask", "skip b"),
        (state(A_FAILED, resumed=1), "stop", "skip b"),
        (state(A_FAILED, resumed=1, retried=1), "stop", "start a"),
        # It was interrupted, or waits for the money of the next day, which is no failure.
        (state(attempt("a", "interrupted")), "stop", "start a"),
        (state(SPENT_DAY), "stop", "start a"),
        (state(attempt("a", "cancelled")), "stop", "items_left"),
        # The next one would meet that as well, until a person resumes.
        (state(attempt("a", "authentication")), "skip_dependants", "authentication"),
        (state(attempt("a", "authentication"), resumed=1), "skip_dependants", "start a"),
        # Limits are those of all together.
        (state(attempt("a", "all_passed", rounds=10)), "stop", "max_iterations"),
        (state(attempt("a", "all_passed", usd=5.0)), "stop", "budget_exceeded"),
    ],
)
def test_the_log_decides_what_comes_next(
    past: QueueState, policy: FailurePolicy, summed: str
) -> None:
    assert summary(next_step(FOUND, TEXTS, past, replace(RULES, on_failure=policy))) == summed


def test_an_increment_is_a_run_with_its_text_the_promise_and_what_is_left_of_the_limits() -> None:
    step = next_step(FOUND, TEXTS, state(A_DONE), RULES)

    assert isinstance(step, StartItem)
    assert (step.item.workflow, step.item.title) == ("increment", "B")
    assert step.item.inputs == {"specification": "Build b.", "promise": "READY"}
    assert step.item.flags == {
        "limits.max_iterations": 8,
        "limits.max_minutes": 59.0,
        "limits.max_cost_usd": 4.0,
    }
    changed = next_step(FOUND, {**TEXTS, "b": "Build it."}, state(A_DONE), RULES)
    assert isinstance(changed, StartItem)
    assert changed.item.version != step.item.version


def test_what_attempts_used_is_gone_from_the_limits() -> None:
    assert limits_left(state(A_DONE, A_FAILED), RULES) == RemainingLimits(6, 58.0, 3.0)


def test_a_queue_ends_with_what_is_not_done() -> None:
    past = replace(
        state(A_FAILED, attempt("c", "all_passed")), skipped=(ItemSkipped("b", "it needs a"),)
    )

    assert next_step(FOUND, TEXTS, past, RULES) == EndQueue(
        "items_left", "not done: a (failed), b (skipped)"
    )
    only_c = replace(RULES, wanted=("c",))
    assert next_step(FOUND, TEXTS, past, only_c) == EndQueue(
        "queue_done", "1 of 1 increments are done"
    )


def test_what_earlier_queues_did_counts() -> None:
    rules = replace(RULES, wanted=("b",), done=frozenset({"a"}))

    assert summary(next_step(FOUND, TEXTS, state(), rules)) == "start b"


def test_a_folder_that_broke_meanwhile_is_skipped_with_its_problem() -> None:
    broken = IncrementList(FOUND.increments[1:], (IncrementProblem("a", "has no spec.md"),))

    assert next_step(broken, TEXTS, state(), RULES) == ItemSkipped("a", "has no spec.md")
    gone = IncrementList(FOUND.increments[:2])
    assert next_step(gone, TEXTS, state(A_DONE, attempt("b", "stuck")), RULES) == ItemSkipped(
        "c", "its folder is gone"
    )


def test_files_that_are_being_changed_are_waited_for() -> None:
    assert summary(next_step(FOUND, {}, state(), RULES)) == "quiet"
