"""`treadle task` with the real binary: plan, approval, building in steps, review, on a branch."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, script

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


def checkout_state(harness: CommandHarness) -> dict[str, Any]:
    """Everything that a task must leave as it is, byte by byte."""
    git_dir = harness.project / ".git"
    files = {
        str(path.relative_to(harness.project)): path.read_bytes()
        for path in sorted(harness.project.rglob("*"))
        if path.is_file() and git_dir not in path.parents
    }
    return {
        "files": files,
        "index": (git_dir / "index").read_bytes(),
        "HEAD": (git_dir / "HEAD").read_bytes(),
        "config": (git_dir / "config").read_bytes(),
        "head": harness.git("rev-parse", "HEAD"),
        "stash": harness.git("stash", "list"),
    }


@pytest.fixture
def harness(tmp_path: Path) -> TaskHarness:
    harness = TaskHarness(tmp_path)
    harness.settings({})
    return harness


SOON = {"planning.auto_approve_minutes": "0.01"}
NEVER = {"planning.auto_approve_minutes": "0"}


def test_a_task_is_planned_built_and_reviewed_on_a_branch_of_its_own(harness: TaskHarness) -> None:
    write = "      - {tool: Bash, input: {command: echo x > planned.txt}}\n"
    planner = PLANNER.replace("    turns:\n", f"    turns:\n{write}")
    finished = harness.task(
        script(planner, builder("hullo"), builder("hello", claims="C1"), APPROVES), settings=SOON
    )

    # Nothing of the planner's is writable, whatever the policy lets run.
    assert "Read-only file system" in finished.of_type("tool.finished")[0]["output"]
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
    before = checkout_state(harness)

    finished = harness.task(
        script(PLANNER, builder("hello"), OBJECTS, builder("hello"), APPROVES), settings=SOON
    )

    assert finished.result["reason"] == "approved", finished.stderr
    assert checkout_state(harness) == before
    branch = finished.of_type("work.kept")[-1]["branch"]
    # What is not committed is no part of a pull request.
    assert harness.git("diff", "--name-only", "HEAD", branch).split() == ["hello.txt"]


def test_an_implementer_has_the_tools_of_the_users_list_and_no_others(
    harness: TaskHarness,
) -> None:
    beyond = (
        "  - role: implementer\n    turns:\n"
        "      - tool: Bash\n        input: {command: git status && make}\n"
        "      - tool: Write\n        input: {file_path: hello.txt, content: hello}\n"
        "      - tool: Bash\n        input: {command: git log --oneline}\n"
        "      - text: <DONE>Nothing.</DONE>\n"
    )
    allowed = {
        "execution.allowed_tools": '["Read", "Bash(git *)"]',
        "limits.max_iterations": "2",
        **SOON,
    }

    finished = harness.task(script(PLANNER, beyond), settings=allowed)

    decided = [
        (each["name"], each["decision"])
        for each in finished.of_type("tool.decided")
        if each["name"] in ("Bash", "Write")
    ]
    assert decided[:1] == [("Bash", "deny")], finished.stderr
    assert ("Bash", "allow") in decided
    assert ("Write", "allow") not in decided


@pytest.mark.parametrize(
    ("strategy", "subjects"),
    [
        ("incremental", ["Say more", "Say hello", "The specification"]),
        ("single", ["Round 2: hello.txt says hello (C1), It reads well (C2)", "The specification"]),
    ],
)
def test_a_task_has_the_commits_of_its_agent_or_one_for_each_session(
    harness: TaskHarness, strategy: str, subjects: list[str]
) -> None:
    more = (
        '      - tool: Bash\n        input: {command: "echo more > more.txt && git add -A'
        " && git commit -qm 'Say more'\"}\n"
    )
    before, turn, after = builder("hello").partition("      - tool: mcp__treadle")
    settings = {"execution.commit_strategy": f'"{strategy}"', **SOON}

    finished = harness.task(
        script(PLANNER, f"{before}{more}{turn}{after}", APPROVES), settings=settings
    )

    assert finished.result["reason"] == "approved", finished.stderr
    branch = finished.of_type("work.kept")[-1]["branch"]
    assert harness.git("log", "--format=%s", branch).splitlines() == subjects
    assert harness.git("diff", "--name-only", "HEAD", branch).split() == ["hello.txt", "more.txt"]
    if strategy == "single":
        body = harness.git("log", "-1", "--format=%b", branch)
        assert body.splitlines() == ["- Say hello", "- Say more"]


def test_a_plan_that_the_timer_approves_lets_no_test_disappear(harness: TaskHarness) -> None:
    test = (
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        pass\n"
    )
    (harness.project / "test_old.py").write_text(test)
    (harness.project / "test_kept.py").write_text(test)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Two tests")
    plan = PLANNER.replace("risks:", "tests: [Remove test_old.py]\n          risks:")
    removes = builder("hello").replace("printf", "git rm -q test_old.py && printf")
    restores = builder("hello").replace("printf", "git checkout HEAD~1 test_old.py; printf")

    finished = harness.task(
        script(plan, removes, restores, APPROVES),
        settings={**SOON, "project.test": '"python3 -m unittest -v"'},
    )

    assert finished.result["reason"] == "approved", finished.stderr
    removed = next(each for each in finished.of_type("suite.finished") if each["objections"])
    assert [each["test"] for each in removed["objections"]] == ["test_old.T::test_it"]
    branch = finished.of_type("work.kept")[-1]["branch"]
    assert harness.git("diff", "--name-only", "HEAD", branch).split() == ["hello.txt"]


def test_a_list_of_tools_with_a_misspelled_entry_starts_nothing(harness: TaskHarness) -> None:
    refused = harness.task(script(PLANNER), settings={"execution.allowed_tools": '["Reed"]'})

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[0].endswith(
        "execution.allowed_tools: 'Reed' allows nothing: "
        "no session has the tool 'Reed'; did you mean Read?"
    )


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


def test_two_tasks_work_at_once_and_their_branches_block_no_other_workflow(
    harness: TaskHarness,
) -> None:
    whole = script(PLANNER, builder("hello"), APPROVES)
    running = [harness.start(whole, settings=NEVER) for _ in range(2)]

    for each in running:
        harness.treadle("approve", each.until("approval.asked")["approval"]["id"])
    finished = [each.finish() for each in running]

    assert [each.result["reason"] for each in finished] == ["approved", "approved"]
    branches = {each.of_type("work.kept")[-1]["branch"] for each in finished}
    assert len(branches) == 2
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, BUILD_IT))
    delivered = harness.treadle("rehearse", str(path), "--", "deliver", "--json")
    assert delivered.result["reason"] == "all_passed", delivered.stderr
    assert delivered.of_type("work.landed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say what to do, or name an issue"),
        ((TASK, "--issue", "12"), "WORDS and --issue cannot be combined"),
        (("--issue", "12"), "no issue can be read here: no git remote"),
    ],
)
def test_a_task_without_its_words_starts_nothing(
    harness: TaskHarness, arguments: tuple[str, ...], message: str
) -> None:
    refused = harness.treadle("task", *arguments)

    assert refused.exit_code != 0
    assert message in refused.stderr
    assert not list(harness.root.glob("runs/*"))


def costly(session: str) -> str:
    """The same session, whose first answer is longer than a small limit pays for."""
    first = "    turns:\n      - tool:"
    return session.replace(first, "    turns:\n      - usage: {output: 4000}\n        tool:", 1)


@pytest.mark.parametrize(
    ("setting", "sessions", "message"),
    [
        (
            "planning.max_planning_cost_usd",
            (costly(PLANNER),),
            "planning has cost what it may (planning.max_planning_cost_usd)",
        ),
        (
            "execution.max_cost_usd",
            (PLANNER, costly(builder("hello"))),
            "the limit is $0.03 (--max-cost, execution.max_cost_usd)",
        ),
    ],
)
def test_a_task_ends_at_its_own_limits_and_names_them(
    harness: TaskHarness, setting: str, sessions: tuple[str, ...], message: str
) -> None:
    finished = harness.task(script(*sessions), settings={**SOON, setting: "0.03"})

    result = finished.result
    assert (result["reason"], result["message"]) == ("budget_exceeded", message), finished.stderr


def test_a_task_of_words_has_the_included_files(harness: TaskHarness) -> None:
    (harness.project / ".env.local").write_text("KEY=tr0ub4dor-and-3\n")
    (harness.project / ".git" / "info" / "exclude").write_text("treadle.toml\n.treadle*\n.env*\n")
    settings = {**SOON, "workspace.include_for_agent": '[".env.local"]'}
    harness.settings(settings)
    assert harness.treadle("trust", "--yes").exit_code == 0
    looks = builder("hello").replace(
        "    turns:\n", "    turns:\n      - {tool: Bash, input: {command: ls -a}}\n"
    )

    finished = harness.task(script(PLANNER, looks, APPROVES), settings=settings)

    assert finished.result["reason"] == "approved", finished.stderr
    assert ".env.local" in finished.of_type("tool.finished")[1]["output"].split()
    branch = finished.of_type("work.kept")[-1]["branch"]
    assert harness.git("diff", "--name-only", "HEAD", branch).split() == ["hello.txt"]
