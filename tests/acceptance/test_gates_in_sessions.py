"""A person is asked in the middle of a session, with the real binary waiting for the answer."""

import json
import signal

from tests.acceptance.harness import (
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    Running,
    assert_sound,
    script,
)

SETTINGS = {
    "policy.ask_before": '["touch shipped*"]',
    # Both would be over long before anybody has answered, if they ran.
    "session.tool_minutes": "0.03",
    "session.idle_s": "2",
}
SHIP = "{tool: Bash, input: {command: 'touch shipped.txt'}}"
PASS = (
    "{tool: mcp__treadle__set_deliverable_status, input: {deliverableId: DL-001, status: passed}}"
)


def implementer(*turns: str) -> str:
    return f"  - {{role: implementer, turns: [{', '.join((*turns, PASS, '{text: Done.}'))}]}}\n"


def decisions(finished: Finished) -> list[tuple[str, str, str]]:
    """What was decided about commands: allowed or not, by which rule, by which question."""
    return [
        (event["decision"], event["rule"], event["approval"])
        for event in finished.of_type("tool.decided")
        if event["name"] == "Bash"
    ]


def waiting(harness: CommandHarness, *turns: str) -> tuple[Running, str]:
    """A run that waits for a person, and its question."""
    running = harness.start(script(ONE_DELIVERABLE, implementer(*turns)), settings=SETTINGS)
    return running, running.until("approval.asked")["approval"]["id"]


def state(harness: CommandHarness) -> str:
    listed = json.loads(harness.treadle("ls", "--json").stdout)
    return str(listed[0]["state"])


def test_a_use_waits_for_a_yes_from_another_terminal_and_no_clock_runs(
    harness: CommandHarness,
) -> None:
    running, question = waiting(harness, SHIP)

    assert state(harness) == "waiting"
    shown = harness.treadle("approvals", question).stdout
    assert "touch shipped.txt" in shown
    harness.treadle("approve", question)
    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert decisions(finished) == [("allow", "gate-by-settings", question)]
    assert (harness.project / "shipped.txt").exists()
    assert_sound(harness, finished)


def test_the_agent_hears_a_no_with_its_reason_and_is_not_asked_about_twice(
    harness: CommandHarness,
) -> None:
    running, question = waiting(harness, SHIP, SHIP)

    harness.treadle("deny", question, "not", "before", "Monday")
    finished = running.finish()

    assert decisions(finished) == [("deny", "gate-by-settings", question)] * 2
    outputs = [e["output"] for e in finished.of_type("tool.finished") if e["is_error"]]
    assert all("said no: not before Monday" in output for output in outputs)
    assert len(outputs) == 2
    assert not (harness.project / "shipped.txt").exists()


def test_a_run_that_waits_can_be_stopped_like_any_other(harness: CommandHarness) -> None:
    running, question = waiting(harness, SHIP)

    running.process.send_signal(signal.SIGINT)
    finished = running.finish()

    assert finished.result["reason"] == "interrupted"
    assert [event["approval"] for event in finished.of_type("approval.voided")] == [question]
    assert_sound(harness, finished)


def test_a_run_killed_while_it_waited_finds_its_question_answered(harness: CommandHarness) -> None:
    running, question = waiting(harness, SHIP)
    running.process.kill()
    killed = running.finish()
    run = killed.events[0]["run"]

    harness.treadle("approve", question)
    resumed = harness.treadle("resume", run, "--json")

    finished = Finished(resumed.exit_code, killed.stdout + resumed.stdout, resumed.stderr)
    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    asked = [event["approval"]["id"] for event in finished.of_type("approval.asked")]
    assert asked == [question]
    assert ("allow", "gate-by-settings", question) in decisions(finished)
