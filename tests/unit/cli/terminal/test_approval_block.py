"""Questions as a person reads them."""

from dataclasses import replace
from datetime import timedelta

from tests.builders import NOON, RUN
from tests.unit.cli.stored_runs import OPTIONS, drawn
from treadle.cli.terminal.approval_block import (
    open_approvals_block,
    question_block,
    question_table,
    settled_block,
)
from treadle.cli.terminal.styled_lines import format_line
from treadle.domain.approval import (
    Answer,
    ApprovalQuestion,
    ApprovalRecord,
    LapsedQuestion,
    VoidedQuestion,
    make_approval,
)

LANDING = ApprovalQuestion(
    kind="landing",
    text="Land 2 commits in your checkout?",
    subject=" calc.py | 3 +++\n 1 file changed\ncommit 0123",
    subject_hash="0123",
    patience=timedelta(hours=2),
    answerers=("ada", "bob"),
)
PLAN = ApprovalQuestion(
    "plan",
    "Work by this plan?\nEstimate: $1.20, 12 min",
    "1. Add numbers",
    "4567",
    at_deadline="approve",
)
LANDING_ASKED = make_approval(LANDING, run=RUN, step="1: landing", now=NOON)
PLAN_ASKED = make_approval(PLAN, run=RUN, step="1: plan", now=NOON)
LATER = NOON + timedelta(minutes=5)
LAND, PLANNED = LANDING_ASKED.id, PLAN_ASKED.id


def test_the_inbox_shows_each_question_with_its_subject_and_how_to_answer_it() -> None:
    wide = replace(OPTIONS, width=100)

    lines = open_approvals_block(
        [ApprovalRecord(LANDING_ASKED), ApprovalRecord(PLAN_ASKED)], LATER, wide
    )

    assert [format_line(line, wide) for line in lines] == [
        f"{LAND}  Land 2 commits in your checkout?",
        "  landing of run 9abcdef0 · asked 5m ago · denied in 1h 55m, at 14:00 · for ada, bob",
        "  │  calc.py | 3 +++",
        "  │  1 file changed",
        "  │ commit 0123",
        f"  treadle approve {LAND}",
        f"  treadle deny {LAND}",
        "",
        f"{PLANNED}  Work by this plan?",
        "  plan of run 9abcdef0 · asked 5m ago",
        "  │ 1. Add numbers",
        "  │ Estimate: $1.20, 12 min",
        f"  treadle approve {PLANNED}",
        f"  treadle deny {PLANNED}",
        f'  treadle reply {PLANNED} "what to change"',
    ]


def test_a_list_shows_the_beginning_of_a_long_subject_and_one_question_all_of_it() -> None:
    long = replace(PLAN_ASKED, subject="\n".join(f"{n}. Step" for n in range(1, 101)))

    listed = drawn(open_approvals_block([ApprovalRecord(long)], LATER, OPTIONS))
    whole = drawn(question_block(ApprovalRecord(long), LATER, OPTIONS))

    assert listed[13:16] == [
        "  │ 12. Step",
        "  │ … 88 more lines",
        f"    all of it: treadle approvals {PLANNED}",
    ]
    assert whole[101] == "  │ 100. Step"


def test_the_longest_subject_is_shown_to_its_end() -> None:
    long = replace(PLAN_ASKED, subject="a\n" * 30_000 + "b" * 5_000 + " npm publish")

    assert drawn(question_block(ApprovalRecord(long), LATER, OPTIONS))[-5].endswith("npm publish")


def test_what_an_agent_wrote_cannot_paint_the_screen() -> None:
    painted = replace(PLAN_ASKED, question="\x1b[2JGo on?", subject="\x1b]0;title\x07plan")

    assert drawn(question_block(ApprovalRecord(painted), LATER, OPTIONS))[0:3:2] == [
        f"{PLANNED}  Go on?",
        "  │ plan",
    ]


def test_the_table_says_of_each_question_how_it_was_settled() -> None:
    records = [
        ApprovalRecord(LANDING_ASKED),
        ApprovalRecord(LANDING_ASKED, Answer("approved", "ada", LATER)),
        ApprovalRecord(LANDING_ASKED, Answer("denied", "bob", LATER, "not today")),
        ApprovalRecord(LANDING_ASKED, LapsedQuestion("denied", LATER)),
        ApprovalRecord(LANDING_ASKED, VoidedQuestion("the run ended", LATER)),
    ]

    lines = drawn(question_table(records, LATER))

    assert lines == [
        "ID            ASKED   RUN       KIND     STATE                   QUESTION",
        *(
            f"{LAND}  5m ago  9abcdef0  landing  {state:22}  Land 2 commits…"
            for state in (
                "open",
                "approved by ada",
                "denied by bob",
                "denied at the deadline",
                "void: the run ended",
            )
        ),
    ]


def test_an_answer_is_shown_with_what_it_was_about() -> None:
    record = ApprovalRecord(PLAN_ASKED, Answer("replied", "ada", LATER, "smaller steps"))

    assert drawn(settled_block(record, OPTIONS)) == [
        f"{PLANNED} replied by ada: Work by this plan?",
        "│ 1. Add numbers",
        "│ ada: smaller steps",
    ]
