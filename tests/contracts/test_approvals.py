"""What every store of approvals promises: asked once, settled once, by the first valid answer."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import NOON, RUN
from tests.postgres import ON_POSTGRES, PostgresServer
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.approval import (
    Answer,
    ApprovalId,
    ApprovalQuestion,
    ApprovalRecord,
    LapsedQuestion,
    VoidedQuestion,
    make_approval,
)
from treadle.domain.approval_rules import AcceptedAnswer, RejectedAnswer
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId
from treadle.domain.storage import Storage

OTHER_RUN = RunId("another run")
LATER = NOON + timedelta(minutes=5)
DEADLINE = NOON + timedelta(hours=1)

LANDING = ApprovalQuestion(
    kind="landing",
    text="Land 2 commits in your checkout?",
    subject="calc.py | 3 +++\ncommit 0123",
    subject_hash="0123",
    patience=timedelta(hours=1),
    answerers=("ada", "bob"),
)
APPROVAL = make_approval(LANDING, run=RUN, step="landing", now=NOON)
YES = Answer("approved", "ada", LATER)
NO = Answer("denied", "bob", LATER, "not on a Friday")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=ON_POSTGRES)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "sqlite":
        return Storage(tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return Storage(tmp_path, server.new_database())


@pytest.fixture
def approvals(storage: Storage) -> Iterator[DatabaseApprovals]:
    with closing(open_database(storage)) as database:
        yield DatabaseApprovals(database)


def answered(approvals: DatabaseApprovals, answer: Answer, subject_hash: str = "0123") -> object:
    return approvals.answer(APPROVAL.id, answer, subject_hash=subject_hash)


def test_a_question_is_kept_as_it_was_asked(approvals: DatabaseApprovals) -> None:
    assert approvals.ask(APPROVAL) == APPROVAL
    assert approvals.find(APPROVAL.id) == ApprovalRecord(APPROVAL)
    assert approvals.list_for_run(RUN) == [ApprovalRecord(APPROVAL)]


def test_a_question_that_is_asked_again_stays_as_it_was_first_asked(
    approvals: DatabaseApprovals,
) -> None:
    approvals.ask(APPROVAL)

    again = approvals.ask(make_approval(LANDING, run=RUN, step="landing", now=LATER))

    assert again == APPROVAL
    assert approvals.list_open(LATER) == [ApprovalRecord(APPROVAL)]


def test_asking_again_does_not_open_what_was_answered(approvals: DatabaseApprovals) -> None:
    approvals.ask(APPROVAL)
    answered(approvals, YES)

    assert approvals.ask(APPROVAL) == APPROVAL
    assert approvals.find(APPROVAL.id) == ApprovalRecord(APPROVAL, YES)


def test_two_runs_never_share_a_question(approvals: DatabaseApprovals) -> None:
    approvals.ask(APPROVAL)

    with pytest.raises(StoreError, match="belongs to another run"):
        approvals.ask(replace(APPROVAL, run=OTHER_RUN))


def test_a_changed_subject_voids_the_question_about_the_old_one(
    approvals: DatabaseApprovals,
) -> None:
    changed = make_approval(
        replace(LANDING, subject_hash="4567"), run=RUN, step="landing", now=LATER
    )
    elsewhere = make_approval(LANDING, run=RUN, step="another landing", now=NOON)
    void = ApprovalRecord(APPROVAL, VoidedQuestion("its subject changed", LATER))
    approvals.ask(APPROVAL)
    approvals.ask(elsewhere)

    approvals.ask(changed)

    assert approvals.find(APPROVAL.id) == void
    assert approvals.list_open(LATER) == [ApprovalRecord(elsewhere), ApprovalRecord(changed)]
    assert answered(approvals, YES) == RejectedAnswer(
        "void",
        f"{APPROVAL.id} is void: its subject changed",
        "see what is open with `treadle approvals`",
    )


def test_the_first_valid_answer_settles_a_question_for_good(approvals: DatabaseApprovals) -> None:
    approvals.ask(APPROVAL)

    assert answered(approvals, NO) == AcceptedAnswer(NO)
    assert answered(approvals, YES) == RejectedAnswer(
        "settled",
        f"{APPROVAL.id} was denied by bob at 2026-05-04 12:05 UTC",
        "the first answer counts",
    )
    assert approvals.find(APPROVAL.id) == ApprovalRecord(APPROVAL, NO)
    assert approvals.list_open(LATER) == []


@pytest.mark.parametrize(
    ("answer", "subject_hash", "objection"),
    [
        (YES, "4567", "changed"),
        (replace(YES, by="eve"), "0123", "not_asked"),
        (replace(YES, at=DEADLINE), "0123", "late"),
        (replace(YES, verdict="replied", text="later"), "0123", "not_taken"),
    ],
)
def test_an_answer_that_is_refused_leaves_the_question_open(
    approvals: DatabaseApprovals, answer: Answer, subject_hash: str, objection: str
) -> None:
    approvals.ask(APPROVAL)

    refused = answered(approvals, answer, subject_hash)

    assert isinstance(refused, RejectedAnswer)
    assert refused.objection == objection
    assert approvals.find(APPROVAL.id) == ApprovalRecord(APPROVAL)


def test_there_is_no_answer_to_what_nobody_asked(approvals: DatabaseApprovals) -> None:
    assert answered(approvals, YES) is None
    assert approvals.find(ApprovalId("0123")) is None
    assert approvals.lapse(ApprovalId("0123"), LATER) is None


def test_a_question_lapses_at_its_deadline_and_not_before(approvals: DatabaseApprovals) -> None:
    over = ApprovalRecord(APPROVAL, LapsedQuestion("denied", DEADLINE))
    approvals.ask(APPROVAL)

    assert approvals.lapse(APPROVAL.id, LATER) == ApprovalRecord(APPROVAL)
    assert approvals.lapse(APPROVAL.id, DEADLINE + timedelta(days=1)) == over
    assert approvals.find(APPROVAL.id) == over


def test_an_answer_goes_before_a_deadline_that_is_noticed_later(
    approvals: DatabaseApprovals,
) -> None:
    approvals.ask(APPROVAL)
    answered(approvals, YES)

    assert approvals.lapse(APPROVAL.id, DEADLINE) == ApprovalRecord(APPROVAL, YES)


def test_a_question_past_its_deadline_is_not_open_although_no_run_has_noticed(
    approvals: DatabaseApprovals,
) -> None:
    approvals.ask(APPROVAL)

    assert approvals.list_open(DEADLINE) == []
    assert approvals.list_newest(5) == [ApprovalRecord(APPROVAL)]


def test_a_run_that_ends_voids_what_it_still_asks_and_can_say_so_twice(
    approvals: DatabaseApprovals,
) -> None:
    second = make_approval(replace(LANDING, kind="gate"), run=RUN, step="gate", now=LATER)
    foreign = make_approval(LANDING, run=OTHER_RUN, step="landing", now=NOON)
    void = ApprovalRecord(second, VoidedQuestion("the run ended", LATER))
    for each in (APPROVAL, second, foreign):
        approvals.ask(each)
    answered(approvals, YES)

    assert approvals.void_open(RUN, reason="the run ended", now=LATER) == [void]
    assert approvals.void_open(RUN, reason="again", now=DEADLINE) == [void]
    assert approvals.list_for_run(RUN) == [ApprovalRecord(APPROVAL, YES), void]
    assert approvals.list_open(LATER) == [ApprovalRecord(foreign)]


def test_questions_are_listed_by_the_moment_they_were_asked(approvals: DatabaseApprovals) -> None:
    # In another order than that of their ids, which are hashes.
    questions = [
        make_approval(LANDING, run=RUN, step=f"landing {n}", now=NOON + timedelta(seconds=n))
        for n in range(5)
    ]
    for each in reversed(questions):
        approvals.ask(each)

    assert [each.approval for each in approvals.list_open(LATER)] == questions
    assert [each.approval for each in approvals.list_newest(2)] == [questions[4], questions[3]]


def test_a_question_is_found_by_any_end_of_its_id_or_else_by_its_beginning(
    approvals: DatabaseApprovals,
) -> None:
    begins, ends = (replace(APPROVAL, id=ApprovalId(name)) for name in ("cafe00001234", "1234cafe"))
    approvals.ask(begins)

    for digits in ("1234", "cafe", begins.id):
        assert approvals.find_shortened(digits) == [ApprovalRecord(begins)]
    for digits in ("0000", "0" * 12):
        assert approvals.find_shortened(digits) == []
    approvals.ask(ends)
    assert approvals.find_shortened("cafe") == [ApprovalRecord(ends)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_texts_are_kept_whatever_is_in_them(approvals: DatabaseApprovals, text: str) -> None:
    question = replace(LANDING, text=text, subject=text, subject_hash=text, answerers=(text,))
    approval = make_approval(question, run=RUN, step=text, now=NOON)
    answer = Answer("denied", text, LATER, text)

    assert approvals.ask(approval) == approval
    if approvals.find(approval.id) == ApprovalRecord(approval):
        approvals.answer(approval.id, answer, subject_hash=text)
    assert approvals.find(approval.id) == ApprovalRecord(approval, answer)


def test_what_no_database_takes_is_marked(approvals: DatabaseApprovals) -> None:
    approval = make_approval(
        replace(LANDING, subject="a\0b\ud800c"), run=RUN, step="landing", now=NOON
    )

    assert approvals.ask(approval).subject == "a\ufffdb\ufffdc"


# Waits for a line on its input, so that all of them are ready before the first answers.
ANSWERER = """
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.approval import Answer
from treadle.domain.storage import Storage
root, url, approval, name, at = sys.argv[1:]
with closing(open_database(Storage(Path(root), url))) as database:
    print("ready", flush=True)
    sys.stdin.readline()
    answer = Answer("approved", name, datetime.fromisoformat(at))
    print(type(DatabaseApprovals(database).answer(approval, answer, subject_hash="0123")).__name__)
"""


def test_of_answers_given_at_once_by_several_processes_exactly_one_counts(
    approvals: DatabaseApprovals, storage: Storage
) -> None:
    names = [f"person-{n}" for n in range(4)]
    approvals.ask(replace(APPROVAL, answerers=tuple(names)))
    place = (str(storage.root), storage.database_url, APPROVAL.id)
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-c", ANSWERER, *place, name, LATER.isoformat()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    }
    assert {read_line(process) for process in processes.values()} == {"ready\n"}
    for process in processes.values():
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = {name: process.communicate(timeout=60)[0] for name, process in processes.items()}

    winners = [name for name in names if said[name] == "AcceptedAnswer\n"]
    standing = approvals.find(APPROVAL.id)
    assert sorted(said.values()) == ["AcceptedAnswer\n", *["RejectedAnswer\n"] * 3]
    assert standing is not None
    assert standing.settled == Answer("approved", winners[0], LATER)


def read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()
