"""`approvals`, `approve`, `deny` and `reply`: questions of runs answered from any terminal."""

import json
import os
import pwd
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.cli.sample_runs import RUN
from tests.unit.cli.stored_runs import Command
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.approval import (
    Answer,
    Approval,
    ApprovalId,
    ApprovalQuestion,
    ApprovalRecord,
    make_approval,
)
from treadle.domain.storage import Storage
from treadle.settings.environment import parse_environment

ME = pwd.getpwuid(os.getuid()).pw_name
# The commands go by the clock of the machine.
ASKED_AT = datetime.now(UTC) - timedelta(minutes=5)
LANDING = ApprovalQuestion(
    kind="landing",
    text="Land 2 commits in your checkout?",
    subject="calc.py | 3 +++\ncommit 0123",
    subject_hash="0123",
    patience=timedelta(days=1),
)
PLAN = ApprovalQuestion("plan", "Work by this plan?", "1. Add numbers", "4567")

Ask = Callable[[ApprovalQuestion], Approval]


@pytest.fixture
def ask(root: Path) -> Ask:
    """A run asks."""

    def put(question: ApprovalQuestion) -> Approval:
        with closing(open_database(Storage(root))) as database:
            approval = make_approval(question, run=RUN, step=question.kind, now=ASKED_AT)
            return DatabaseApprovals(database).ask(approval)

    return put


def kept(root: Path, approval: Approval) -> ApprovalRecord | None:
    with closing(open_database(Storage(root))) as database:
        return DatabaseApprovals(database).find(approval.id)


