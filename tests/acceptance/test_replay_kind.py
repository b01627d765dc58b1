"""The second kind of agent: a recording takes a specification to landed work, as any agent does."""

import json
from typing import Any

from tests.acceptance.harness import CommandHarness

STEPS: tuple[dict[str, Any], ...] = (
    {"session": "plan"},
    {
        "tool": "create_deliverable",
        "input": {
            "deliverables": [
                {"id": "DL-001", "description": "A greeting", "acceptanceCriteria": ["it greets"]},
                {"id": "DL-002", "description": "A farewell", "acceptanceCriteria": ["it ends"]},
            ]
        },
    },
    {"text": "Two deliverables are written down."},
    {"end": "planned"},
    {"session": "build"},
    {"write": "hello.txt", "content": "hello\n"},
    {"write": "words/bye.txt", "content": "bye\n"},
    {
        "tool": "set_deliverable_status",
        "input": {"deliverableId": "DL-001", "status": "passed"},
    },
    {
        "tool": "set_deliverable_status",
        "input": {"deliverableId": "DL-002", "status": "passed"},
    },
    {"text": "Both are built."},
    {"end": "built"},
)
REPLAY = {"TREADLE_AGENT__KIND": "replay"}


def recording(harness: CommandHarness, *steps: dict[str, Any]) -> str:
    path = harness.directory / "recording.jsonl"
    path.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return str(path)


def test_a_recording_delivers_two_deliverables_and_its_work_lands(harness: CommandHarness) -> None:
    harness.settings({})
    binary = recording(harness, *STEPS)

    finished = harness.treadle("deliver", "--json", **REPLAY, TREADLE_AGENT__BINARY=binary)

    assert finished.exit_code == 0, finished.stderr
    assert finished.result["reason"] == "all_passed"
    assert finished.result["tally"] == {"blocked": 0, "passed": 2, "total": 2}
    assert [event["decision"] for event in finished.of_type("tool.decided")] == ["allow"] * 5
    assert [event["sandbox"] for event in finished.of_type("run.started")] == ["sandboxed"]
    assert [event["message"] for event in finished.of_type("run.warned")][:1] == [
        "no gateway supports this agent: the cost is what the agent reports"
    ]
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert (harness.project / "words" / "bye.txt").read_text() == "bye\n"
    assert harness.git("status", "--porcelain") == ""
    assert harness.git("log", "-1", "--format=%an") == "Ada Example"


def test_a_recording_with_too_few_sessions_ends_as_a_failing_agent_does(
    harness: CommandHarness,
) -> None:
    harness.settings({"limits.max_retries": "0"})
    binary = recording(harness, *STEPS[:4])

    finished = harness.treadle("deliver", "--json", **REPLAY, TREADLE_AGENT__BINARY=binary)

    assert finished.exit_code != 0
    ended = finished.of_type("session.ended")[-1]["result"]["outcome"]
    assert ended["message"] == "the recording has no session 2"


def test_a_bad_recording_is_refused_before_there_is_a_run(harness: CommandHarness) -> None:
    harness.settings({})
    binary = recording(harness, *STEPS[:2], {"wrote": "hello.txt", "content": ""})

    refused = harness.treadle("deliver", **REPLAY, TREADLE_AGENT__BINARY=binary)

    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-2:] == [
        "treadle: recording.jsonl:3: is not a step",
        "  hint: each line is a JSON object: session, text, tool with input, write with content,"
        " end",
    ]
    assert harness.treadle("ls", "--json").stdout.strip() == "[]"


def test_the_doctor_looks_at_the_recording_and_asks_for_no_login(harness: CommandHarness) -> None:
    harness.settings({})
    binary = recording(harness, *STEPS)

    found = harness.treadle("doctor", **REPLAY, TREADLE_AGENT__BINARY=binary)

    assert f"✔ replay    a recording of 2 sessions: {binary}" in found.stdout
    assert "✔ login     A replay needs none" in found.stdout


def test_a_kind_that_there_is_none_of_is_refused_with_the_nearest(harness: CommandHarness) -> None:
    harness.settings({"agent.kind": '"repaly"'})

    refused = harness.treadle("deliver")

    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-2:] == [
        'treadle: treadle.toml:5: agent.kind: expected "claude" or "replay", got "repaly"',
        '  hint: did you mean "replay"?',
    ]
