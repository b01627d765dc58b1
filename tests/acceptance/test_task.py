"""`treadle task` with the real binary: plan, approval, building in steps, review, on a branch."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, script

TASK = "Say hello in hello.txt"

PLANNER = """
  - role: planner
    turns:
      - tool: mcp__treadle__write_plan
        input:
          title: Say hello
          approach: Write the greeting into a file.
          files: [hello.txt]
          criteria:
            - {text: hello.txt says hello, check: grep -qx hello hello.txt}
            - {text: It reads well}
          risks: [None to speak of]
          estimated_cost_usd: 0.5
          estimated_minutes: 3
      - text: <PLAN_COMPLETE>One file.</PLAN_COMPLETE>
"""


def builder(content: str, *, claims: str = "C1 C2") -> str:
    claimed = "".join(
        "      - tool: mcp__treadle__set_deliverable_status\n"
        f"        input: {{deliverableId: {name}, status: passed}}\n"
        for name in claims.split()
    )
    return (
        "  - role: implementer\n    turns:\n"
        "      - tool: Bash\n        input: {command: \"printf '%s\\\\n' "
        f"{content} > hello.txt && git add hello.txt && git commit -qm 'Say {content}'\"}}\n"
        f"{claimed}      - text: <DONE>Said.</DONE>\n"
    )


APPROVES = """
  - role: reviewer
    turns:
      - text: <APPROVED>It says hello.</APPROVED>
"""
OBJECTS = """
  - role: reviewer
    turns:
      - tool: mcp__treadle__write_review
        input:
          findings: [{severity: major, text: It must be friendly, file: hello.txt, quote: hello}]
      - text: <REQUEST_CHANGES>Not friendly.</REQUEST_CHANGES>
"""


class TaskHarness(CommandHarness):
    """Rehearses tasks instead of specifications."""

    def _rehearsed(
        self, rehearsal: str, *options: str, settings: dict[str, str] | None = None
    ) -> list[str]:
        self.settings(settings or {})
        path = self.directory / "script.yaml"
        path.write_text(rehearsal)
        return ["rehearse", str(path), "--", "task", TASK, "--json", *options]

    task = CommandHarness.deliver

    def checkout_state(self) -> dict[str, Any]:
        """Everything that a task must leave as it is, byte by byte."""
        git_dir = self.project / ".git"
        files = {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and git_dir not in path.parents
        }
        return {
            "files": files,
            "index": (git_dir / "index").read_bytes(),
            "HEAD": (git_dir / "HEAD").read_bytes(),
            "config": (git_dir / "config").read_bytes(),
            "head": self.git("rev-parse", "HEAD"),
            "stash": self.git("stash", "list"),
        }


@pytest.fixture
def harness(tmp_path: Path) -> TaskHarness:
    harness = TaskHarness(tmp_path)
    harness.settings({})
    return harness


SOON = {"planning.auto_approve_minutes": "0.01"}
NEVER = {"planning.auto_approve_minutes": "0"}


def test_a_task_is_planned_built_and_reviewed_on_a_branch_of_its_own(harness: TaskHarness) -> None:
    finished = harness.task(
        script(PLANNER, builder("hullo"), builder("hello", claims="C1"), APPROVES), settings=SOON
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "approved"), finished.stderr
    assert finished.of_type("deliverable.changed")[-1]["proof"] == "self-tested"
    implementers = [e for e in finished.of_type("session.started") if e["role"] == "implementer"]
    assert len(implementers) == 2


def test_a_task_leaves_checkout_index_head_stash_and_configuration_as_they_are(
    harness: TaskHarness,
) -> None:
    harness.settings(SOON)
    (harness.project / "stashed.txt").write_text("later\n")
    harness.git("add", "-A")
    harness.git("stash")
    (harness.project / "half.txt").write_text("half done\n")
    (harness.project / "staged.txt").write_text("staged\n")
    harness.git("add", "staged.txt")
    before = harness.checkout_state()

    finished = harness.task(
        script(PLANNER, builder("hello"), OBJECTS, builder("hello"), APPROVES), settings=SOON
    )

    assert finished.result["reason"] == "approved", finished.stderr
    assert harness.checkout_state() == before
    branch = finished.of_type("work.kept")[-1]["branch"]
    # What is not committed is no part of a pull request.
    assert harness.git("diff", "--name-only", "HEAD", branch).split() == ["hello.txt"]


def test_a_reply_changes_the_plan_and_a_no_ends_the_task(harness: TaskHarness) -> None:
    other = PLANNER.replace("Say hello\n", "Say hello twice\n")
    running = harness.start(script(PLANNER, other), settings=NEVER)

    first = running.until("approval.asked")["approval"]
    harness.treadle("reply", first["id"], "say it twice")
    second = running.until("approval.asked")["approval"]
    assert second["subject"].startswith("# Say hello twice")
    harness.treadle("deny", second["id"], "not today")
    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (3, "plan_denied")
    assert finished.result["message"].endswith("denied the plan: not today")
