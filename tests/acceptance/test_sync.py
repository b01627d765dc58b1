"""`treadle sync`: the deliverables are judged anew, and no file of the project is changed."""

import json
from typing import Any

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)

CHECKED = ONE_DELIVERABLE.replace(
    "acceptanceCriteria: [hello.txt says hello]",
    "acceptanceCriteria: [{text: hello.txt says hello, check: grep -qx hello hello.txt}]",
)

JUDGE = """
  - role: verifier
    turns:
      - tool: Bash
        input: {command: touch made-by-the-judge.txt}
      - tool: Write
        input: {file_path: hello.txt, content: "mine"}
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - {id: DL-002, description: A farewell, acceptanceCriteria: [bye.txt says bye]}
      - tool: mcp__treadle__write_notes
        input: {text: "The farewell is missing."}
      - text: Judged.
"""
TAKE_BACK = """
  - role: verifier
    turns:
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: pending}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Judged.
"""


def sync(harness: CommandHarness, *sessions: str) -> Finished:
    path = harness.directory / "judging.yaml"
    path.write_text(script(*sessions))
    return harness.treadle("rehearse", str(path), "--", "sync", "--json")


def statuses_of(harness: CommandHarness) -> list[tuple[str, bool, str | None]]:
    status: dict[str, Any] = json.loads((harness.project / ".treadle" / "status.json").read_text())
    return [(d["id"], d["passed"], d.get("proof")) for d in status["deliverables"]]


def test_what_broke_is_pending_what_is_missing_is_proposed_and_no_file_changes(
    harness: CommandHarness,
) -> None:
    harness.deliver(script(CHECKED, BUILD_IT))
    assert statuses_of(harness) == [("DL-001", True, "self-tested")]
    (harness.project / "hello.txt").write_text("helo\n")
    harness.git("commit", "-qam", "A slip")
    head = harness.git("rev-parse", "HEAD")

    judged = sync(harness, JUDGE)

    assert (judged.exit_code, judged.result["reason"]) == (0, "synced")
    [red] = judged.of_type("check.finished")
    assert (red["evidence"]["when"], red["evidence"]["exit_code"]) == ("again", 1)
    assert statuses_of(harness) == [("DL-001", False, None), ("DL-002", False, None)]
    assert (harness.project / ".treadle-notes.md").read_text() == "The farewell is missing."
    assert harness.git("rev-parse", "HEAD") == head
    assert harness.git("ls-files").splitlines() == ["SPEC.md", "hello.txt"]
    assert (harness.project / "hello.txt").read_text() == "helo\n"
    assert judged.of_type("work.committed", "work.imported", "work.landed") == []
    assert_sound(harness, judged)


def test_a_judges_claim_has_to_be_shown_like_any_other(harness: CommandHarness) -> None:
    harness.deliver(script(CHECKED, BUILD_IT))

    judged = sync(harness, TAKE_BACK)

    assert judged.result["reason"] == "synced"
    changed = judged.of_type("deliverable.changed", "deliverable.claimed")
    assert [each["type"] for each in changed] == [
        "deliverable.changed",
        "deliverable.claimed",
        "deliverable.changed",
    ]
    assert statuses_of(harness) == [("DL-001", True, "self-tested")]


def test_without_deliverables_there_is_nothing_to_judge(harness: CommandHarness) -> None:
    refused = sync(harness, JUDGE)

    assert refused.exit_code == 2
    assert "there are no deliverables" in refused.stderr
    assert "create them first: treadle deliver" in refused.stderr


def test_work_that_has_not_landed_is_to_be_landed_first(harness: CommandHarness) -> None:
    kept = harness.deliver(script(CHECKED, BUILD_IT), "--land", "never")

    refused = sync(harness, JUDGE)

    assert refused.result["reason"] == "error"
    assert f"left work on {kept.of_type('work.kept')[0]['branch']}" in refused.result["message"]
    assert statuses_of(harness) == [("DL-001", True, "self-tested")]
