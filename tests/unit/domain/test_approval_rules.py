"""Which answer counts, and what a deadline decides."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.builders import NOON, RUN
from treadle.domain.approval import (
    Answer,
    AnswerVerdict,
    Approval,
    ApprovalKind,
    ApprovalQuestion,
    ApprovalRecord,
    AtDeadline,
    LapsedQuestion,
    Settlement,
    VoidedQuestion,
    hash_of,
    make_approval,
    make_approval_id,
)
from treadle.domain.approval_rules import (
    AcceptedAnswer,
    RejectedAnswer,
    RejectionReason,
    as_of,
    find_lapse,
    validate_answer,
)
from treadle.domain.ids import RunId

PLAN = ApprovalQuestion(
    kind="plan",
    text="Work by this plan?",
    subject="1. Add numbers",
    subject_hash=hash_of("1. Add numbers"),
    patience=timedelta(minutes=20),
    at_deadline="approve",
)
APPROVAL = make_approval(PLAN, run=RUN, step="plan 1", now=NOON)
DEADLINE = NOON + timedelta(minutes=20)
IN_TIME = NOON + timedelta(minutes=5)
YES = Answer("approved", "ada", IN_TIME)


def judged(
    settled: Settlement | None = None, answer: Answer = YES, approval: Approval = APPROVAL
) -> AcceptedAnswer | RejectedAnswer:
    return validate_answer(
        ApprovalRecord(approval, settled), answer, subject_hash=PLAN.subject_hash
    )


def test_a_question_is_put_with_its_deadline_and_a_name_that_is_always_the_same() -> None:
    assert (
        Approval(
            id=make_approval_id(RUN, "plan 1", PLAN.subject_hash),
            run=RUN,
            kind="plan",
            question="Work by this plan?",
            subject="1. Add numbers",
            subject_hash=PLAN.subject_hash,
            asked_at=NOON,
            deadline=DEADLINE,
            at_deadline="approve",
            answerers=(),
            step="plan 1",
        )
        == APPROVAL
    )
    assert make_approval(PLAN, run=RUN, step="plan 1", now=IN_TIME).id == APPROVAL.id


def test_a_question_has_another_name_in_another_run_step_or_about_another_subject() -> None:
    names = {
        make_approval_id(RUN, "plan 1", "a"),
        make_approval_id(RUN, "plan 1", "b"),
        make_approval_id(RUN, "plan 2", "a"),
        make_approval_id(RunId("another"), "plan 1", "a"),
    }

    assert len(names) == 4
    assert {len(name) for name in names} == {12}


def test_patience_without_end_is_no_deadline() -> None:
    endless = replace(PLAN, patience=None)

    assert make_approval(endless, run=RUN, step="plan 1", now=NOON).deadline is None


@pytest.mark.parametrize("answer", [YES, replace(YES, verdict="denied", text="not today")])
def test_the_first_answer_in_time_is_accepted(answer: Answer) -> None:
    assert judged(answer=answer) == AcceptedAnswer(answer)


@pytest.mark.parametrize(
    ("settled", "refused"),
    [
        (
            Answer("denied", "bob", IN_TIME, "too big"),
            RejectedAnswer(
                "settled",
                f"{APPROVAL.id} was denied by bob at 2026-05-04 12:05 UTC",
                "the first answer counts",
            ),
        ),
        (
            LapsedQuestion("approved", DEADLINE),
            RejectedAnswer(
                "late",
                f"{APPROVAL.id} had to be answered by 2026-05-04 12:20 UTC",
                "without an answer it was approved",
            ),
        ),
        (
            VoidedQuestion("its subject changed", IN_TIME),
            RejectedAnswer(
                "void",
                f"{APPROVAL.id} is void: its subject changed",
                "see what is open with `treadle approvals`",
            ),
        ),
    ],
)
def test_an_answer_to_what_is_settled_is_told_how_it_was(
    settled: Settlement, refused: RejectedAnswer
) -> None:
    assert judged(settled) == refused


def test_an_answer_for_another_subject_does_not_count() -> None:
    assert validate_answer(ApprovalRecord(APPROVAL), YES, subject_hash="0123") == RejectedAnswer(
        "changed",
        f"{APPROVAL.id} is about another subject: its hash is {PLAN.subject_hash}",
        "look at it again with `treadle approvals`, then answer",
    )


def test_an_answer_at_the_deadline_is_late_whether_or_not_the_run_has_noticed() -> None:
    assert judged(answer=replace(YES, at=DEADLINE)) == RejectedAnswer(
        "late",
        f"{APPROVAL.id} had to be answered by 2026-05-04 12:20 UTC",
        "without an answer it was approved",
    )


@pytest.mark.parametrize(
    ("answerers", "hint"),
    [
        (("bob",), "it waits for bob"),
        (("bob", "eve"), "it waits for bob or eve"),
        (("bob", "eve", "joe"), "it waits for bob, eve or joe"),
    ],
)
def test_only_those_who_are_asked_may_answer(answerers: tuple[str, ...], hint: str) -> None:
    approval = replace(APPROVAL, answerers=answerers)

    assert judged(approval=approval) == RejectedAnswer(
        "not_asked", f"ada may not answer {APPROVAL.id}", hint
    )
    assert judged(approval=approval, answer=replace(YES, by="bob")) == AcceptedAnswer(
        replace(YES, by="bob")
    )


@pytest.mark.parametrize(
    ("kind", "verdict", "text", "objection"),
    [
        ("plan", "replied", "smaller steps", None),
        ("failing_tests", "replied", "skip the slow one", None),
        ("question", "replied", "the second", None),
        ("landing", "replied", "later", "not_taken"),
        ("gate", "replied", "later", "not_taken"),
        ("landing", "approved", "", None),
        ("gate", "denied", "", None),
        ("plan", "replied", " \n", "not_taken"),
    ],
)
def test_a_reply_needs_words_and_a_question_that_takes_one(
    kind: ApprovalKind, verdict: AnswerVerdict, text: str, objection: RejectionReason | None
) -> None:
    said = judged(
        approval=replace(APPROVAL, kind=kind), answer=replace(YES, verdict=verdict, text=text)
    )

    assert (said.objection if isinstance(said, RejectedAnswer) else None) == objection


@pytest.mark.parametrize(
    ("deadline", "at_deadline", "now", "outcome"),
    [
        (None, "approve", NOON + timedelta(days=999), None),
        (DEADLINE, "approve", DEADLINE - timedelta(microseconds=1), None),
        (DEADLINE, "approve", DEADLINE, LapsedQuestion("approved", DEADLINE)),
        (DEADLINE, "deny", DEADLINE + timedelta(hours=1), LapsedQuestion("denied", DEADLINE)),
    ],
)
def test_without_an_answer_the_deadline_decides_as_announced(
    deadline: datetime | None,
    at_deadline: AtDeadline,
    now: datetime,
    outcome: LapsedQuestion | None,
) -> None:
    approval = replace(APPROVAL, deadline=deadline, at_deadline=at_deadline)

    assert find_lapse(approval, now) == outcome
    assert as_of(ApprovalRecord(approval), now) == ApprovalRecord(approval, outcome)


def test_a_deadline_changes_nothing_about_an_answer_that_was_in_time() -> None:
    assert as_of(ApprovalRecord(APPROVAL, YES), DEADLINE) == ApprovalRecord(APPROVAL, YES)
