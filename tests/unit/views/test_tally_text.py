"""How many deliverables passed, and how that is known."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from treadle.domain.check import BeforeOutcome, Check, Grade
from treadle.domain.deliverable import Deliverable, DeliverableStatus, Tally
from treadle.views.tally_text import grade_text, proof_of, tally_text, why_claimed


def of(*earlier_checks: BeforeOutcome) -> tuple[Check, ...]:
    return tuple(Check(f"c{n}", "true", before=each) for n, each in enumerate(earlier_checks))


@pytest.mark.parametrize(
    ("criteria", "checks", "why"),
    [
        ((), (), ""),  # an old log does not tell them
        (("c0",), (), "no check"),
        (("c0", "c1", "c2"), (), "none of 3 criteria has a check"),
        (("c0", "c1", "c2"), of("failed"), "2 of 3 criteria have no check"),
        (("c0", "c1"), of("passed"), "1 of 2 criteria has no check"),  # the graver of the two
        (("c0",), of("passed"), "its check passed before the work"),
        (("c0", "c1", "c2"), of("passed", "failed", ""), "1 of 3 checks passed before the work"),
        (("c0", "c1"), of("passed", "passed"), "all 2 checks passed before the work"),
        (("c0",), of(""), "its check was never seen to fail"),
        (("c0", "c1"), of("failed", ""), "1 of 2 checks was never seen to fail"),
        (("c0", "c1"), of("", ""), "all 2 checks were never seen to fail"),
        (
            ("c0", "c1"),
            (*of(""), Check("c1", "true", why="it could not be run before the work: it hung")),
            "it could not be run before the work: it hung",
        ),
        (("c0", "c1"), of("failed", "failed"), "its checks have not passed yet"),
    ],
)
def test_a_claim_says_what_keeps_it_from_being_proven(
    criteria: Sequence[str], checks: Sequence[Check], why: str
) -> None:
    assert why_claimed(criteria, checks) == why


@pytest.mark.parametrize(
    ("tally", "grades", "words"),
    [
        (Tally(), [], "none yet"),
        (Tally(0, 0, 2), [], "0 of 2 passed, 2 pending"),
        (Tally(2, 0, 2), ["claimed"] * 2, "2 of 2 passed (claimed)"),
        (Tally(2, 0, 2), ["self-tested"] * 2, "2 of 2 passed (self-tested)"),
        (Tally(2, 0, 2), ["proven"] * 2, "2 of 2 passed (proven)"),
        (
            Tally(4, 1, 6),
            ["claimed", "proven", "proven", "proven"],
            "4 of 6 passed (3 proven, 1 claimed), 1 blocked, 1 pending",
        ),
        (
            Tally(4, 0, 4),
            ["claimed", "self-tested", "proven", "self-tested"],
            "4 of 4 passed (1 proven, 2 self-tested, 1 claimed)",
        ),
        # An old log does not tell the grade of every pass.
        (Tally(2, 0, 2), [], "2 of 2 passed (claimed)"),
        (Tally(3, 0, 3), ["proven"], "3 of 3 passed (1 proven, 2 claimed)"),
    ],
)
def test_the_totals_keep_the_grades_apart(tally: Tally, grades: list[Grade], words: str) -> None:
    assert tally_text(tally, grades) == words


SPEC = Check("c0", "true", "spec", "failed", "passed")
PERSON = Check("c1", "true", "person", "failed", "passed")
AGENT = Check("c1", "true", "agent", "failed", "passed")
CHANGED = Check("c1", "true", "spec", "failed", "failed", "it fails with your version of t.py")
BOTH = ("c0", "c1")


@pytest.mark.parametrize(
    ("grade", "criteria", "checks", "why", "text"),
    [
        ("proven", ("c0",), [SPEC], "", "proven by the specification"),
        ("proven", ("c1",), [PERSON], "", "proven by your check"),
        ("proven", BOTH, [SPEC, PERSON], "", "proven by the specification and your check"),
        ("proven", BOTH, [PERSON, replace(PERSON, criterion="c0")], "", "proven by your check"),
        ("proven", (), [], "", "proven"),
        ("self-tested", BOTH, [SPEC, AGENT], "", "self-tested: the agent wrote the check"),
        ("self-tested", BOTH, [SPEC, CHANGED], "", f"self-tested: {CHANGED.why}"),
        # The first of several reasons.
        ("self-tested", BOTH, [CHANGED, AGENT], "", f"self-tested: {CHANGED.why}"),
        ("self-tested", ("c1",), [replace(CHANGED, why="")], "", "self-tested"),
        ("self-tested", (), [], "", "self-tested"),
        # All checks are proven, and the tests say the contrary.
        ("self-tested", ("c0",), [SPEC], "your tests fail", "self-tested: your tests fail"),
        ("claimed", ("c0",), [], "", "claimed: no check"),
        ("claimed", BOTH, [SPEC], "", "claimed: 1 of 2 criteria has no check"),
        ("claimed", ("c0",), [replace(SPEC, before="", why="it hung")], "", "claimed: it hung"),
        ("claimed", (), [], "", "claimed"),
    ],
)
def test_a_grade_is_shown_with_the_author_of_its_judge_or_what_it_lacks(
    grade: Grade, criteria: Sequence[str], checks: Sequence[Check], why: str, text: str
) -> None:
    assert grade_text(grade, criteria, checks, why) == text


@pytest.mark.parametrize(
    ("status", "proof", "found"),
    [
        ("passed", "proven", "proven"),
        ("passed", "self-tested", "self-tested"),
        ("passed", None, "claimed"),
        ("pending", "proven", None),
        ("blocked", None, None),
    ],
)
def test_a_pass_without_a_grade_is_claimed_and_nothing_else_has_one(
    status: DeliverableStatus, proof: Grade | None, found: Grade | None
) -> None:
    assert proof_of(Deliverable("DL-1", "One", ("c0",), status, proof=proof)) == found
