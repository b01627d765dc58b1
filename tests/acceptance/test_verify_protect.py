"""Paths of `verify.protect`, in the sandbox, with the real binary: an agent works around them."""

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, assert_sound, script

CONTRACT = "tests/contract/test_greeting.py"
GOLDEN = "web/greeting.snap"
WEAKEN = f"open('{CONTRACT}', 'w').write('')"
RENAME = "import os; os.rename('tests', 'gone')"
ADD = "open('tests/contract/conftest.py', 'w').write('')"
SNAP = f"open('{GOLDEN}', 'w').write('')"
NEW_SNAP = "open('web/new.snap', 'w').write('')"
LATER = "import os; os.makedirs('tests/golden/new')"
PASSED = "{deliverableId: DL-001, status: passed}"

SESSION = f"""
  - role: implementer
    turns:
      - {{tool: Read, input: {{file_path: {CONTRACT}}}}}
      - {{tool: Write, input: {{file_path: {CONTRACT}, content: ""}}}}
      - {{tool: Write, input: {{file_path: web/other.snap, content: ""}}}}
      - {{tool: Bash, input: {{command: "touch {CONTRACT}"}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{WEAKEN}\\""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{RENAME}\\""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{ADD}\\""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{SNAP}\\""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{LATER}\\""}}}}
      - {{tool: Bash, input: {{command: "python3 -c \\"{NEW_SNAP}\\""}}}}
      - {{tool: Write, input: {{file_path: hello.txt, content: "hello"}}}}
      - {{tool: mcp__treadle__set_deliverable_status, input: {PASSED}}}
      - {{text: Done.}}
"""


def test_what_the_settings_protect_is_as_it_was_after_every_attempt(
    harness: CommandHarness,
) -> None:
    for name in (CONTRACT, GOLDEN):
        (harness.project / name).parent.mkdir(parents=True)
        (harness.project / name).write_text("as it was\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A contract")

    finished = harness.deliver(
        script(ONE_DELIVERABLE, SESSION),
        *("-n", "2"),
        settings={"verify.protect": '["tests/contract", "tests/golden", "*.snap"]'},
    )

    decided = [(e["name"], e["decision"], e["rule"]) for e in finished.of_type("tool.decided")]
    assert [each for each in decided if not each[0].startswith("mcp__")] == [
        ("Read", "allow", "read"),
        ("Write", "deny", "write-protected"),
        ("Write", "deny", "write-protected"),
        ("Bash", "deny", "protected-path"),
        *[("Bash", "allow", "light")] * 6,
        ("Write", "allow", "write"),
    ]
    failed = [e["output"] for e in finished.of_type("tool.finished") if e["is_error"]]
    assert sum("kept as it is by the user's settings" in output for output in failed) == 3
    assert sum("Read-only file system" in output for output in failed) == 4
    assert sum("Device or resource busy" in output for output in failed) == 1
    withheld = [place["path"] for e in finished.of_type("work.withheld") for place in e["places"]]
    assert withheld == ["web/new.snap"]
    landed = harness.git("ls-files").split("\n")
    assert {CONTRACT, GOLDEN} < set(landed)
    assert "web/new.snap" not in landed
    assert (harness.project / CONTRACT).read_text() == "as it was\n"
    assert_sound(harness, finished)
