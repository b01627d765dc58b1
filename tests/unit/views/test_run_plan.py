"""The plan of a run: its text and hash, who decided about it, and how good its estimate was."""

from collections.abc import Sequence
from datetime import UTC, timedelta

import pytest

from tests.unit.cli.sample_focus_run import DIVIDE, task
from tests.unit.cli.sample_runs import RUN, START, STARTED, recorded
from treadle.domain.approval import (
    Answer,
    ApprovalQuestion,
    ApprovalRecord,
    LapsedQuestion,
    Settlement,
    hash_of,
    make_approval,
)
from treadle.domain.effort import Effort
from treadle.domain.events.focus import PlanWritten
from treadle.views.run_details import collect_run_details
from treadle.views.run_plan import RunPlan, plan_document, plan_notes, plan_of_run

TEXT = "# Divide\n"
DETAILS = collect_run_details(task())
PATIENCE = timedelta(minutes=20)


def asked(text: str, settled: Settlement | None = None) -> ApprovalRecord:
    question = ApprovalQuestion("plan", "Approve this plan?", text, hash_of(text), PATIENCE)
    return ApprovalRecord(make_approval(question, run=RUN, step="1: plan 1", now=START), settled)


YES = asked(TEXT, Answer("approved", "ada", START + timedelta(minutes=3)))


def found(questions: Sequence[ApprovalRecord], past: Sequence[Effort] = ()) -> RunPlan:
    plan = plan_of_run(RUN, DETAILS, questions, past)
    assert plan is not None
    return plan


def test_the_plan_of_a_task_has_its_parts_its_answer_and_its_score() -> None:
    plan = found([asked("# Another\n"), YES])

    assert (plan.text, plan.parts, plan.question) == (TEXT, DIVIDE, YES)
    document = plan_document(plan)
    assert document | {"question": None, "took": None} == {
        "run": RUN,
        "hash": hash_of(TEXT),
        "text": TEXT,
        "plan": DIVIDE,
        "question": None,
        "estimate": Effort(0.3, 45 * 60),
        "took": None,
        "past": None,
    }
    assert document["question"]["state"] == "answered"
    assert document["took"] == plan.took
    assert plan.took is not None


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (YES, "approved by ada, 12:43"),
        (
            asked(TEXT, LapsedQuestion("approved", START + timedelta(minutes=20))),
            "approved at the deadline, 13:00",
        ),
        (asked("# Another\n"), "nobody was asked about it"),
    ],
)
def test_the_line_below_a_plan_says_who_decided(question: ApprovalRecord, line: str) -> None:
    notes = plan_notes(found([question]), now=START, zone=UTC).splitlines()

    assert notes[0] == f"Plan {hash_of(TEXT)[:12]}: {line}"
    assert notes[1] == "Estimate: $0.30, 45 min"
    assert notes[-1].startswith("The work took ")


def test_an_open_question_comes_with_the_commands_that_answer_it() -> None:
    question = asked(TEXT)
    name = question.approval.id

    notes = plan_notes(found([question]), now=START, zone=UTC).splitlines()

    assert notes[:4] == [
        f"Plan {hash_of(TEXT)[:12]}: waits for your answer",
        f"  treadle approve {name}",
        f"  treadle deny {name}",
        f'  treadle reply {name} "what to change"',
    ]


def test_deliverables_that_were_asked_about_are_a_plan() -> None:
    details = collect_run_details(recorded([STARTED]))

    assert plan_of_run(RUN, details, [], ()) is None
    assert plan_of_run(RUN, details, [YES], ()) == RunPlan(RUN, TEXT, question=YES)


def test_a_plan_without_parts_has_no_estimate() -> None:
    details = collect_run_details(recorded([STARTED, PlanWritten("# Steps\n")]))
    plan = plan_of_run(RUN, details, [], ())

    assert plan == RunPlan(RUN, "# Steps\n")
    notes = plan_notes(plan, now=START, zone=UTC)
    assert notes == f"Plan {plan.hash[:12]}: nobody was asked about it"
