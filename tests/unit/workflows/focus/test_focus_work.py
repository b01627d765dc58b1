"""A `focus` run: plan, one task after the other, review, until the review approves."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    CHECK,
    FocusHarness,
    finding,
    make_focus_harness,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.run_harness import BRANCH, did, ending
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import TextClosed, TextStreamed
from treadle.domain.events.focus import (
    BacklogSaved,
    CommandFinished,
    IssueSaved,
    PhaseStarted,
    ReviewJudged,
)
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.work import WorkCommitted
from treadle.domain.review import DroppedFinding, ReviewFinding
from treadle.domain.session import Crashed
from treadle.domain.signal import Role
from treadle.verify.results.check_runner import CommandStopped
from treadle.verify.results.memory_check_runner import RED, PresetResult
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import SuiteFindings

PLAN = "# Plan\n\n- [ ] hands\n- [ ] face\n"


@pytest.fixture
def harness(tmp_path: Path) -> FocusHarness:
    return make_focus_harness(tmp_path)


def tasks(harness: FocusHarness) -> list[list[ReplayStep]]:
    return [
        [
            harness.wrote("hands.py", "hands\n"),
            *marker("NOTE", "Two of them."),
            *marker("PROGRESS", "Add the hands\n\nThe face is next."),
            ending(),
        ],
        [harness.wrote("face.py", "lower\n"), *marker("DONE", "Add the face"), ending()],
    ]


WRONG = finding("major", "It is spelt wrong", file="face.py", quote="lower")


async def test_a_run_plans_builds_task_by_task_and_ends_with_an_approving_review(
    harness: FocusHarness,
) -> None:
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 1)
    assert harness.of_type(RoundStarted) == [
        RoundStarted(1, "planning"),
        RoundStarted(1, "task"),
        RoundStarted(1, "task"),
        RoundStarted(1, "review"),
    ]
    assert harness.of_type(PhaseStarted) == [
        PhaseStarted(1, "planning"),
        PhaseStarted(1, "implementing"),
        PhaseStarted(1, "reviewing"),
    ]
    assert [brief.role for brief in harness.agent.briefs] == [
        "planner",
        "implementer",
        "implementer",
        "reviewer",
    ]
    messages = [e.message for e in harness.events if isinstance(e, WorkCommitted)]
    assert messages == ["Add the hands\n\nThe face is next.", "Add the face"]


async def test_setup_follows_each_plan_and_the_check_comes_before_each_task_and_each_review(
    harness: FocusHarness,
) -> None:
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    await harness.execute()

    assert harness.set_up == ["set up", "anew", "set up"]
    # A new plan is another reason to try a setup that failed before; the first is the trial.
    assert harness.setups_made == 2
    assert harness.steps == [
        *("begin", "look 1", "try commands"),
        *("session 1", "home 1", "turn 1", "setup 1", "check 1"),
        *("session 2", "home 2", "turn 2", "check 2"),
        *("session 3", "home 3", "turn 3", "check 3"),
        *("session 4", "home 4", "turn 4", "review 4"),
    ]
    assert [type(event).__name__ for event in harness.of_type(CommandFinished)] == [
        "CommandFinished"
    ] * 3


async def test_a_failing_check_is_reported_to_the_next_session_and_stops_nothing(
    harness: FocusHarness,
) -> None:
    harness.said = {(CHECK, ""): PresetResult(2, "hands.py:1: no hands\n")}
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    result = await harness.execute()

    assert result.reason == "approved"
    assert "`make check` ended with 2" in harness.agent.briefs[1].prompt
    assert "hands.py:1: no hands" in harness.agent.briefs[3].prompt
    assert "make check` ended" not in harness.agent.briefs[0].prompt


async def test_without_a_check_command_nothing_is_run(harness: FocusHarness) -> None:
    harness.check = ""
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    await harness.execute()

    assert harness.of_type(CommandFinished) == []
    assert "check command" not in harness.agent.briefs[1].prompt.partition("## Focus")[2]


async def test_a_review_that_requests_changes_feeds_the_next_plan(harness: FocusHarness) -> None:
    mend: list[ReplayStep] = [
        harness.wrote("face.py", "face\n"),
        *marker("DONE", "Mend the face"),
        ending(),
    ]
    harness.sessions = [
        planned(PLAN),
        *tasks(harness),
        reviewed("REQUEST_CHANGES", [WRONG]),
        planned("# Plan\n\n- [ ] mend\n"),
        mend,
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 2)
    planner, reviewer = harness.agent.briefs[4].prompt, harness.agent.briefs[6].prompt
    assert "## Review that the plan has to satisfy" in planner
    assert "It is spelt wrong" in planner
    assert "-lower\n+face" in reviewer
    assert "It is spelt wrong" in reviewer
    assert harness.user.git("show", f"{BRANCH}:face.py") == "face"


async def test_a_person_s_review_is_what_the_first_plan_has_to_satisfy(
    harness: FocusHarness,
) -> None:
    harness.given_review = "The hands are too short.\n"
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    await harness.execute()

    assert "The hands are too short." in harness.agent.briefs[0].prompt


async def test_findings_that_nothing_shows_do_not_count(harness: FocusHarness) -> None:
    invented = finding("blocker", "It is slow", file="face.py", quote="while True")
    harness.sessions = [
        planned(PLAN),
        *tasks(harness),
        reviewed("REQUEST_CHANGES", [invented]),
    ]

    result = await harness.execute()

    assert result.reason == "approved"
    [judged] = harness.of_type(ReviewJudged)
    assert isinstance(judged, ReviewJudged)
    assert judged.dropped == (
        DroppedFinding(
            ReviewFinding("blocker", "It is slow", "face.py", "while True"),
            "the quoted line is not in face.py",
        ),
    )


async def test_a_command_that_fails_shows_a_finding(harness: FocusHarness) -> None:
    harness.said = {**harness.said, ("test -f sound.py", ""): RED}
    silent = finding("blocker", "It does not tick", command="test -f sound.py")
    harness.review_terms = ReviewRules("major", 1)
    harness.sessions = [
        planned(PLAN),
        *tasks(harness),
        reviewed("REQUEST_CHANGES", [silent]),
    ]

    result = await harness.execute()

    assert (result.reason, result.message) == (
        "max_iterations",
        "1 finding of weight blocker left after the last review (focus.max_reviews = 1)",
    )


async def test_a_command_that_an_agent_may_not_run_shows_nothing(harness: FocusHarness) -> None:
    harness.said = {**harness.said, ("rm -r .", ""): RED}
    rash = finding("blocker", "It can be deleted", command="rm -r .")
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("REQUEST_CHANGES", [rash])]

    result = await harness.execute()

    assert result.reason == "approved"
    judged = [event for event in harness.events if isinstance(event, ReviewJudged)]
    assert [each.reason for each in judged[0].dropped] == ["its command could not be tried"]


async def test_what_the_last_review_leaves_goes_to_the_backlog(harness: FocusHarness) -> None:
    harness.review_terms = ReviewRules("major", 1)
    harness.sessions = [
        planned(PLAN),
        *tasks(harness),
        reviewed("REQUEST_CHANGES", [WRONG]),
    ]

    result = await harness.execute()

    assert result.reason == "approved"
    [saved] = harness.of_type(BacklogSaved)
    assert isinstance(saved, BacklogSaved)
    [path] = saved.paths
    assert (harness.user.path / path).read_text().splitlines()[:3] == [
        "# It is spelt wrong",
        "",
        "A review left this (major in `face.py`).",
    ]


async def test_tests_that_fail_are_the_last_word_before_an_approval(harness: FocusHarness) -> None:
    harness.tests = ["- test_face fails, and did not before the work\n"]
    mend: list[ReplayStep] = [
        harness.wrote("face.py", "face\n"),
        *marker("DONE", "Mend the face"),
        ending(),
    ]
    harness.sessions = [
        planned(PLAN),
        *tasks(harness),
        reviewed("APPROVED"),
        planned("# Plan\n\n- [ ] mend\n"),
        mend,
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 2)
    assert "test_face fails" in harness.agent.briefs[4].prompt


async def test_tests_that_still_fail_at_the_last_review_end_the_run(harness: FocusHarness) -> None:
    told = "- test_face fails\n\nThe end of what the test command said:\n\n1 failed\n"
    harness.tests, harness.review_terms = [told], ReviewRules("major", 1)
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    result = await harness.execute()

    said = "the tests object to what the review approved: test_face fails"
    assert (result.reason, result.message) == ("tests_failed", said)
    [judged] = harness.of_type(ReviewJudged)
    assert isinstance(judged, ReviewJudged)
    assert judged.reason == told


@pytest.mark.parametrize(
    ("role", "sessions", "seconds"),
    [("planner", 0, "00"), ("implementer", 1, "03"), ("reviewer", 3, "09")],
)
async def test_a_spec_issue_of_anyone_is_saved_and_ends_the_run(
    harness: FocusHarness, role: Role, sessions: int, seconds: str
) -> None:
    issue = [*marker("SPEC_ISSUE", "Which time zone?"), ending()]
    harness.sessions = [*[planned(PLAN), *tasks(harness)][:sessions], issue]

    result = await harness.execute()

    assert result.reason == "spec_issue"
    path = f".treadle/spec-issues/2026-05-04T12-00-{seconds}Z-9abcdef0.md"
    assert harness.of_type(IssueSaved) == [IssueSaved(path, role, "Which time zone?")]
    assert (harness.user.path / path).read_text() == (
        f"# Spec issue\n\nFound by the {role}, with the focus: Tell the time\n\nWhich time zone?\n"
    )
    assert result.message.endswith(path)


async def test_a_session_without_its_last_word_is_tried_again(harness: FocusHarness) -> None:
    harness.sessions = [
        [TextStreamed("I wonder.\n"), TextClosed(), ending()],
        planned(PLAN),
        [harness.wrote("hands.py"), ending(Crashed("gone", 1))],
        *tasks(harness),
        reviewed("APPROVED"),
    ]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("approved", 1)
    messages = [e.message for e in harness.events if isinstance(e, WorkCommitted)]
    assert messages[0] == "Round 1: work in progress"


async def test_rounds_are_bounded(harness: FocusHarness) -> None:
    harness.limit(max_iterations=4)
    harness.review_terms = ReviewRules("major", 99)
    again = [
        planned(PLAN),
        [harness.wrote("face.py", "lower\n"), *marker("DONE", "Add the face"), ending()],
        reviewed("REQUEST_CHANGES", [WRONG]),
    ]
    harness.sessions = again * 9

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("max_iterations", 4)


async def test_the_sessions_of_one_round_are_bounded_as_well(harness: FocusHarness) -> None:
    harness.limit(max_iterations=4)
    some = [
        [harness.wrote(f"part{n}.py"), *marker("PROGRESS", f"Add part {n}"), ending()]
        for n in range(9)
    ]
    harness.sessions = [planned(PLAN), *some]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("max_iterations", 1)
    assert len(harness.agent.briefs) == 4


async def test_a_round_that_was_interrupted_counts(harness: FocusHarness) -> None:
    harness.sessions = [planned(PLAN), [did(harness.stop.set), *tasks(harness)[0]]]

    result = await harness.execute()

    assert (result.reason, result.rounds) == ("interrupted", 1)


async def test_tasks_that_change_nothing_get_the_run_nowhere(harness: FocusHarness) -> None:
    harness.limits = replace(harness.limits, stuck_rounds=3, stuck_repeats=9)
    idle = [[*marker("PROGRESS", f"Thought about it, {n}"), ending()] for n in range(9)]
    harness.sessions = [planned(PLAN), *idle]

    result = await harness.execute()

    assert result.reason == "stuck"
    assert len(harness.agent.briefs) == 4


async def test_work_that_is_approved_but_not_proven_enough_ends_as_unproven(
    harness: FocusHarness,
) -> None:
    harness.shortfall = "the test command is claimed, and verify.require asks for self-tested"
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    result = await harness.execute()

    assert (result.reason, result.message) == ("unproven", harness.shortfall)
    [judged] = harness.of_type(ReviewJudged)
    assert isinstance(judged, ReviewJudged)
    assert judged.verdict == "approved"


async def test_a_run_that_is_stopped_before_its_review_is_judged_is_not_approved(
    harness: FocusHarness,
) -> None:
    async def stopped(commit: str) -> SuiteFindings | CommandStopped:
        harness.stop.set()
        return CommandStopped()

    harness._verify_tests = stopped  # type: ignore[method-assign]
    harness.sessions = [planned(PLAN), *tasks(harness), reviewed("APPROVED")]

    result = await harness.execute()

    assert result.reason == "interrupted"
    assert harness.of_type(ReviewJudged) == []
