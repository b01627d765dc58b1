"""What is kept of a round to check by: how its session ended and what became of the work."""

from dataclasses import replace

import pytest
from hypothesis import given
from pydantic import TypeAdapter

from tests.builders import deliverable, values_of
from treadle.domain.check import Check
from treadle.domain.deliverable import Tally
from treadle.domain.ids import SessionId
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SessionResult,
    TimedOut,
)
from treadle.domain.usage import Usage
from treadle.workflows.loop.stuck import (
    RoundEnd,
    RoundFacts,
    classify_end,
    criteria_of,
    facts_of,
    failure_key,
)

HALF = Tally(passed=1, total=2)


@pytest.mark.parametrize(
    ("outcome", "ended"),
    [
        (Completed(""), "worked"),
        (MaxTurns(200), "worked"),
        (BudgetExceeded(5.0), "worked"),
        (TimedOut("first_byte", 300), "hung"),
        (TimedOut("idle", 600), "hung"),
        (TimedOut("tool", 3600), "hung"),
        (TimedOut("wall", 7200), "failed"),
        (Crashed("segfault", 139), "failed"),
        (ExecutionError("Prompt is too long", "retryable"), "failed"),
        (ExecutionError("overloaded", "retryable", of_service=True), "kept_out"),
        (ExecutionError("429", "rate_limited", of_service=True), "kept_out"),
        (QuotaExceeded("You've hit your limit", None), "kept_out"),
        (Cancelled(), "kept_out"),
    ],
)
def test_an_end_says_whether_the_session_had_the_chance_to_work(
    outcome: Outcome, ended: RoundEnd
) -> None:
    assert classify_end(outcome) == ended


@pytest.mark.parametrize(
    ("outcome", "failing"),
    [
        (Completed("it failed"), ""),
        (TimedOut("idle", 600), ""),
        (TimedOut("wall", 7200), "it ran out of time"),
        (Crashed("pid 71 died", 139), "pid # died (exit code 139)"),
        (
            ExecutionError(
                "API Error: 400 bad input\n (req_011CSHoEeqs5C35K2UUqR7Fy)", "retryable"
            ),
            "API Error: # bad input (#)",
        ),
        (ExecutionError("x" * 500, "retryable"), "x" * 120),
        (ExecutionError("overloaded", "retryable", of_service=True), ""),
    ],
)
def test_the_same_failure_has_the_same_text_whatever_its_numbers(
    outcome: Outcome, failing: str
) -> None:
    assert failure_key(outcome) == failing


def test_the_facts_of_a_round_come_from_its_session_and_its_work() -> None:
    crash = Crashed("segfault", 139)
    result = SessionResult(SessionId("s"), crash, 0.5, Usage(), 7, 42.0)

    facts = facts_of(result, number=3, tree="t", undone=1, tally=HALF, criteria="c")
    assert facts == RoundFacts(
        3, "t", HALF, "c", 1, failing="segfault (exit code 139)", session_s=42.0, ended="failed"
    )


def test_criteria_are_the_same_whatever_has_passed_and_in_whatever_order() -> None:
    one, two = deliverable("one"), deliverable("two")
    more = replace(two, acceptance_criteria=(*two.acceptance_criteria, "it is fast"))

    assert criteria_of([one, two]) == criteria_of([two, deliverable("one", "passed")])
    assert len({criteria_of(each) for each in ([], [one], [one, two], [one, more])}) == 4


def test_the_criteria_have_another_hash_when_a_command_changes_and_not_when_it_is_seen() -> None:
    check = Check("one can be seen", "make")
    plain, checked = deliverable("one"), replace(deliverable("one"), checks=(check,))
    seen = replace(checked, checks=(replace(check, before="failed"),))
    other = replace(checked, checks=(replace(check, command="make all"),))

    assert criteria_of([checked]) == criteria_of([seen])
    assert len({criteria_of([each]) for each in (plain, checked, other)}) == 3
    # As it is stored for runs that have no checks.
    assert criteria_of([plain]) == "6d73080e25779a5f"


@given(values_of(RoundFacts))
def test_facts_can_be_kept_as_json(facts: RoundFacts) -> None:
    adapter = TypeAdapter(RoundFacts)

    assert adapter.validate_json(adapter.dump_json(facts)) == facts
