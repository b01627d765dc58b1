"""A run that is no rehearsal: the user's own binary, login and environment, on a model of theirs.

The model is a scripted one on loopback all the same; the command is not told so.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TWO_DELIVERABLES,
    CommandHarness,
    script,
)
from treadle.rehearsal.fixtures import Rehearse

LOOK_AROUND = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: 'python3 look.py'}
      - expect: ["named: 0", "LANG=C.UTF-8"]
        tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""

LOOK = """
import os
for name, value in os.environ.items():
    print(f"{name}={value}")
print("named:", sum("PLANTED" in name for name in os.environ))
"""

OLDER = Path(__file__).parents[2] / ".venv" / "older-claude/claude_agent_sdk/_bundled/claude"


def looking(harness: CommandHarness) -> None:
    harness.settings({})
    (harness.project / "look.py").write_text(LOOK)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A way to look around")


def test_the_oldest_tested_binary_delivers_and_the_summary_says_unsandboxed(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    api = rehearse(script(ONE_DELIVERABLE, LOOK_AROUND))
    looking(harness)

    finished = harness.treadle(
        *("deliver", "--no-sandbox"),
        CLAUDE_BIN=str(OLDER),
        ANTHROPIC_BASE_URL=api.base_url,
        ANTHROPIC_API_KEY="dummy",
        PLANTED_SECRET="must not be seen",
    )

    assert finished.exit_code == 0
    assert "sandbox       none: this run was unsandboxed" in finished.stderr
    assert (
        "unsandboxed: the agent can do anything that you can do on this machine" in finished.stderr
    )
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert "must not be seen" not in str([request.json() for request in api.requests])


def test_the_older_binary_is_really_an_older_one(harness: CommandHarness) -> None:
    found = harness.treadle("doctor", CLAUDE_BIN=str(OLDER), ANTHROPIC_API_KEY="dummy")

    assert "Claude Code 2.1.211 from CLAUDE_BIN" in found.stdout
    assert "✔ login     API key from ANTHROPIC_API_KEY; billed by use\n" in found.stdout
    assert "dummy" not in found.stdout


@pytest.mark.parametrize("binary", ["", str(OLDER)], ids=["bundled", "oldest"])
def test_a_model_is_reached_from_the_sandbox_with_a_key_that_is_not_in_there(
    harness: CommandHarness, rehearse: Rehearse, binary: str
) -> None:
    api = rehearse(script(ONE_DELIVERABLE, LOOK_AROUND))
    looking(harness)

    finished = harness.treadle(
        "deliver",
        **({"CLAUDE_BIN": binary} if binary else {}),
        ANTHROPIC_BASE_URL=api.base_url,
        ANTHROPIC_API_KEY="sk-the-real-one",
        PLANTED_SECRET="must not be seen",
    )

    assert finished.exit_code == 0, finished.stderr
    assert "unsandboxed" not in finished.stderr
    said = str([request.json() for request in api.requests])
    assert "ANTHROPIC_API_KEY=held-by-treadle-anthropic-api-key" in said
    assert "sk-the-real-one" not in said
    assert "must not be seen" not in said


def test_without_a_login_nothing_is_started(harness: CommandHarness) -> None:
    refused = harness.treadle("deliver", "--no-sandbox")

    assert refused.exit_code == 4
    assert refused.stderr.splitlines()[-2:] == [
        "treadle: Claude Code has no login",
        "  hint: run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with"
        " Claude Code's own /login",
    ]
    assert harness.treadle("ls", "--json").stdout.strip() == "[]"


def test_a_login_of_claude_code_is_found_and_not_shown(harness: CommandHarness) -> None:
    credentials = harness.home / ".claude" / ".credentials.json"
    credentials.parent.mkdir()
    login = {"accessToken": "planted-1", "refreshToken": "planted-2", "expiresAt": 10**14}
    credentials.write_text(json.dumps({"claudeAiOauth": {**login, "scopes": ["user:inference"]}}))

    found = harness.treadle("doctor")

    assert (
        f"✔ login     subscription from {credentials}; covered by a subscription; expires"
        in found.stdout
    )
    assert "planted" not in found.stdout + found.stderr


def test_a_rehearsal_leaves_nothing_that_a_real_run_takes_for_its_own(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    harness.deliver(script(TWO_DELIVERABLES, BUILD_IT), "--land", "never", "-n", "2")
    before = [each["id"] for each in status_of(harness)]
    api = rehearse(script(ONE_DELIVERABLE, BUILD_IT))

    finished = harness.treadle(
        *("deliver", "--json"), ANTHROPIC_BASE_URL=api.base_url, ANTHROPIC_API_KEY="sk-dummy"
    )

    assert (before, finished.exit_code) == (["DL-001", "DL-002"], 0)
    warnings = [each["message"] for each in finished.of_type("run.warned")]
    assert warnings.count("left out, because only a rehearsal created it: DL-001, DL-002") == 1
    assert finished.of_type("work.continued") == []
    assert [each["instruction"] for each in finished.of_type("round.started")] == [
        "initializer",
        "coding",
    ]
    assert [(each["id"], each["passed"], each.get("rehearsed")) for each in status_of(harness)] == [
        ("DL-001", True, None)
    ]


def status_of(harness: CommandHarness) -> list[dict[str, Any]]:
    status = json.loads((harness.project / ".treadle" / "status.json").read_text())
    found: list[dict[str, Any]] = status["deliverables"]
    return found
