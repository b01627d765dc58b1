"""A task gets its attempts for each failing check and test; a person's reply gives it more."""

from pathlib import Path

import pytest

from tests.acceptance.follow_harness import (
    CLAIMS,
    IN_THREE_COMMITS,
    MENDS_THE_TEST,
    TESTED,
    commit,
)
from tests.acceptance.harness import script
from tests.acceptance.test_task import APPROVES, PLANNER, SOON, TaskHarness, builder

ONE_ATTEMPT = {"execution.max_retries": "1", **SOON}


@pytest.fixture
def harness(tmp_path: Path) -> TaskHarness:
    return TaskHarness(tmp_path)


def test_a_check_that_fails_after_another_was_mended_has_attempts_of_its_own(
    harness: TaskHarness,
) -> None:
    two = PLANNER.replace(
        "{text: It reads well}", "{text: bye.txt says bye, check: grep -qx bye bye.txt}"
    )
    mends = builder("hello").replace("printf", "echo by > bye.txt && git add bye.txt && printf")
    ends = builder("bye", claims="C2").replace("hello.txt", "bye.txt")

    finished = harness.task(
        script(two, builder("hullo", claims="C1"), mends, ends, APPROVES), settings=ONE_ATTEMPT
    )

    assert finished.result["reason"] == "approved", finished.stderr
    assert [each["id"] for each in finished.of_type("claim.refused")] == ["C1", "C2"]


def test_a_check_that_stays_red_ends_the_task(harness: TaskHarness) -> None:
    again = builder("hallo", claims="C1")

    finished = harness.task(
        script(PLANNER, builder("hullo", claims="C1"), again), settings=ONE_ATTEMPT
    )

    result = finished.result
    assert (result["reason"], result["message"]) == (
        "unproven",
        "a check still fails after all attempts (execution.max_retries = 1)",
    ), finished.stderr


def test_a_repair_whose_conversation_is_refused_is_begun_anew(harness: TaskHarness) -> None:
    refused = "{status: 400, type: invalid_request_error, message: a tool call has no result}"
    fails = f"  - role: implementer\n    turns:\n      - {{error: {refused}, repeat: forever}}\n"
    wrong, right = builder("hullo"), builder("hello")

    finished = harness.task(script(PLANNER, wrong, fails, right, APPROVES), settings=ONE_ATTEMPT)

    assert finished.result["reason"] == "approved", finished.stderr
    _, first, continued, anew, _ = (each["text"] for each in finished.of_type("prompt.sent"))
    instruction = first.splitlines()[0]
    assert [instruction in text for text in (continued, anew)] == [False, True]
    assert continued.strip() in anew


def test_a_reply_about_failing_tests_goes_to_the_next_session(harness: TaskHarness) -> None:
    done = f"{CLAIMS}      - text: <DONE>Done.</DONE>\n"
    elsewhere = f"  - role: implementer\n    turns:\n{commit('more.txt', 'more')}{done}"
    running = harness.start(
        script(PLANNER, IN_THREE_COMMITS, elsewhere, MENDS_THE_TEST, APPROVES),
        settings={**ONE_ATTEMPT, **TESTED},
    )

    running.until("approval.lapsed")
    asked = running.until("approval.asked")["approval"]
    harness.treadle("reply", asked["id"], "the word is wrong")
    finished = running.finish()

    assert asked["kind"] == "failing_tests"
    assert finished.result["reason"] == "approved", finished.stderr
    prompts = [each["text"] for each in finished.of_type("prompt.sent")]
    assert [n for n, text in enumerate(prompts) if "the word is wrong" in text] == [3]
