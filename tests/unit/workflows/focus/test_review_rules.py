"""Which findings of a review count, and what the review comes to."""

import pytest

from treadle.domain.review import DroppedFinding, ReviewFinding
from treadle.domain.signal import SignalKind
from treadle.workflows.focus.previous_findings import is_quoted
from treadle.workflows.focus.review_rules import (
    FindingContext,
    ReviewJudgement,
    ReviewRules,
    judge_review,
    why_dropped,
)

QUOTED = ReviewFinding("major", "Wrong", "face.py", "lower = 1")
RUN = ReviewFinding("major", "Broken", command="make test")
BOTH = ReviewFinding("major", "Wrong", "face.py", "lower = 1", "make test")
TEXT = "import clock\n\n    lower  =  1  # of the clock\n"


@pytest.mark.parametrize(
    ("finding", "seen", "fault"),
    [
        (QUOTED, FindingContext(TEXT), ""),
        (QUOTED, FindingContext("face = 1\n"), "the quoted line is not in face.py"),
        (QUOTED, FindingContext(None), "there is no file face.py in the commit"),
        (RUN, FindingContext(fails=True), ""),
        (RUN, FindingContext(fails=False), "its command succeeds"),
        (RUN, FindingContext(), "its command could not be tried"),
        (BOTH, FindingContext(TEXT, fails=False), ""),  # the line shows it all the same
        (BOTH, FindingContext("other\n", fails=True), ""),
        (
            ReviewFinding("nit", "Ugly"),
            FindingContext(),
            "it shows neither a line nor a failing command",
        ),
        (
            ReviewFinding("nit", " ", "face.py", "lower = 1"),
            FindingContext(TEXT),
            "it says nothing",
        ),
        # From the second review on:
        (QUOTED, FindingContext(TEXT, changed=frozenset({"face.py"})), ""),
        (QUOTED, FindingContext(TEXT, changed=frozenset(), previous=(QUOTED,)), ""),
        (
            QUOTED,
            FindingContext(TEXT, changed=frozenset({"hands.py"})),
            "face.py has not changed since the last review, which had nothing about it",
        ),
        (RUN, FindingContext(fails=True, changed=frozenset()), ""),  # what fails is a fact
    ],
)
def test_a_finding_counts_if_something_shows_it(
    finding: ReviewFinding, seen: FindingContext, fault: str
) -> None:
    assert why_dropped(finding, seen) == fault


@pytest.mark.parametrize(
    ("quote", "quoted"),
    [
        ("lower = 1", True),
        ("import clock\n\nlower = 1", True),
        ("import clock\nlower = 2", False),
        ("\n  \n", False),
    ],
)
def test_every_line_of_a_quote_has_to_be_there(quote: str, quoted: bool) -> None:
    assert is_quoted(quote, TEXT) is quoted


BLOCKER, MAJOR, MINOR = (
    ReviewFinding("blocker", "Broken", command="make test"),
    QUOTED,
    ReviewFinding("minor", "Long", "face.py", "lower"),
)
TERMS = ReviewRules("major", 3)


@pytest.mark.parametrize(
    ("said", "findings", "before", "judgement"),
    [
        ("approved", (), 0, ReviewJudgement("approved", "", (), ())),
        ("approved", (MINOR,), 0, ReviewJudgement("approved", "", (MINOR,), (), (MINOR,))),
        (
            "request_changes",
            (MAJOR, MINOR),
            0,
            ReviewJudgement("changes", "1 finding of weight major or more", (MAJOR, MINOR), ()),
        ),
        (
            "request_changes",
            (MINOR,),
            0,
            ReviewJudgement(
                "approved",
                "changes were requested, but nothing blocks approval: 0 findings dropped, "
                "1 finding below major",
                (MINOR,),
                (),
                (MINOR,),
            ),
        ),
        (
            "approved",
            (MAJOR,),
            0,
            ReviewJudgement(
                "changes",
                "1 finding of weight major or more, although the reviewer approved",
                (MAJOR,),
                (),
            ),
        ),
        (
            "request_changes",
            (MAJOR, MINOR),
            2,
            ReviewJudgement(
                "approved",
                "1 finding left for later after the last review (focus.max_reviews = 3)",
                (MAJOR, MINOR),
                (),
                (MAJOR, MINOR),
            ),
        ),
        (
            "request_changes",
            (BLOCKER, MAJOR),
            2,
            ReviewJudgement(
                "given_up",
                "1 finding of weight blocker left after the last review (focus.max_reviews = 3)",
                (BLOCKER, MAJOR),
                (),
                (BLOCKER, MAJOR),
            ),
        ),
    ],
)
def test_what_a_review_comes_to(
    said: SignalKind, findings: tuple[ReviewFinding, ...], before: int, judgement: ReviewJudgement
) -> None:
    looked_into = [(finding, "") for finding in findings]

    assert judge_review(said, looked_into, TERMS, reviews_before=before) == judgement


def test_findings_with_a_fault_are_dropped_and_said() -> None:
    judgement = judge_review("request_changes", [(MAJOR, "no such line")], TERMS, reviews_before=0)

    assert (judgement.outcome, judgement.dropped) == (
        "approved",
        (DroppedFinding(MAJOR, "no such line"),),
    )


def test_the_bar_can_be_raised_to_blockers_alone() -> None:
    judgement = judge_review(
        "request_changes", [(MAJOR, "")], ReviewRules("blocker", 3), reviews_before=0
    )

    assert judgement.outcome == "approved"
