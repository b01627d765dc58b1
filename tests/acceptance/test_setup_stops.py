"""A setup that fails ends the run before it costs anything; one that breaks later is repaired."""

import json
from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, Finished, script

FAILS = "\"echo resolving; echo 'error: no such package' >&2; exit 3\""
PROBLEM = "setup failed with exit code 3: echo resolving;"


def rehearse(
    harness: CommandHarness, settings: dict[str, str], *command: str, rehearsal: str = ""
) -> Finished:
    harness.settings(settings)
    path = harness.directory / "script.yaml"
    path.write_text(rehearsal or script(ONE_DELIVERABLE))
    return harness.treadle("rehearse", str(path), "--", *command)


def committed(harness: CommandHarness, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = harness.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "More")


def assert_stopped(done: Finished, problem: str) -> None:
    result = done.result
    assert (done.exit_code, result["reason"], result["cost_usd"]) == (2, "setup_failed", 0.0)
    assert result["message"].startswith(problem)
    assert done.of_type("session.started", "round.started") == []


@pytest.mark.parametrize("workflow", ["deliver", "focus", "sync", "task"])
def test_a_setup_that_fails_ends_every_workflow_before_a_session(
    harness: CommandHarness, workflow: str
) -> None:
    committed(harness, {"specs/a.md": "# Greet"})
    if workflow == "sync":
        harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    words = ("Greet people",) if workflow in ("focus", "task") else ()

    done = rehearse(harness, {"project.setup": FAILS}, workflow, *words, "--json")

    assert_stopped(done, PROBLEM)
    (finished,) = done.of_type("setup.finished")
    assert (finished["exit_code"], finished["cause"]) == (3, ["error: no such package"])


def test_the_cause_and_what_to_try_are_on_the_screen(harness: CommandHarness) -> None:
    done = rehearse(harness, {"project.setup": FAILS}, "deliver")
    shown = harness.treadle("show", "last")
    logged = harness.treadle("logs", "last", "-d")

    assert done.exit_code == 2
    for screen in (done.stderr, shown.stdout, logged.stdout):
        assert "error: no such package" in screen
    assert "treadle doctor --setup" in done.stderr
    # Nothing that a check would need is left behind.
    assert list(harness.root.rglob("bases")) == []


@pytest.mark.parametrize("workflow", ["deliver", "focus", "task"])
def test_a_test_command_that_cannot_start_ends_the_run_before_a_session(
    harness: CommandHarness, workflow: str
) -> None:
    committed(harness, {"specs/a.md": "# Greet"})
    words = () if workflow == "deliver" else ("Greet people",)
    settings = {"project.test": '"pytest-not-there -q"'}

    done = rehearse(harness, settings, workflow, *words, "--json")

    assert_stopped(
        done,
        "the test command cannot start: pytest-not-there was not found (exit code 127):"
        " pytest-not-there -q\n",
    )


def test_a_run_goes_on_after_its_setup_was_corrected(harness: CommandHarness) -> None:
    rehearsal = script(ONE_DELIVERABLE, BUILD_IT)
    stopped = rehearse(harness, {"project.setup": FAILS}, "deliver", "--json", rehearsal=rehearsal)
    harness.settings({"project.setup": '"true"'})

    done = harness.treadle("resume", "last", "--json")

    assert stopped.exit_code == 2
    assert (done.exit_code, done.result["reason"]) == (0, "all_passed")
    assert (harness.project / "hello.txt").read_text() == "hello\n"


WRITE_SETUP = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: setup.sh, content: "touch installed\\n"}
      - tool: Write
        input: {file_path: .gitignore, content: "installed\\n"}
      - text: There is something to install now.
"""
USE_IT = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: test -e installed && echo it is installed}
      - expect: it is installed
        tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""


def test_a_setup_waits_for_the_files_of_a_new_project(harness: CommandHarness) -> None:
    settings = {"project.setup": '"sh setup.sh"', "project.test": '"test -e installed"'}

    done = harness.deliver(script(ONE_DELIVERABLE, WRITE_SETUP, USE_IT), settings=settings)

    assert (done.exit_code, done.result["reason"]) == (0, "all_passed"), done.stderr
    warnings = [event["message"] for event in done.of_type("run.warned")]
    assert "setup waits until there is setup.sh: sh setup.sh" in warnings
    # Once it exists, before the next session.
    (finished,) = [each for each in done.of_type("setup.finished") if not each["commit"]]
    assert finished["exit_code"] == 0
    types = done.types()
    assert types.index("setup.finished") > types.index("session.ended")


BREAK_SETUP = """
  - role: implementer
    turns:
      - tool: Write
        input:
          file_path: setup.sh
          content: "echo 'error: slugify is not in the lock file'; exit 3\\n"
      - text: Added a dependency.
