"""How many deliverables passed, and how that is known."""

from collections.abc import Sequence

import pytest

from treadle.domain.check import BeforeOutcome, Check
from treadle.domain.deliverable import Tally
from treadle.views.tally_text import tally_text, why_claimed


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
        (("c0", "c1"), of("failed", "failed"), "its checks have not shown it yet"),
    ],
)
def test_a_claim_says_what_keeps_it_from_being_proven(
    criteria: Sequence[str], checks: Sequence[Check], why: str
) -> None:
    assert why_claimed(criteria, checks) == why


@pytest.mark.parametrize(
    ("tally", "proven", "words"),
    [
        (Tally(), 0, "none yet"),
        (Tally(0, 0, 2), 0, "0 of 2 passed, 2 pending"),
        (Tally(2, 0, 2), 0, "2 of 2 passed (claimed)"),
        (Tally(2, 0, 2), 2, "2 of 2 passed (proven)"),
        (Tally(4, 1, 6), 3, "4 of 6 passed (3 proven, 1 claimed), 1 blocked, 1 pending"),
    ],
)
def test_the_totals_keep_what_is_proven_apart_from_what_is_claimed(
    tally: Tally, proven: int, words: str
) -> None:
    assert tally_text(tally, proven=proven) == words
