"""A run that gets nowhere is ended by facts of its rounds, and one that works is left alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import RUN_LIMITS
from treadle.domain.deliverable import Tally
from treadle.workflows.loop.stuck import RoundFacts, hung, stuck

PENDING, HALF, ALL = Tally(total=2), Tally(passed=1, total=2), Tally(passed=2, total=2)
LIMITS = replace(RUN_LIMITS, max_retries=3, stuck_rounds=5, stuck_repeats=3)

NOTHING_NEW = (
    "5 rounds made no progress: no new changes, and no other "
    "deliverable, check or test passes now (limits.stuck_rounds = 5)"
)
EMPTY = (
    "the last 3 sessions took less than 5 s each and made no progress (limits.stuck_repeats = 3)"
)
TOOK_BACK = "3 rounds undid earlier work, and nothing passed meanwhile (limits.stuck_repeats = 3)"
NOTHING_GAINED = (
    "20 rounds changed files, and no deliverable, check or test passes that did not before "
    "(4 times limits.stuck_rounds = 5)"
)
HUNG = "the last 3 sessions hung (limits.stuck_repeats = 3)"


def after(tree: str = "a", **facts: Any) -> dict[str, Any]:
    """One round of an hour; what is not said is as it was at the start."""
    return {"tree": tree, "session_s": 3600.0, **facts}


def rounds_of(*rounds: dict[str, Any]) -> list[RoundFacts]:
    """The history of a run that began with tree a and two deliverables."""
    start = RoundFacts(0, "a", PENDING, "criteria")
    return [start, *(replace(start, number=n, **facts) for n, facts in enumerate(rounds, 1))]


SAME = after()
FAILED = after(ended="failed", failing="broken")
KEPT_OUT = after(ended="kept_out", session_s=1.0)
SHORT = after(session_s=4.9)
# One more deliverable per round.
MORE = [after(tally=Tally(total=2 + n), criteria=f"{n} more") for n in range(1, 40)]
HANGS = after(ended="hung")


@pytest.mark.parametrize(
    "rounds",
    [
        [SAME] * 5,
        [after("b"), *[after("b")] * 5],
        [after(tally=HALF), *[after(tally=HALF)] * 5],
        [SAME, SAME, FAILED, SAME, SAME, SAME],  # a failure is counted elsewhere
        [SAME, SAME, KEPT_OUT, KEPT_OUT, SAME, SAME, SAME],
        [after(tally=HALF), SAME, SAME, after(tally=HALF), SAME, SAME],  # claimed and taken back
        [MORE[0], *MORE[1:6]],  # the first plan counts, one more deliverable per round does not
        [after(phases="1 plan"), *[after(phases="1 plan")] * 5],
        [after(green_checks=1), *[after(green_checks=n % 2) for n in range(5)]],
        [after(failing_tests=2), *[after(failing_tests=n) for n in (3, 2, 4)], SAME],
    ],
)
def test_rounds_that_bring_nothing_new_are_no_progress(rounds: list[dict[str, Any]]) -> None:
    assert stuck(rounds_of(*rounds), LIMITS) == NOTHING_NEW
    assert stuck(rounds_of(*rounds[:-1]), LIMITS) is None


@pytest.mark.parametrize(
    "rounds",
    [
        [],
        [SAME] * 4,  # much reading before the first line is written
        [*[SAME] * 4, after("b"), *[after("b")] * 4],
        [*[SAME] * 4, after(criteria="more"), *[after(criteria="more")] * 4],
        [*[SAME] * 4, after(tally=HALF), *[after(tally=HALF)] * 4],
        [*[SAME] * 4, after(green_checks=1), *[SAME] * 4],
        [after(failing_tests=9), *[SAME] * 3, after(failing_tests=8), *[SAME] * 4],
        [*[SAME] * 4, after(phases="1 plan"), *[after(phases="1 plan")] * 4],
        [after(tally=Tally(blocked=n, total=9)) for n in range(1, 9)],
        [after(str(n)) for n in range(19)],  # one deliverable that takes many sessions
        [after(session_s=7200.0 * 12)] * 4,  # a slow model, or the lid was closed
        [KEPT_OUT] * 50,  # the service is down, the quota is spent
        [FAILED, after("b"), FAILED, after("c")],
        [after("b", session_s=1.0), after("c", session_s=1.0), after("d", session_s=1.0)],
        [SHORT, SHORT, after(session_s=5.0), SHORT],
        [HANGS, HANGS, HANGS],  # said by `hung`
        [after("b", undone=1), after("c", undone=1)],
    ],
)
def test_a_run_that_works_is_left_alone(rounds: list[dict[str, Any]]) -> None:
    assert stuck(rounds_of(*rounds), LIMITS) is None


def test_two_rounds_are_told_apart_by_nothing_an_agent_says() -> None:
    texts = {name for name, kind in RoundFacts.__annotations__.items() if kind is str}

    assert texts == {"tree", "criteria", "failing", "phases"}
    assert stuck(rounds_of(after("b"), after("c"), after("d")), LIMITS) is None


@pytest.mark.parametrize(
    ("rounds", "ends_at"),
    [
        ([SHORT] * 3, 3),
        ([after("b", session_s=1.0), *[after("b", session_s=1.0)] * 3], 4),
        ([SAME, SHORT, SHORT, SHORT], 4),
        ([SHORT, KEPT_OUT, SHORT, SHORT], 4),
    ],
)
def test_empty_sessions_in_a_row_end_the_run(rounds: list[dict[str, Any]], ends_at: int) -> None:
    assert said(rounds) == [*[None] * (ends_at - 1), EMPTY]


@pytest.mark.parametrize(
    ("rounds", "ends_at"),
    [
        ([after(tree) for tree in "baba"], 4),  # back and forth between two states
        ([after(tree) for tree in "bacada"], 6),  # a new attempt each time, and given up again
        ([after(tree, undone=1) for tree in "bcd"], 3),  # begun anew by dropping the last
    ],
)
def test_work_that_is_taken_back_again_and_again_ends_the_run(
    rounds: list[dict[str, Any]], ends_at: int
) -> None:
    assert said(rounds) == [*[None] * (ends_at - 1), TOOK_BACK]


def test_work_taken_back_on_the_way_to_a_pass_is_forgotten() -> None:
    rounds = [after(tree, undone=1) for tree in "bc"]
    passed = [after(tree, undone=1, tally=HALF) for tree in "def"]

    assert said([*rounds, *passed]) == [None] * 5


@pytest.mark.parametrize(
    ("rounds", "ends_at"),
    [
        ([FAILED] * 4, 4),  # the promised retries come first
        ([FAILED, after("b"), FAILED, after("c"), FAILED, after("d"), FAILED], 7),
        ([after(tree, failing="3 of 9 tests") for tree in "bcd"], 3),  # edits that mend nothing
    ],
)
def test_the_same_failure_again_and_again_ends_the_run(
    rounds: list[dict[str, Any]], ends_at: int
) -> None:
    failing, same = rounds[-1]["failing"], sum("failing" in each for each in rounds)

    assert said(rounds) == [
        *[None] * (ends_at - 1),
        f"{same} rounds failed in the same way and nothing passed meanwhile: {failing} "
        "(limits.stuck_repeats = 3)",
    ]


@pytest.mark.parametrize(
    "rounds",
    [
        [after(tree, failing=f"{tree} of 9 tests") for tree in "bcdefg"],
        [
            after("b", failing="x"),
            after("c", failing="x"),
            after("d", failing="x", tally=HALF),
            after("e", failing="x", tally=HALF),
            after("f", failing="x", tally=HALF, criteria="more"),
        ],
        [after("b", failing="x"), after("c", failing="x"), after("d")],
    ],
)
def test_failures_that_change_or_do_not_keep_work_from_passing_are_no_standstill(
    rounds: list[dict[str, Any]],
) -> None:
    assert stuck(rounds_of(*rounds), LIMITS) is None


def test_changes_alone_are_progress_only_for_so_long() -> None:
    rounds = [after(str(n)) for n in range(20)]

    assert said(rounds) == [
        *[None] * 19,
        NOTHING_GAINED,
    ]


@pytest.mark.parametrize(
    "rounds",
    [
        # Files that change and one more deliverable or criterion per round; the plan counts.
        [{**facts, "tree": str(n)} for n, facts in enumerate(MORE[:21])],
        # A deliverable that is blocked and one that is added instead, round after round.
        [after(tally=Tally(blocked=n, total=9 + n)) for n in range(1, 21)],
        # As many tests fail as before, or more.
        [after("0", failing_tests=3), *[after(str(n), failing_tests=3 + n) for n in range(1, 20)]],
    ],
)
def test_what_no_judge_says_is_no_gain(rounds: list[dict[str, Any]]) -> None:
    assert stuck(rounds_of(*rounds), LIMITS) == NOTHING_GAINED
    assert stuck(rounds_of(*rounds[:-1]), LIMITS) is None


@pytest.mark.parametrize(
    "gain",
    [
        {"tally": HALF},
        {"green_checks": 1},
        {"failing_tests": 2},
        {"phases": "1 plan"},
        {"criteria": "the first plan"},
    ],
)
def test_what_a_judge_says_gives_slow_work_more_time(gain: dict[str, Any]) -> None:
    rounds = [after("0", failing_tests=3), *[after(str(n)) for n in range(1, 39)]]
    rounds[18] |= gain
    lasting = {name: value for name, value in gain.items() if name != "failing_tests"}
    rounds[19:] = [facts | lasting for facts in rounds[19:]]

    assert said(rounds) == [*[None] * 38, NOTHING_GAINED]


def test_a_run_that_was_told_to_be_patient_is() -> None:
    patient = replace(LIMITS, stuck_rounds=50, stuck_repeats=50)

    assert stuck(rounds_of(*[SHORT] * 49), patient) is None
    assert stuck(rounds_of(*[SHORT] * 50), patient) is not None


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        ([HANGS] * 3, HUNG),
        ([SAME, HANGS, HANGS, HANGS], HUNG),
        ([HANGS, KEPT_OUT, HANGS, HANGS], HUNG),
        ([after("b", ended="hung"), after("c", ended="hung"), after("d", ended="hung")], HUNG),
        ([HANGS] * 2, None),
        ([HANGS, HANGS, SAME, HANGS], None),
        ([HANGS, HANGS, FAILED], None),
        ([], None),
    ],
)
def test_sessions_that_hang_one_after_another_end_the_run(
    rounds: list[dict[str, Any]], words: str | None
) -> None:
    assert hung(rounds_of(*rounds), LIMITS) == words


@given(
    st.lists(
        st.builds(
            after,
            st.sampled_from("ab"),
            tally=st.sampled_from([PENDING, HALF, ALL]),
            session_s=st.sampled_from([1.0, 100.0]),
        ),
        min_size=31,
        max_size=31,
    )
)
def test_a_run_that_only_goes_round_old_states_is_ended_at_some_time(
    rounds: list[dict[str, Any]],
) -> None:
    assert any(said(rounds))


def said(rounds: Sequence[dict[str, Any]]) -> list[str | None]:
    """What is said after each round of the run."""
    return [stuck(rounds_of(*rounds[:n]), LIMITS) for n in range(1, len(rounds) + 1)]