"""
REPAIR_SETUP = """
  - role: implementer
    turns:
      - expect: ["The setup command failed", "exit code 3", "slugify is not in the lock file"]
        tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""


def test_a_setup_that_breaks_later_is_told_to_the_agent_and_in_the_summary(
    harness: CommandHarness,
) -> None:
    committed(harness, {"setup.sh": "true\n"})
    rehearsal = script(ONE_DELIVERABLE, BREAK_SETUP, REPAIR_SETUP)

    done = rehearse(harness, {"project.setup": '"sh setup.sh"'}, "deliver", rehearsal=rehearsal)

    assert done.exit_code == 0, done.stderr
    assert "setup         failed with exit code 3: sh setup.sh" in done.stderr
    assert "error: slugify is not in the lock file" in done.stderr.rpartition("setup   ")[2]


CHECKED = ONE_DELIVERABLE.replace(
    "acceptanceCriteria: [hello.txt says hello]",
    "acceptanceCriteria: [{text: hello.txt says hello, check: tool-not-there hello.txt}]",
)


def test_a_check_that_cannot_run_before_the_work_is_no_proof(harness: CommandHarness) -> None:
    done = harness.deliver(script(CHECKED, BUILD_IT), "-n", "2")

    before = [e for e in done.of_type("check.finished") if e["evidence"]["when"] == "before"]
    assert {e["inconclusive"] for e in before} == {"tool-not-there was not found (exit code 127)"}
    assert done.result["reason"] == "max_iterations"
    (deliverable,) = json.loads((harness.project / ".treadle" / "status.json").read_text())[
        "deliverables"
    ]
    assert [check.get("before", "") for check in deliverable["checks"]] == [""]


def test_tests_that_nobody_wrote_are_never_green(harness: CommandHarness) -> None:
    settings = {"project.test": '"bash run_tests.sh"'}

    done = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), "-n", "2", settings=settings)

    warnings = [event["message"] for event in done.of_type("run.warned")]
    assert "the test command names run_tests.sh, which does not exist yet" in warnings
    assert (done.result["reason"], done.result["tally"]["passed"]) == ("max_iterations", 0)
    (objection,) = done.of_type("suite.finished")[-1]["objections"]
    assert objection["message"].startswith("it cannot run: run_tests.sh was not found")


def test_doctor_tries_the_commands_on_a_clean_checkout(harness: CommandHarness) -> None:
    def findings(setup: str, test: str) -> dict[str, tuple[str, str, list[str]]]:
        harness.settings({"project.setup": setup, "project.test": test})
        done = harness.treadle("doctor", "--setup", "--json")
        return {
            each["name"]: (each["verdict"], each["text"], each["output"])
            for each in json.loads(done.stdout)
            if each["name"] in ("setup", "test")
        }

    (harness.project / "draft.txt").write_text("not committed\n")

    assert findings(FAILS, '"true"') == {
        "setup": (
            "bad",
            "failed with exit code 3: echo resolving; echo 'error: no such package' >&2; exit 3",
            ["error: no such package"],
        )
    }
    works = findings('"cp draft.txt made.txt"', '"cat made.txt && exit 1"')
    assert [works[name][0] for name in ("setup", "test")] == ["good", "good"]
    assert works["test"][1].startswith("starts (ended with exit code 1 after ")
    assert findings('"npm ci"', '"pytest-not-there"')["setup"][:2] == (
        "warning",
        "waits until there is package.json: npm ci",
    )
    assert findings('"true"', '"pytest-not-there"')["test"][:2] == (
        "bad",
        "cannot start: pytest-not-there was not found (exit code 127): pytest-not-there",
    )
    assert not (harness.project / "made.txt").exists()
    assert sorted(Path(harness.root).glob("verifying/*")) == []
