"""Findings of earlier reviews are not forgotten because a later one does not mention them."""

from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    finding,
    make_focus_harness,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.run_harness import did, ending, use
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.events.focus import BacklogSaved, ReviewJudged
from treadle.domain.review import ReviewFinding
from treadle.verify.results.memory_check_runner import GREEN, RED
from treadle.workflows.focus.previous_findings import (
    FindingStatus,
    PreviousFindings,
    earlier_findings,
    finding_status,
    settled_findings,
)
from treadle.workflows.focus.review_rules import ReviewJudgement, ReviewRules, judge_review

QUOTED = ReviewFinding("major", "Wrong", "face.py", "lower = 1")
RUN = ReviewFinding("major", "Broken", command="make test")
BOTH = ReviewFinding("major", "Wrong", "face.py", "lower = 1", "make test")
TEXT = "  lower  = 1\n"


@pytest.mark.parametrize(
    ("finding", "text", "fails", "is_settled", "standing"),
    [
        (RUN, None, True, False, "failing"),
        (RUN, None, True, True, "failing"),  # what fails is a fact
        (RUN, None, False, False, "fixed"),
        (RUN, None, None, False, "open"),
        (RUN, None, None, True, "fixed"),
        (QUOTED, TEXT, None, False, "open"),
        (QUOTED, TEXT, None, True, "fixed"),
        (QUOTED, "face = 1\n", None, False, "fixed"),
        (QUOTED, None, None, False, "fixed"),
        (BOTH, TEXT, True, False, "failing"),
        (BOTH, TEXT, False, False, "open"),
        (BOTH, "face = 1\n", False, False, "fixed"),
    ],
)
def test_how_an_earlier_finding_stands_that_the_reviewer_did_not_repeat(
    finding: ReviewFinding,
    text: str | None,
    fails: bool | None,
    is_settled: bool,
    standing: FindingStatus,
) -> None:
    assert finding_status(finding, text=text, fails=fails, is_settled=is_settled) == standing


def review(
    number: int, *found: ReviewFinding, settled: tuple[ReviewFinding, ...] = ()
) -> ReviewJudged:
    return ReviewJudged(number, "changes_requested", "c", "", found, (), settled)


LIGHTER = ReviewFinding("minor", "Still wrong", "face.py", "lower  = 1")


@pytest.mark.parametrize(
    ("judged", "found"),
    [
        ([], ()),
        ([review(1, QUOTED, RUN), review(2)], (QUOTED, RUN)),
        ([review(1, QUOTED), review(2, LIGHTER)], (LIGHTER,)),
        ([review(1, QUOTED), review(2, settled=(QUOTED,))], ()),
        ([review(1, QUOTED), review(2, settled=(QUOTED,)), review(3, QUOTED)], (QUOTED,)),
        ([review(1, RUN), review(2, settled=(RUN,))], (RUN,)),  # it may be broken again
    ],
)
def test_what_was_found_before(
    judged: list[ReviewJudged], found: tuple[ReviewFinding, ...]
) -> None:
    assert earlier_findings(judged) == found


def test_findings_are_settled_by_their_numbers_unless_they_are_repeated() -> None:
    assert settled_findings((QUOTED, RUN), (1, 2, 9), (LIGHTER,)) == (RUN,)


def test_a_command_that_still_fails_stands_in_the_way_of_an_approval() -> None:
    earlier = PreviousFindings((RUN,), (LIGHTER,))

    judged = [
        judge_review(
            "approved", [], ReviewRules("major", 3), reviews_before=before, previous=earlier
        )
        for before in (1, 2)
    ]

    assert judged == [
        ReviewJudgement(
            "changes",
            "1 finding of weight major or more, although the reviewer approved; 1 finding of an "
            "earlier review: its command fails still",
            (RUN,),
            (),
        ),
        ReviewJudgement(
            "approved",
            "1 finding left for later after the last review (focus.max_reviews = 3)",
            (RUN,),
            (),
            (RUN, LIGHTER),
        ),
    ]


SOUND = "test -f sound.py"
SILENT = finding("major", "It does not tick", command=SOUND)
WRONG = finding("major", "It is spelt wrong", file="face.py", quote="lower")
SMALL = finding("minor", "It is small", file="hands.py", quote="hands")


@pytest.fixture
def harness(tmp_path: Path) -> FocusHarness:
    return make_focus_harness(tmp_path)


def built(harness: FocusHarness, word: str, text: str) -> list[list[ReplayStep]]:
    """A plan and the one session that works on it."""
    files = [harness.wrote("face.py", text), harness.wrote("hands.py", "hands\n")]
    return [planned(f"# {word}\n"), [*files, *marker("DONE", word), ending()]]


def judged_in(harness: FocusHarness) -> list[ReviewJudged]:
    return [event for event in harness.events if isinstance(event, ReviewJudged)]


def left(harness: FocusHarness) -> list[str]:
    """The first lines of what was left for later."""
    saved = [event for event in harness.events if isinstance(event, BacklogSaved)]
    paths = [path for event in saved for path in event.paths]
    return [(harness.user.path / path).read_text().splitlines()[0] for path in paths]


async def test_a_command_that_was_red_is_run_again_before_the_work_is_approved(
    harness: FocusHarness,
) -> None:
    harness.said = {**harness.said, (SOUND, ""): RED}
    harness.review_terms = ReviewRules("major", 3)
    harness.sessions = [
        *built(harness, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [SILENT, WRONG]),
        *built(harness, "Mend", "face\n"),
        reviewed("APPROVED"),
        *built(harness, "Mend more", "face 2\n"),
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 3)
    silent = ReviewFinding("major", "It does not tick", command=SOUND)
    assert [(each.verdict, each.findings) for each in judged_in(harness)[1:]] == [
        ("changes_requested", (silent,)),
        ("approved", (silent,)),
    ]
    assert "It does not tick" in harness.agent.briefs[6].prompt
    assert left(harness) == ["# It does not tick"]


async def test_a_command_that_is_green_now_is_forgotten(harness: FocusHarness) -> None:
    harness.said = {**harness.said, (SOUND, ""): RED}
    plan, work = built(harness, "Mend", "face\n")
    mended = did(lambda: harness.said.update({(SOUND, ""): GREEN}))
    harness.sessions = [
        *built(harness, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [SILENT]),
        plan,
        [mended, *work],
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds, left(harness)) == ("approved", 2, [])


async def test_quoted_lines_that_nobody_speaks_of_any_more_go_to_the_backlog(
    harness: FocusHarness,
) -> None:
    harness.sessions = [
        *built(harness, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [WRONG, SMALL]),
        *built(harness, "Mend", "face\n"),
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 2)
    assert left(harness) == ["# It is small"]


async def test_what_the_reviewer_calls_settled_is(harness: FocusHarness) -> None:
    settling = use("write_review", {"findings": [], "settled": [2]})
    harness.sessions = [
        *built(harness, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [WRONG, SMALL]),
        *built(harness, "Mend", "face\n"),
        [settling, *marker("APPROVED", "Fine."), ending()],
    ]

    result = await harness.execute()

    assert (result.reason, left(harness)) == ("approved", [])
    assert judged_in(harness)[1].settled == (
        ReviewFinding("minor", "It is small", "hands.py", "hands"),
    )
