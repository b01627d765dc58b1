"""Findings of earlier reviews are not forgotten because a later one does not mention them."""

from pathlib import Path

import pytest

from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.events.focus import BacklogSaved, ReviewJudged
from treadle.domain.review import ReviewFinding
from treadle.verify.memory_check_runner import GREEN, RED
from treadle.workflows.focus.previous_findings import (
    PreviousFinding,
    Standing,
    called_settled,
    found_before,
    standing_of,
)
from treadle.workflows.focus.review_rules import ReviewJudgement, ReviewRules, judge_review

from .focus_stage import FocusStage, finding, focus_stage_in, marker, planned, reviewed
from .story_stage import did, ending, use

QUOTED = ReviewFinding("major", "Wrong", "face.py", "lower = 1")
RUN = ReviewFinding("major", "Broken", command="make test")
BOTH = ReviewFinding("major", "Wrong", "face.py", "lower = 1", "make test")
TEXT = "  lower  = 1\n"


@pytest.mark.parametrize(
    ("finding", "text", "fails", "is_settled", "standing"),
    [
        (RUN, None, True, False, "again"),
        (RUN, None, True, True, "again"),  # what fails is a fact
        (RUN, None, False, False, "mended"),
        (RUN, None, None, False, "open"),
        (RUN, None, None, True, "mended"),
        (QUOTED, TEXT, None, False, "open"),
        (QUOTED, TEXT, None, True, "mended"),
        (QUOTED, "face = 1\n", None, False, "mended"),
        (QUOTED, None, None, False, "mended"),
        (BOTH, TEXT, True, False, "again"),
        (BOTH, TEXT, False, False, "open"),
        (BOTH, "face = 1\n", False, False, "mended"),
    ],
)
def test_how_an_earlier_finding_stands_that_the_reviewer_did_not_repeat(
    finding: ReviewFinding,
    text: str | None,
    fails: bool | None,
    is_settled: bool,
    standing: Standing,
) -> None:
    assert standing_of(finding, text=text, fails=fails, is_settled=is_settled) == standing


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
    assert found_before(judged) == found


def test_findings_are_settled_by_their_numbers_unless_they_are_repeated() -> None:
    assert called_settled((QUOTED, RUN), (1, 2, 9), (LIGHTER,)) == (RUN,)


def test_a_command_that_still_fails_stands_in_the_way_of_an_approval() -> None:
    earlier = PreviousFinding((RUN,), (LIGHTER,))

    judged = [
        judge_review(
            "approved", [], ReviewRules("major", 3), reviews_before=before, earlier=earlier
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
def stage(tmp_path: Path) -> FocusStage:
    return focus_stage_in(tmp_path)


def built(stage: FocusStage, word: str, text: str) -> list[list[ReplayStep]]:
    """A plan and the one session that works on it."""
    files = [stage.wrote("face.py", text), stage.wrote("hands.py", "hands\n")]
    return [planned(f"# {word}\n"), [*files, *marker("DONE", word), ending()]]


def judged_in(stage: FocusStage) -> list[ReviewJudged]:
    return [event for event in stage.events if isinstance(event, ReviewJudged)]


def left(stage: FocusStage) -> list[str]:
    """The first lines of what was left for later."""
    saved = [event for event in stage.events if isinstance(event, BacklogSaved)]
    paths = [path for event in saved for path in event.paths]
    return [(stage.user.path / path).read_text().splitlines()[0] for path in paths]


async def test_a_command_that_was_red_is_run_again_before_the_work_is_approved(
    stage: FocusStage,
) -> None:
    stage.said = {**stage.said, (SOUND, ""): RED}
    stage.review_terms = ReviewRules("major", 3)
    stage.sessions = [
        *built(stage, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [SILENT, WRONG]),
        *built(stage, "Mend", "face\n"),
        reviewed("APPROVED"),
        *built(stage, "Mend more", "face 2\n"),
        reviewed("APPROVED"),
    ]

    result = await stage.tell()

    assert (result.reason, result.rounds) == ("approved", 3)
    silent = ReviewFinding("major", "It does not tick", command=SOUND)
    assert [(each.verdict, each.findings) for each in judged_in(stage)[1:]] == [
        ("changes_requested", (silent,)),
        ("approved", (silent,)),
    ]
    assert "It does not tick" in stage.agent.briefs[6].prompt
    assert left(stage) == ["# It does not tick"]


async def test_a_command_that_is_green_now_is_forgotten(stage: FocusStage) -> None:
    stage.said = {**stage.said, (SOUND, ""): RED}
    plan, work = built(stage, "Mend", "face\n")
    mended = did(lambda: stage.said.update({(SOUND, ""): GREEN}))
    stage.sessions = [
        *built(stage, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [SILENT]),
        plan,
        [mended, *work],
        reviewed("APPROVED"),
    ]

    result = await stage.tell()

    assert (result.reason, result.rounds, left(stage)) == ("approved", 2, [])


async def test_quoted_lines_that_nobody_speaks_of_any_more_go_to_the_backlog(
    stage: FocusStage,
) -> None:
    stage.sessions = [
        *built(stage, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [WRONG, SMALL]),
        *built(stage, "Mend", "face\n"),
        reviewed("APPROVED"),
    ]

    result = await stage.tell()

    assert (result.reason, result.rounds) == ("approved", 2)
    assert left(stage) == ["# It is small"]


async def test_what_the_reviewer_calls_settled_is(stage: FocusStage) -> None:
    settling = use("write_review", {"findings": [], "settled": [2]})
    stage.sessions = [
        *built(stage, "Build", "lower\n"),
        reviewed("REQUEST_CHANGES", [WRONG, SMALL]),
        *built(stage, "Mend", "face\n"),
        [settling, *marker("APPROVED", "Fine."), ending()],
    ]

    result = await stage.tell()

    assert (result.reason, left(stage)) == ("approved", [])
    assert judged_in(stage)[1].settled == (
        ReviewFinding("minor", "It is small", "hands.py", "hands"),
    )
