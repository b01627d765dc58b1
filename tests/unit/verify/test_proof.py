"""A deliverable is proven by a check for every criterion that failed before the work."""

import pytest

from treadle.domain.check import BeforeOutcome, Check
from treadle.domain.deliverable import Deliverable, Proof
from treadle.verify.proof import claimed_criteria, proof_of


def with_checks(*seen: BeforeOutcome | None, criteria: int | None = None) -> Deliverable:
    """A criterion for each; None for one without a check."""
    texts = tuple(f"Criterion {n}" for n in range(len(seen) if criteria is None else criteria))
    checks = tuple(
        Check(text, "make", before=before)
        for text, before in zip(texts, seen, strict=False)
        if before is not None
    )
    return Deliverable("DL-1", "Something", texts, checks=checks)


@pytest.mark.parametrize(
    ("seen", "proof"),
    [
        (["failed"], "proven"),
        (["failed", "failed"], "proven"),
        ([None], "claimed"),
        (["failed", None], "claimed"),
        (["failed", "passed"], "claimed"),  # it says nothing about the work
        (["failed", ""], "claimed"),  # nobody has looked
        ([], "claimed"),
    ],
)
def test_what_has_a_decisive_check_for_every_criterion_is_proven(
    seen: list[BeforeOutcome | None], proof: Proof
) -> None:
    assert proof_of(with_checks(*seen)) == proof


def test_criteria_without_a_check_are_claimed() -> None:
    found = with_checks(None, "failed", None, "passed", "")

    assert claimed_criteria(found) == ("Criterion 0", "Criterion 2")
