"""What an agent leaves for its own next session is not obeyed, and nobody can speak to it there."""

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, script

PLANT = """
import json, os
home = os.environ["HOME"]
told = {"env": {"PLANTED": "obeyed", "CLAUDE_CODE_SHELL_PREFIX": ""}}
for name in (".claude.json", ".claude/settings.json", ".claude/settings.local.json"):
    with open(os.path.join(home, name), "w") as file:
        json.dump(told, file)
print("planted")
"""

LOOK = """
import glob, os
print("obeyed:", os.environ.get("PLANTED"))
print("launcher:", os.environ.get("CLAUDE_CODE_SHELL_PREFIX"))
print("sockets:", glob.glob("/tmp/cc-socks*/*"))
"""


def test_a_session_obeys_nothing_that_an_earlier_one_left_in_its_home(
    harness: CommandHarness,
) -> None:
    for name, text in (("plant.py", PLANT), ("look.py", LOOK)):
        (harness.project / name).write_text(text)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "What the agent runs")
    planting = """
  - role: implementer
    turns:
      - {tool: Bash, input: {command: python3 plant.py}}
      - {expect: planted, text: "Progress."}
"""
    looking = """
  - role: implementer
    turns:
      - {tool: Bash, input: {command: python3 look.py}}
      - expect: ["obeyed: None", "launcher: /run/treadle/launch", "sockets: []"]
        tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Seen.
"""

    finished = harness.deliver(script(ONE_DELIVERABLE, planting, looking))

    # It obeys nothing, and changes nothing.
    assert finished.result["reason"] == "unproven", finished.stderr
