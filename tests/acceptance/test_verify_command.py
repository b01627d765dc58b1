"""What a run has shown can be shown again by anybody who has its commits and its logs."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.acceptance.harness import BUILD_IT, PATH, CommandHarness, Finished, script

WITH_A_CHECK = """
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - id: DL-001
              description: A greeting
              acceptanceCriteria:
                - {text: hello.txt says hello, check: "cat tool.txt; grep hello hello.txt"}
      - text: Written down.
"""
SETTINGS = {
    "project.setup": '"echo a tool > tool.txt"',
    "project.test": '"sh tests.sh"',
    "policy.profiles": '["python"]',
}


def verified(harness: CommandHarness, run: str, inside: Path) -> tuple[int, dict[str, Any]]:
    done = harness.treadle("verify", run, "-p", str(inside), "--json")
    assert done.stdout, done.stderr
    return done.exit_code, json.loads(done.stdout)


def proven_run(harness: CommandHarness) -> Finished:
    (harness.project / "tests.sh").write_text("echo tests ran; test -s tool.txt\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Tests")
    return harness.deliver(script(WITH_A_CHECK, BUILD_IT), settings=SETTINGS)


def fresh_clone(harness: CommandHarness) -> Path:
    path = harness.directory / "clone"
    command = ["git", "clone", "-q", str(harness.project), str(path)]
    subprocess.run(command, env={"PATH": PATH, "HOME": str(harness.home)}, check=True)
    return path


def test_what_a_run_has_shown_is_shown_again_in_a_fresh_clone_until_a_log_is_touched(
    harness: CommandHarness,
) -> None:
    done = proven_run(harness)
    assert (done.exit_code, done.result["reason"]) == (0, "all_passed"), done.stderr
    run = done.lines[0]["run"]
    clone = fresh_clone(harness)

    code, told = verified(harness, run, clone)

    assert (code, told["agrees"]) == (0, True)
    seen = [(e["kind"], e["then"]["exit_code"], e["environment"]) for e in told["evidence"]]
    assert seen == [("check", 0, "same"), ("tests", 0, "same")]
    assert [e["output"] for e in told["evidence"]] == ["a tool\nhello\n", "tests ran\n"]

    (evidence,) = [e["then"] for e in told["evidence"] if e["kind"] == "check"]
    log = harness.root / "runs" / run / "evidence" / f"{evidence['log']}.log"
    assert log.read_text() == "a tool\nhello\n"
    log.write_text("a tool\nHello\n")

    code, told = verified(harness, run, clone)

    assert (code, told["agrees"]) == (1, False)
    assert [reason for e in told["evidence"] for reason in e["reasons"]] == [
        f"its log {evidence['log'][:12]} was changed: its SHA-256 has changed"
    ]
    # No checkout is left, neither by the run nor by looking at it.
    assert list((harness.root / "verifying").iterdir()) == []
    assert [p.name for p in (harness.root / "runs" / run / "proving").iterdir()] == []
