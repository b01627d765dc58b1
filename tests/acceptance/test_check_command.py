"""A check that a person gives is what decides: the agent's word alone turns nothing."""

import json

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, assert_sound, script

SAY_DONE = """
  - role: implementer
    turns:
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-001, status: passed}}
      - tool: Write
        input: {{file_path: hello.txt, content: "{}\\n"}}
      - text: It is done.
"""


def test_a_check_by_a_person_refuses_a_claim_and_proves_the_next(harness: CommandHarness) -> None:
    harness.deliver(script(ONE_DELIVERABLE), "-n", "1")
    added = harness.treadle(
        "check", "add", "DL-001", "1", "--", "grep", "-qx", "hello", "hello.txt"
    )
    assert added.stdout == "DL-001: added a check for 'hello.txt says hello'\n"

    done = harness.deliver(script(SAY_DONE.format("goodbye"), SAY_DONE.format("hello")))

    assert (done.exit_code, done.result["reason"], done.result["rounds"]) == (0, "all_passed", 2)
    assert [
        (each["evidence"]["when"], each["evidence"]["exit_code"])
        for each in done.of_type("check.finished")
    ] == [("before", 2), ("after", 1), ("after", 0), ("bisect", 1)]
    assert_sound(harness, done)
    assert json.loads(harness.treadle("check", "list", "--json").stdout) == [
        {
            "deliverable": "DL-001",
            "number": 1,
            "criterion": "hello.txt says hello",
            "command": "grep -qx hello hello.txt",
            "origin": "person",
            "before": "failed",
        }
    ]
    assert "[PASS] A greeting (DL-001)  proven" in harness.treadle("status").stdout
    assert "deliverables  1 of 1 passed (proven)" in harness.treadle("show", "last").stdout
