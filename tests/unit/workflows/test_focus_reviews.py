"""Which findings of a review count, and what the review comes to."""

import pytest

from treadle.domain.review import Dropped, Finding
from treadle.domain.signal import SignalKind
from treadle.workflows.focus.quoting import is_quoted
from treadle.workflows.focus.reviews import Judgement, Seen, Terms, fault_of, judge

QUOTED = Finding("major", "Wrong", "face.py", "lower = 1")
RUN = Finding("major", "Broken", command="make test")
BOTH = Finding("major", "Wrong", "face.py", "lower = 1", "make test")
TEXT = "import clock\n\n    lower  =  1  # of the clock\n"


@pytest.mark.parametrize(
    ("finding", "seen", "fault"),
    [
        (QUOTED, Seen(TEXT), ""),
        (QUOTED, Seen("face = 1\n"), "the quoted line is not in face.py"),
        (QUOTED, Seen(None), "there is no file face.py in the commit"),
        (RUN, Seen(fails=True), ""),
        (RUN, Seen(fails=False), "its command succeeds"),
        (RUN, Seen(), "its command could not be tried"),
        (BOTH, Seen(TEXT, fails=False), ""),  # the line shows it all the same
        (BOTH, Seen("other\n", fails=True), ""),
        (Finding("nit", "Ugly"), Seen(), "it shows neither a line nor a failing command"),
        (Finding("nit", " ", "face.py", "lower = 1"), Seen(TEXT), "it says nothing"),
        # From the second review on:
        (QUOTED, Seen(TEXT, changed=frozenset({"face.py"})), ""),
        (QUOTED, Seen(TEXT, changed=frozenset(), earlier=(QUOTED,)), ""),
        (
            QUOTED,
            Seen(TEXT, changed=frozenset({"hands.py"})),
            "face.py has not changed since the last review, which had nothing about it",
        ),
        (RUN, Seen(fails=True, changed=frozenset()), ""),  # what fails is a fact
    ],
)
def test_a_finding_counts_if_something_shows_it(finding: Finding, seen: Seen, fault: str) -> None:
    assert fault_of(finding, seen) == fault


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
    Finding("blocker", "Broken", command="make test"),
    QUOTED,
    Finding("minor", "Long", "face.py", "lower"),
)
TERMS = Terms("major", 3)


@pytest.mark.parametrize(
    ("said", "findings", "before", "judgement"),
    [
        ("approved", (), 0, Judgement("approved", "", (), ())),
        ("approved", (MINOR,), 0, Judgement("approved", "", (MINOR,), (), (MINOR,))),
        (
            "request_changes",
            (MAJOR, MINOR),
            0,
            Judgement("changes", "1 finding of weight major or more", (MAJOR, MINOR), ()),
        ),
        (
            "request_changes",
            (MINOR,),
            0,
            Judgement(
                "approved",
                "changes were requested, but nothing stands in the way: 0 findings dropped, "
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
            Judgement(
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
            Judgement(
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
            Judgement(
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
    said: SignalKind, findings: tuple[Finding, ...], before: int, judgement: Judgement
) -> None:
    looked_into = [(finding, "") for finding in findings]

    assert judge(said, looked_into, TERMS, reviews_before=before) == judgement


def test_findings_with_a_fault_are_dropped_and_said() -> None:
    judgement = judge("request_changes", [(MAJOR, "no such line")], TERMS, reviews_before=0)

    assert (judgement.outcome, judgement.dropped) == (
        "approved",
        (Dropped(MAJOR, "no such line"),),
    )


def test_the_bar_can_be_raised_to_blockers_alone() -> None:
    judgement = judge("request_changes", [(MAJOR, "")], Terms("blocker", 3), reviews_before=0)

    assert judgement.outcome == "approved"
