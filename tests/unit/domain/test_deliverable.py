"""The state machine of deliverables: what may be created, and which way a status can go."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import claimed, deliverable
from treadle.domain.check import Check, Grade
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    DeliverableStatus,
    RejectedChange,
    Tally,
    add_deliverables,
    set_status,
    tally,
    with_known_grades,
    with_valid_proof,
)

STATUSES: list[DeliverableStatus] = ["pending", "passed", "blocked"]
ONE = deliverable("DL-1")
TWO = deliverable("DL-2", "passed")


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        ("pending", "passed", None),
        ("pending", "blocked", None),
        ("passed", "pending", None),
        ("blocked", "pending", None),
        ("pending", "pending", "Deliverable DL-1 is pending already."),
        ("passed", "passed", "Deliverable DL-1 is passed already."),
        ("blocked", "blocked", "Deliverable DL-1 is blocked already."),
        (
            "passed",
            "blocked",
            "Deliverable DL-1 is passed: it cannot become blocked directly. "
            "Set it to pending first if the situation has really changed.",
        ),
        (
            "blocked",
            "passed",
            "Deliverable DL-1 is blocked: it cannot become passed directly. "
            "Set it to pending first if the situation has really changed.",
        ),
    ],
)
def test_a_status_goes_from_pending_to_passed_or_blocked_and_back(
    before: DeliverableStatus, after: DeliverableStatus, answer: str | None
) -> None:
    changed = set_status([deliverable("DL-1", before), TWO], "DL-1", after)

    claim = Claim() if after == "passed" else None
    assert changed == (
        RejectedChange(answer) if answer else (deliverable("DL-1", after, claim), TWO)
    )


def test_a_status_that_is_taken_back_takes_its_claim_along() -> None:
    settled = claimed("DL-1", "abc", rehearsed=True)

    reset = set_status([settled, TWO], "DL-1", "pending")

    assert reset == (ONE, TWO)
    assert set_status([ONE, TWO], "DL-1", "passed") == (claimed("DL-1"), TWO)


@pytest.mark.parametrize(
    ("existing", "answer"),
    [
        ((), "Deliverable DL-9 not found. Known ids: none yet."),
        ((ONE, TWO), "Deliverable DL-9 not found. Known ids: DL-1, DL-2."),
    ],
)
def test_an_unknown_id_is_refused_with_the_known_ones(
    existing: tuple[Deliverable, ...], answer: str
) -> None:
    assert set_status(existing, "DL-9", "passed") == RejectedChange(answer)


CHECK = Check("DL-1 can be seen", "make", "spec", "failed", "passed")
UNPINNED = replace(CHECK, pinned="")
PROVEN = replace(claimed("DL-1", "abc"), checks=(CHECK,), proof="proven")


def test_what_is_taken_back_keeps_its_checks_and_no_grade() -> None:
    failed = replace(CHECK, pinned="failed", why="it fails with your version of test_it.py")
    lower = replace(PROVEN, checks=(failed,), proof="self-tested", why="2 of your tests fail")

    for passed in (PROVEN, lower):
        assert set_status([passed], "DL-1", "pending") == (replace(ONE, checks=(UNPINNED,)),)


@pytest.mark.parametrize(
    ("given", "proof"),
    [
        (PROVEN, "proven"),
        (replace(PROVEN, proof="self-tested", why="your tests fail"), "self-tested"),
        (replace(PROVEN, proof="claimed"), "claimed"),
        (replace(PROVEN, proof=None), "claimed"),
        (replace(PROVEN, checks=()), "claimed"),
        (replace(PROVEN, checks=(replace(CHECK, origin="agent"),)), "self-tested"),
        (replace(PROVEN, checks=(replace(CHECK, pinned="failed"),)), "self-tested"),
        (replace(PROVEN, checks=(UNPINNED,)), "self-tested"),
        (replace(PROVEN, checks=(replace(CHECK, before=""),)), "claimed"),
        (replace(PROVEN, checks=(replace(CHECK, before="passed"),)), "claimed"),
        (replace(PROVEN, acceptance_criteria=(CHECK.criterion, "More")), "claimed"),
        (replace(PROVEN, acceptance_criteria=()), "claimed"),
    ],
)
def test_a_pass_has_no_higher_grade_than_its_checks_can_give(
    given: Deliverable, proof: Grade
) -> None:
    assert with_valid_proof(given) == replace(given, proof=proof)


MORE = replace(
    PROVEN,
    acceptance_criteria=(CHECK.criterion, "More"),
    checks=(UNPINNED, Check("More", "make more", "person", "failed")),
)


@pytest.mark.parametrize(
    ("stored", "known"),
    [
        # Stored by a version without pinned trees: what it called proven stays so.
        (replace(PROVEN, checks=(UNPINNED,)), PROVEN),
        (MORE, replace(MORE, checks=(CHECK, replace(MORE.checks[1], pinned="passed")))),
        # A result that is known is not made better, and no other grade either.
        (PROVEN, PROVEN),
        (
            replace(MORE, checks=(CHECK, MORE.checks[1])),
            replace(MORE, checks=(CHECK, MORE.checks[1])),
        ),
        (
            replace(PROVEN, checks=(UNPINNED,), proof="self-tested"),
            replace(PROVEN, checks=(UNPINNED,), proof="self-tested"),
        ),
        (
            replace(PROVEN, checks=(replace(UNPINNED, before=""),)),
            replace(PROVEN, checks=(replace(UNPINNED, before=""),)),
        ),
        (
            replace(ONE, checks=(UNPINNED,)),
            replace(ONE, checks=(UNPINNED,)),
        ),
    ],
)
def test_what_was_stored_as_proven_before_there_were_pinned_trees_stays_so(
    stored: Deliverable, known: Deliverable
) -> None:
    assert with_known_grades(stored) == known


def test_what_an_agents_own_check_had_proven_is_self_tested_now() -> None:
    stored = replace(PROVEN, checks=(replace(UNPINNED, origin="agent"),))

    assert with_valid_proof(with_known_grades(stored)) == replace(
        PROVEN, checks=(replace(CHECK, origin="agent"),), proof="self-tested"
    )


@pytest.mark.parametrize("status", ["pending", "blocked"])
def test_what_has_not_passed_has_neither_grade_nor_claim(status: DeliverableStatus) -> None:
    given = replace(PROVEN, status=status, why="your tests fail")

    assert with_valid_proof(given) == replace(given, proof=None, claim=None, why="")


def test_new_deliverables_come_behind_the_old_ones_and_are_pending() -> None:
    eager = claimed("DL-3", "abc")

    assert add_deliverables([ONE, TWO], [eager]) == (ONE, TWO, deliverable("DL-3"))


@pytest.mark.parametrize(
    ("new", "answer"),
    [
        ((), "No deliverables were given: pass at least one."),
        ((deliverable("DL-1"),), "Deliverable DL-1 already exists: choose another id."),
        (
            (deliverable("DL-3"), deliverable("DL-3")),
            "Deliverable DL-3 already exists: choose another id.",
        ),
        ((Deliverable("  ", "x", ("y",)),), "A deliverable needs an id, for example DL-001."),
        ((Deliverable("DL-3", " ", ("y",)),), "Deliverable DL-3 needs a description."),
        (
            (Deliverable("DL-3", "x", ()),),
            "Deliverable DL-3 needs acceptance criteria, none of them empty.",
        ),
        (
            (deliverable("DL-4"), Deliverable("DL-3", "x", ("y", "\n"))),
            "Deliverable DL-3 needs acceptance criteria, none of them empty.",
        ),
    ],
)
def test_either_all_new_deliverables_are_created_or_none(
    new: tuple[Deliverable, ...], answer: str
) -> None:
    assert add_deliverables([ONE, TWO], new) == RejectedChange(answer)


@pytest.mark.parametrize(
    ("statuses", "counted", "achieved", "all_blocked"),
    [
        ([], Tally(), False, False),
        (["pending"], Tally(total=1), False, False),
        (["passed"], Tally(passed=1, total=1), True, False),
        (["blocked"], Tally(blocked=1, total=1), False, True),
        (["passed", "blocked"], Tally(passed=1, blocked=1, total=2), True, False),
        (["passed", "pending"], Tally(passed=1, total=2), False, False),
        (["blocked", "pending"], Tally(blocked=1, total=2), False, False),
    ],
)
def test_what_can_be_achieved_is_achieved_once_nothing_is_pending_and_something_passed(
    statuses: list[DeliverableStatus], counted: Tally, achieved: bool, all_blocked: bool
) -> None:
    now = tally([deliverable(f"DL-{n}", status) for n, status in enumerate(statuses)])

    assert (now, now.all_achievable_passed, now.all_blocked) == (counted, achieved, all_blocked)


@settings(deadline=None)
@given(st.lists(st.sampled_from(STATUSES), max_size=8))
def test_every_deliverable_is_counted_once(statuses: list[DeliverableStatus]) -> None:
    now = tally([deliverable(f"DL-{n}", status) for n, status in enumerate(statuses)])

    assert now.passed + now.blocked + now.pending == now.total == len(statuses)
    assert not (now.all_achievable_passed and now.all_blocked)
