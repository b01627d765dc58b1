"""Hooks of the user, in the sandbox, with the real binary: they forbid, and stay as they are."""

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, assert_sound, script

GUARD = """
import json, sys
use = json.load(sys.stdin)
if "forbidden" in str(use["tool_input"]):
    print("This project wants none of it.", file=sys.stderr)
    sys.exit(2)
"""

DISARM = "open('tools/guard.py', 'w').write('')"
# Found before Python's own by a program in the same directory.
NEIGHBOUR = "def load(_): return dict(tool_input=None)"
PASSED = "{deliverableId: DL-001, status: passed}"

SESSION = f"""
  - role: implementer
    turns:
      - {{tool: Write, input: {{file_path: forbidden.txt, content: x}}}}
      - {{tool: Read, input: {{file_path: tools/guard.py}}}}
      - {{tool: Write, input: {{file_path: tools/guard.py, content: ""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{DISARM}\\""}}}}
      - {{tool: Write, input: {{file_path: tools/json.py, content: "{NEIGHBOUR}"}}}}
      - {{tool: Write, input: {{file_path: json.py, content: "{NEIGHBOUR}"}}}}
      - {{tool: Bash, input: {{command: "touch forbidden.txt"}}}}
      - {{tool: Write, input: {{file_path: hello.txt, content: "hello"}}}}
      - {{tool: mcp__treadle__set_deliverable_status, input: {PASSED}}}
      - {{text: Done.}}
"""


def test_a_hook_forbids_what_the_policy_allows_and_cannot_be_disarmed(
    harness: CommandHarness,
) -> None:
    (harness.project / "tools").mkdir()
    (harness.project / "tools" / "guard.py").write_text(GUARD)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A guard")

    finished = harness.deliver(
        script(ONE_DELIVERABLE, SESSION),
        settings={"hooks.before_tool_use": '["python3 tools/guard.py"]'},
    )

    assert finished.result["reason"] == "all_passed"
    decided = [(e["name"], e["decision"], e["rule"]) for e in finished.of_type("tool.decided")]
    assert [each for each in decided if not each[0].startswith("mcp__")] == [
        ("Write", "deny", "hook-by-settings"),
        ("Read", "allow", "read"),
        ("Write", "deny", "write-protected"),
        ("Bash", "allow", "light"),
        ("Write", "allow", "write"),
        ("Write", "allow", "write"),
        ("Bash", "deny", "hook-by-settings"),
        ("Write", "allow", "write"),
    ]
    failed = [e["output"] for e in finished.of_type("tool.finished") if e["is_error"]]
    assert sum("This project wants none of it." in output for output in failed) == 2
    assert any("Read-only file system" in output for output in failed)
    assert not (harness.project / "forbidden.txt").exists()
    assert_sound(harness, finished)


def test_a_hook_that_is_broken_lets_nothing_pass(harness: CommandHarness) -> None:
    # Twice: a request that the agent repeats gets the next turn of the script.
    use = "{tool: Bash, input: {command: ls}}"
    turns = f"[{use}, {use}, {{text: Nothing is allowed.}}]"
    session = f"  - {{role: initializer, repeat: forever, turns: {turns}}}\n"

    finished = harness.deliver(
        script(session), "-n", "1", settings={"hooks.before_tool_use": '["no-such-guard"]'}
    )

    decided = finished.of_type("tool.decided")
    assert {(each["decision"], each["rule"]) for each in decided} == {("deny", "hook-by-settings")}
    assert all("failed with exit code 127" in each["reason"] for each in decided)
    assert all(each["is_error"] for each in finished.of_type("tool.finished"))


LOOKING = """
import json, os, pathlib, sys
use = json.load(sys.stdin)
seen = pathlib.Path(use["workspace"], "SPEC.md")
can_write = [str(path) for path in (seen, pathlib.Path("SPEC.md")) if os.access(path, os.W_OK)]
print(seen.read_text().strip(), can_write, file=sys.stderr)
sys.exit(2)
"""


def test_a_hook_can_look_into_the_workspace_and_change_nothing(harness: CommandHarness) -> None:
    (harness.project / "guard.py").write_text(LOOKING)
    turns = "[{tool: Bash, input: {command: ls}}, {text: Nothing is allowed.}]"
    session = f"  - {{role: initializer, repeat: forever, turns: {turns}}}\n"

    finished = harness.deliver(
        script(session), "-n", "1", settings={"hooks.before_tool_use": '["python3 guard.py"]'}
    )

    (decided,) = finished.of_type("tool.decided")
    assert decided["reason"] == f"{(harness.project / 'SPEC.md').read_text().strip()} []"
