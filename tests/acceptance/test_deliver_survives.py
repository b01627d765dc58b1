"""What can go wrong inside a session, and what the run makes of it, with the real binary."""

import signal

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_all_gone,
    assert_sound,
    script,
)

HANGING_TOOL = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: "echo begun > begun.txt; python3 -c 'import time; time.sleep(600)'"}
      - {text: never said, optional: true}
"""


def outcomes(finished: Finished) -> list[str]:
    ended = finished.of_type("session.ended")
    return [event["result"]["outcome"]["type"] for event in ended]


def test_a_model_that_never_answers_is_given_up_and_tried_again(harness: CommandHarness) -> None:
    silent = "  - {role: implementer, turns: [{hang: true}]}\n"

    finished = harness.deliver(
        script(ONE_DELIVERABLE, silent, BUILD_IT), settings={"session.first_byte_s": "2"}
    )

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "timeout", "completed"])
    [failed] = finished.of_type("round.failed")
    assert failed["message"] == "the session was ended by its first_byte limit after 2 s"
    assert_sound(harness, finished)


def test_a_tool_that_never_ends_is_ended_with_its_session(harness: CommandHarness) -> None:
    finished = harness.deliver(
        script(ONE_DELIVERABLE, HANGING_TOOL, BUILD_IT), settings={"session.tool_minutes": "0.03"}
    )

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "timeout", "completed"])
    assert finished.of_type("session.ended")[1]["result"]["outcome"]["limit"] == "tool"
    # What the agent had written before is not lost: it was committed at the end of the round.
    assert harness.git("show", "HEAD:begun.txt") == "begun"
    assert_sound(harness, finished)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_work_on_its_branch(
    harness: CommandHarness, number: signal.Signals
) -> None:
    head = harness.git("rev-parse", "HEAD")
    running = harness.start(script(ONE_DELIVERABLE, HANGING_TOOL))
    running.until("tool.decided", name="Bash")
    running.process.send_signal(number)

    finished = running.finish()

    assert finished.result["reason"] == "interrupted"
    assert [event["by"] for event in finished.of_type("interrupt.requested")] == [number.name]
    assert outcomes(finished) == ["completed", "cancelled"]
    assert harness.git("rev-parse", "HEAD") == head
    assert harness.git("status", "--porcelain") == ""
    assert_sound(harness, finished)


def test_a_second_interrupt_kills_at_once(harness: CommandHarness) -> None:
    stubborn = HANGING_TOOL.replace("import time; ", "import signal, time; signal.signal(2, 1); ")
    running = harness.start(script(ONE_DELIVERABLE, stubborn))
    running.until("tool.decided", name="Bash")
    running.process.send_signal(signal.SIGINT)
    running.until("interrupt.requested")
    running.process.send_signal(signal.SIGINT)

    exit_code = running.process.wait(timeout=30)

    finished = running.finish()
    assert (exit_code, finished.result["reason"]) == (130, "interrupted")
    assert_all_gone(finished)


def test_a_line_of_three_megabytes_is_taken_like_any_other(harness: CommandHarness) -> None:
    large = BUILD_IT.replace("text: Built and checked.", "text_of: {size: 3000000}")

    finished = harness.deliver(script(ONE_DELIVERABLE, large))

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "completed"])
    assert max(len(line) for line in finished.stdout.splitlines()) < 20_000
    assert_sound(harness, finished)


def test_events_of_an_unknown_type_are_passed_over(harness: CommandHarness) -> None:
    strange = BUILD_IT.replace(
        "    turns:\n",
        "    turns:\n      - {event: {type: content_block_sparkle, index: 0}, text: Hm,"
        " tool: Bash, input: {command: echo on}}\n",
    )

    finished = harness.deliver(script(ONE_DELIVERABLE, strange))

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "completed"])
    assert_sound(harness, finished)


def test_a_denied_tool_is_explained_to_the_agent_and_the_run_goes_on(
    harness: CommandHarness,
) -> None:
    outside = harness.directory / "outside.txt"
    denied = f"""
  - role: implementer
    turns:
      - tool: Write
        input: {{file_path: "{outside}", content: escaped}}
      - expect: outside the workspace
        tool: Write
        input: {{file_path: "${{workspace}}/.treadle/status.json", content: "{{}}"}}
      - expect: belongs to Treadle
        tool: Write
        input: {{file_path: hello.txt, content: "hello"}}
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-001, status: passed}}
      - text: Inside, then.
"""

    finished = harness.deliver(script(ONE_DELIVERABLE, denied))

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "completed"])
    decisions = [event["decision"] for event in finished.of_type("tool.decided")]
    assert decisions == ["allow", "deny", "deny", "allow", "allow"]
    assert not outside.exists()
    assert_sound(harness, finished)


def test_a_process_left_in_the_background_is_ended_and_reported(harness: CommandHarness) -> None:
    daemon = BUILD_IT.replace(
        "    turns:\n",
        '    turns:\n      - tool: Bash\n        input: {command: "python3 -c '
        # In a session of its own before the tool ends: the agent ends the group of a finished one.
        "'import os, time; r, w = os.pipe(); os.fork() and os.read(r, 1) and os._exit(0); "
        "os.setsid(); os.write(w, bytes(1)); time.sleep(600)' >/dev/null 2>&1\"}\n",
    )

    finished = harness.deliver(script(ONE_DELIVERABLE, daemon))

    assert (finished.exit_code, outcomes(finished)) == (0, ["completed", "completed"])
    [left] = finished.of_type("process.ended")
    assert "time.sleep(600)" in left["command"]
    assert_sound(harness, finished)