def test_where_no_run_has_asked_anything_the_commands_say_so(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [treadle("approvals"), treadle("approvals", "--all"), treadle("approve", "0123")]

    assert codes == [0, 0, 2]
    assert capsys.readouterr() == (
        "",
        "No run waits for an answer. See earlier questions with `treadle approvals --all`.\n"
        "No run has asked a question.\n"
        "treadle: there is no question '0123'\n"
        "  hint: no run waits for an answer\n",
    )
    assert not root.exists()


def test_approvals_lists_what_is_open_and_on_demand_what_was_settled(
    ask: Ask, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    landing, plan = ask(LANDING), ask(PLAN)
    treadle("approve", landing.id)
    capsys.readouterr()

    treadle("approvals", "--json")
    still_open = json.loads(capsys.readouterr().out)
    treadle("approvals", "--all", "--json")
    every = json.loads(capsys.readouterr().out)

    assert [(each["id"], each["state"]) for each in still_open] == [(plan.id, "open")]
    assert {(each["id"], each["state"]) for each in every} == {
        (plan.id, "open"),
        (landing.id, "answered"),
    }


def test_a_question_as_json_has_everything_that_was_asked(
    ask: Ask, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ask(PLAN)

    treadle("approvals", plan.id, "--json")

    assert json.loads(capsys.readouterr().out) == [
        {
            "id": plan.id,
            "run": RUN,
            "step": "plan",
            "kind": "plan",
            "question": "Work by this plan?",
            "subject": "1. Add numbers",
            "subject_hash": "4567",
            "asked_at": ASKED_AT.isoformat().replace("+00:00", "Z"),
            "deadline": None,
            "at_deadline": "deny",
            "answerers": [],
            "state": "open",
            "settled": None,
        }
    ]


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_a_person_sees_the_question_and_its_id(
    ask: Ask, treadle: Command, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    landing = ask(LANDING)

    assert treadle("approvals", *options) == 0

    shown = capsys.readouterr().out
    assert landing.id in shown
    assert "Land 2" in shown


def test_approve_shows_what_it_approved(
    ask: Ask, root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    landing = ask(LANDING)

    assert treadle("approve", landing.id[-5:].upper()) == 0

    record = kept(root, landing)
    assert capsys.readouterr() == (
        f"{landing.id} approved by {ME}: Land 2 commits in your checkout?\n"
        "│ calc.py | 3 +++\n"
        "│ commit 0123\n",
        "",
    )
    assert record is not None
    assert isinstance(record.settled, Answer)
    assert replace(record.settled, at=ASKED_AT) == Answer("approved", ME, ASKED_AT)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (("deny",), ("denied", "")),
        (("deny", "too big"), ("denied", "too big")),
        (("reply", "smaller", "steps"), ("replied", "smaller steps")),
    ],
)
def test_deny_and_reply_say_why(
    ask: Ask,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
    answer: tuple[str, str],
) -> None:
    plan = ask(PLAN)

    assert treadle(command[0], "--json", plan.id, *command[1:]) == 0

    said = json.loads(capsys.readouterr().out)
    assert (said["settled"]["verdict"], said["settled"]["text"]) == answer
    assert (said["settled"]["by"], said["state"], said["refused"]) == (ME, "answered", None)


def test_the_second_answer_is_shown_who_gave_the_first(
    ask: Ask, root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ask(PLAN)
    treadle("deny", plan.id)
    first = kept(root, plan)
    capsys.readouterr()

    codes = [treadle("approve", plan.id), treadle("approve", "--json", plan.id)]

    out, err = capsys.readouterr()
    said = json.loads(out)
    lines = err.splitlines()
    assert codes == [1, 1]
    assert lines[0].startswith(f"treadle: {plan.id} was denied by {ME} at ")
    assert lines[1] == "  hint: the first answer counts"
    assert (said["state"], said["refused"]["objection"]) == ("answered", "settled")
    assert kept(root, plan) == first


def test_a_script_can_bind_its_answer_to_what_it_has_seen(
    ask: Ask, root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    landing = ask(LANDING)

    assert treadle("approve", landing.id, "--subject-hash", "4567") == 1
    assert kept(root, landing) == ApprovalRecord(landing)
    assert capsys.readouterr().err == (
        f"treadle: {landing.id} is about another subject: its hash is 0123\n"
        "  hint: look at it again with `treadle approvals`, then answer\n"
    )
    assert treadle("approve", landing.id, "--subject-hash", "0123") == 0


def test_a_question_for_others_is_not_answered(
    ask: Ask, root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    landing = ask(replace(LANDING, answerers=("somebody-else",)))

    assert treadle("approve", landing.id) == 1
    assert kept(root, landing) == ApprovalRecord(landing)
    assert capsys.readouterr().err == (
        f"treadle: {ME} may not answer {landing.id}\n  hint: it waits for somebody-else\n"
    )


def test_a_question_whose_deadline_has_passed_is_neither_open_nor_answered(
    ask: Ask, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    landing = ask(replace(LANDING, patience=timedelta(minutes=1)))

    assert [treadle("approvals"), treadle("approve", landing.id)] == [0, 1]

    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("No run waits for an answer.")
    assert lines[1].startswith(f"treadle: {landing.id} had to be answered by ")
    assert lines[2] == "  hint: without an answer it was denied"


def test_a_name_that_fits_nothing_is_answered_with_what_is_open(
    ask: Ask, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = ask(PLAN)

    assert [treadle("approve", name) for name in ("nobody", "%", "")] == [2, 2, 2]
    assert capsys.readouterr().err == "".join(
        f"treadle: there is no question {name!r}\n  hint: open: {plan.id}\n"
        for name in ("nobody", "%", "")
    )


def test_an_end_that_several_have_asks_for_more_digits(
    ask: Ask, root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(open_database(Storage(root))) as database:
        approvals = DatabaseApprovals(database)
        both = [
            approvals.ask(
                replace(
                    make_approval(PLAN, run=RUN, step=str(n), now=ASKED_AT), id=ApprovalId(name)
                )
            )
            for n, name in enumerate(("aaaa00000123", "bbbb00000123"))
        ]

    assert treadle("approve", "0123") == 2
    assert capsys.readouterr().err == (
        "treadle: '0123' matches several questions: aaaa00000123, bbbb00000123\n"
        "  hint: give more characters\n"
    )
    assert treadle("approve", both[0].id) == 0
    # Of two with this end, one is open now: that one is meant.
    assert treadle("deny", "0123") == 0


def test_an_agent_in_a_session_cannot_answer_for_a_person(
    ask: Ask, root: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    landing = ask(LANDING)
    inside = parse_environment(
        {"TREADLE_ROOT": str(root), "HOME": str(root), "TREADLE_SESSION": "session-1"}
    )

    assert run_command(("approve", landing.id), CommandContext(inside, project)) == 2
    assert kept(root, landing) == ApprovalRecord(landing)
    assert capsys.readouterr().err == (
        "treadle: a question to a person cannot be answered inside an agent's session\n"
        "  hint: answer it in your own terminal\n"
    )


def test_a_reply_needs_words(ask: Ask, treadle: Command) -> None:
    assert treadle("reply", ask(PLAN).id) == 2
