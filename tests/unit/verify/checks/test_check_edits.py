"""A person edits checks by text, by number, or with a new criterion."""

from dataclasses import replace

import pytest

from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable
from treadle.verify.checks.check_edits import (
    CheckEdit,
    EditRefusal,
    with_accepted_check,
    with_check,
    without_check,
)

SUM = Check("2 and 3 give 5", "test 5", "agent", "failed", "passed")
ADD = Deliverable("DL-001", "Add", ("2 and 3 give 5", "It is *documented*."), checks=(SUM,))
MAIL = Deliverable("DL-002", "Mail", ("1", "a mail arrives"))
ALL = (ADD, MAIL)
LIST = "see them with `treadle check list`"


def checks_after(edit: CheckEdit | EditRefusal, deliverable: str = "DL-001") -> tuple[Check, ...]:
    assert isinstance(edit, CheckEdit), edit
    return next(each.checks for each in edit.deliverables if each.id == deliverable)


@pytest.mark.parametrize(
    ("given", "criterion"),
    [
        ("2", "It is *documented*."),
        ("It is *documented*.", "It is *documented*."),
        ("it is   documented", "It is *documented*."),  # nobody types the stars
        ("It is fast", "It is fast"),
        ("  It is\n fast ", "It is fast"),
    ],
)
def test_a_criterion_is_meant_by_its_number_its_text_or_is_new(given: str, criterion: str) -> None:
    edit = with_check(ALL, "DL-001", given, "grep -q add README")

    assert checks_after(edit) == (SUM, Check(criterion, "grep -q add README", "person"))


def test_a_text_that_no_criterion_has_becomes_one() -> None:
    edit = with_check(ALL, "dl-001", "It is fast", "true")

    assert isinstance(edit, CheckEdit)
    assert edit.is_new_criterion
    assert edit.deliverables[0].acceptance_criteria == (*ADD.acceptance_criteria, "It is fast")
    assert edit.deliverables[1] is MAIL


def test_a_criterion_that_is_a_number_itself_is_found_by_its_text() -> None:
    edit = with_check(ALL, "DL-002", "1", "true")

    assert checks_after(edit, "DL-002") == (Check("1", "true", "person"),)


def test_another_command_replaces_the_first_and_has_not_failed_before() -> None:
    edit = with_check(ALL, "DL-001", "1", "test 6")

    assert isinstance(edit, CheckEdit)
    assert edit.previous == SUM
    assert checks_after(edit) == (Check(SUM.criterion, "test 6", "person"),)


def test_the_same_command_keeps_its_results() -> None:
    edit = with_check(ALL, "DL-001", "1", "test 5")

    assert checks_after(edit) == (replace(SUM, origin="person"),)


def test_what_was_proven_is_only_claimed_once_its_checks_change() -> None:
    spec = replace(SUM, origin="spec")
    proven = Deliverable(
        "DL-1", "One", ("2 and 3 give 5",), "passed", Claim("c0"), (spec,), "proven"
    )
    claimed = replace(proven, proof="claimed")

    added = with_check((proven,), "DL-1", "More", "true")
    taken = without_check((proven,), "DL-1", "1")

    assert isinstance(added, CheckEdit)
    assert isinstance(taken, CheckEdit)
    assert added.deliverables == (
        replace(
            claimed,
            acceptance_criteria=("2 and 3 give 5", "More"),
            checks=(spec, Check("More", "true", "person")),
        ),
    )
    assert taken.deliverables == (replace(claimed, checks=()),)
    assert (taken.check, taken.is_new_criterion) == (spec, False)


