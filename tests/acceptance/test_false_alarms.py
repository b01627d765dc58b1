"""What looks like a runaway and is none must not stop a run, however tight its limits are."""

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)

TWO_DELIVERABLES = ONE_DELIVERABLE.replace(
    "      - text: Written down.",
    "            - {id: DL-002, description: A farewell, acceptanceCriteria: [bye.txt says bye]}\n"
    "      - text: Written down.",
)


def outcomes(finished: Finished) -> list[str]:
    ended = finished.of_type("session.ended")
    return [event["result"]["outcome"]["type"] for event in ended]


def test_two_honest_rounds_that_sound_alike_are_no_standstill(harness: CommandHarness) -> None:
    bye = BUILD_IT.replace("hello", "bye").replace("DL-001", "DL-002")

    finished = harness.deliver(
        script(TWO_DELIVERABLES, BUILD_IT, bye),
        settings={"limits.stuck_rounds": "1", "limits.stuck_repeats": "1"},
    )

    assert (finished.exit_code, finished.result["rounds"]) == (0, 3)
    assert_sound(harness, finished)


def test_a_long_and_silent_build_is_no_hang(harness: CommandHarness) -> None:
    busy = "import time; end = time.time() + 5\\nwhile time.time() < end: pass"
    build = BUILD_IT.replace(
        "    turns:\n",
        f"    turns:\n      - tool: Bash\n        input: {{command: \"python3 -c '{busy}'\"}}\n",
    )

    finished = harness.deliver(
        script(ONE_DELIVERABLE, build),
        settings={"session.idle_s": "4", "limits.max_retries": "0", "limits.stuck_repeats": "1"},
    )

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed"] * 2)
    assert_sound(harness, finished)


def test_a_slow_model_is_no_hang(harness: CommandHarness) -> None:
    late = BUILD_IT.replace("      - tool: mcp", "      - delay: 3\n        tool: mcp").replace(
        "      - text: Built and checked.",
        "      - {text: Built and checked., chunk: 2, delay_between: 0.5}",
    )

    finished = harness.deliver(
        script(ONE_DELIVERABLE, late),
        settings={
            "session.first_byte_s": "15",
            "session.idle_s": "5",
            "limits.max_retries": "0",
            "limits.stuck_repeats": "1",
        },
    )

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed"] * 2)
    assert_sound(harness, finished)
