"""A finding is new unless one with the same words is there or was dismissed."""

import pytest

from treadle.domain.finding import DropReason, KnownFindings
from treadle.workflows.audit.decisions import slug, why_dropped

KNOWN = KnownFindings(
    titles=("The greeting is not polite",),
    memory="# Memory\n\n- Dismissed: Names are cut at 80 characters (because: it is wanted)\n"
    "1. Dates have no time zone\nWe like short names.\n",
)


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("The greeting is not polite", "exists"),
        ("the Greeting is not POLITE.", "exists"),
        ("Not polite: the greeting", "exists"),
        ("The greeting has no name", None),
        ("Names are cut at 80 characters", "dismissed"),
        ("Dates have no time zone", "dismissed"),
        ("Memory", None),
        ("it is wanted", None),
        ("Dates", None),
    ],
)
def test_whether_a_finding_is_new(title: str, reason: DropReason | None) -> None:
    assert why_dropped(title, KNOWN) == reason


def test_titles_without_words_are_compared_as_they_are() -> None:
    known = KnownFindings(("??",))

    assert [why_dropped(title, known) for title in ("??", "!!")] == ["exists", None]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The greeting is not polite", "the-greeting-is-not-polite"),
        ("../../etc/passwd", "etc-passwd"),
        ("???", "finding"),
        ("a" * 100, "a" * 60),
    ],
)
def test_the_name_of_a_file(title: str, name: str) -> None:
    assert slug(title) == name