YOURS = "it fails with your version of test_add.py"
NOT_PINNED = "it was not seen to pass with your own tests"
UNKNOWN = replace(SUM, before="", pinned="", why="it could not be run before the work: it hung")
WRITTEN = replace(SUM, why="the agent wrote the check")
SELF_TESTED = Deliverable(
    "DL-1", "One", ("2 and 3 give 5",), "passed", Claim("c0"), (WRITTEN,), "self-tested"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Nothing but its author stood against it.
        (
            SELF_TESTED,
            replace(SELF_TESTED, checks=(replace(SUM, origin="person"),), proof="proven"),
        ),
        # A person's yes is none to what the agent did to the tests.
        (
            replace(SELF_TESTED, checks=(replace(SUM, pinned="failed", why=YOURS),)),
            replace(
                SELF_TESTED,
                checks=(replace(SUM, origin="person", pinned="failed", why=YOURS),),
            ),
        ),
        (
            replace(
                SELF_TESTED,
                checks=(replace(WRITTEN, pinned="failed", why=f"{WRITTEN.why}, and {YOURS}"),),
            ),
            replace(
                SELF_TESTED,
                checks=(replace(SUM, origin="person", pinned="failed", why=YOURS),),
            ),
        ),
        (
            replace(SELF_TESTED, checks=(replace(WRITTEN, pinned="failed"),)),
            replace(
                SELF_TESTED,
                checks=(replace(SUM, origin="person", pinned="failed", why=NOT_PINNED),),
            ),
        ),
        (
            replace(SELF_TESTED, why="2 tests of yours fail"),
            replace(
                SELF_TESTED,
                checks=(replace(SUM, origin="person"),),
                why="2 tests of yours fail",
            ),
        ),
        (
            replace(SELF_TESTED, checks=(UNKNOWN,), proof="claimed"),
            replace(SELF_TESTED, checks=(replace(UNKNOWN, origin="person"),), proof="claimed"),
        ),
        (
            replace(SELF_TESTED, acceptance_criteria=(SUM.criterion, "More"), proof="claimed"),
            replace(
                SELF_TESTED,
                acceptance_criteria=(SUM.criterion, "More"),
                checks=(replace(SUM, origin="person"),),
                proof="claimed",
            ),
        ),
        # Before the work as well.
        (
            replace(SELF_TESTED, status="pending", claim=None, proof=None),
            replace(
                SELF_TESTED,
                status="pending",
                claim=None,
                proof=None,
                checks=(replace(SUM, origin="person"),),
            ),
        ),
    ],
)
def test_a_check_that_a_person_accepts_is_theirs_and_can_prove(
    before: Deliverable, after: Deliverable
) -> None:
    edit = with_accepted_check((before, MAIL), "dl-1", "2 and 3 give  5")

    assert isinstance(edit, CheckEdit)
    assert edit.deliverables == (after, MAIL)
    assert (edit.check, edit.previous) == (after.checks[0], before.checks[0])


def test_a_check_that_is_no_agents_needs_no_yes() -> None:
    for origin in ("spec", "person"):
        own = replace(ADD, checks=(replace(SUM, origin=origin),))

        assert with_accepted_check((own,), "DL-001", "1") == EditRefusal(
            "the check for '2 and 3 give 5' was not written by an agent", LIST
        )


@pytest.mark.parametrize(
    ("refused", "message", "hint"),
    [
        (
            with_check((), "DL-001", "1", "true"),
            "this project has no deliverables yet",
            "run `treadle deliver` first, or write the check into SPEC.md",
        ),
        (
            with_check(ALL, "DL-9", "1", "true"),
            "there is no deliverable 'DL-9'",
            "there are DL-001, DL-002",
        ),
        (
            with_check((replace(ADD, id="a\x1b[2J"),), "DL-9", "1", "true"),
            "there is no deliverable 'DL-9'",
            "there are 'a\\x1b[2J'",
        ),
        (
            with_check(ALL, "DL-001", "3", "true"),
            "DL-001 has no criterion 3: it has 2",
            LIST,
        ),
        (with_check(ALL, "DL-001", "0", "true"), "DL-001 has no criterion 0: it has 2", LIST),
        (
            with_check(ALL, "DL-001", " ", "true"),
            "the criterion is empty",
            "give its text or its number",
        ),
        (
            with_check(ALL, "DL-001", "1", " "),
            "the check has an empty command",
            "give the shell line behind `--`",
        ),
        (without_check(ALL, "DL-001", "2"), "DL-001 has no check for 'It is *documented*.'", LIST),
        (without_check(ALL, "DL-001", "x" * 99), f"DL-001 has no check for '{'x' * 59}…'", LIST),
        (without_check(ALL, "DL-001", "7"), "DL-001 has no criterion 7: it has 2", LIST),
        (
            with_accepted_check(ALL, "DL-001", "2"),
            "DL-001 has no check for 'It is *documented*.'",
            LIST,
        ),
        (with_accepted_check(ALL, "DL-001", "7"), "DL-001 has no criterion 7: it has 2", LIST),
        (
            with_accepted_check(ALL, "DL-9", "1"),
            "there is no deliverable 'DL-9'",
            "there are DL-001, DL-002",
        ),
        (
            without_check(tuple(replace(ADD, id=f"D{n}") for n in range(14)), "x", "1"),
            "there is no deliverable 'x'",
            "there are D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11 and 2 more",
        ),
    ],
)
def test_what_cannot_be_done_is_answered_with_what_can(
    refused: CheckEdit | EditRefusal, message: str, hint: str
) -> None:
    assert refused == EditRefusal(message, hint)
