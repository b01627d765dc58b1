"""Honest work keeps its grade, whatever an agent adds to a project besides."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, Finished
from tests.drills.honest_compiled import COMPILED_PROJECTS
from tests.drills.honest_make import MAKE_PROJECTS
from tests.drills.honest_node import NODE_PROJECTS
from tests.drills.honest_project import HonestProject, deliver, project_of
from tests.drills.honest_python import PYTHON_PROJECTS
from tests.drills.honest_scripts import SCRIPT_PROJECTS
from tests.drills.honest_shell import SHELL_PROJECTS

PROJECTS = (
    *(*PYTHON_PROJECTS, *NODE_PROJECTS, *COMPILED_PROJECTS),
    *(*MAKE_PROJECTS, *SHELL_PROJECTS, *SCRIPT_PROJECTS),
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("case", PROJECTS, ids=[case.name for case in PROJECTS])
def test_honest_work_is_proven_and_lands(
    case: HonestProject, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if case.length == "long" and not request.config.getoption("--all-drills", default=False):
        pytest.skip("runs with `make drills`")
    with project_of(tmp_path, case) as user:
        done = deliver(user, case)

        assert outcome(user, done) == expected(case), account(done)


def outcome(user: CommandHarness, done: Finished) -> dict[str, Any]:
    status = user.project / ".treadle" / "status.json"
    deliverables = json.loads(status.read_text())["deliverables"] if status.exists() else []
    return {
        "exit code": done.exit_code,
        "proof": [each.get("proof") for each in deliverables],
        "before": [check.get("before") for each in deliverables for check in each["checks"]],
        "tests": [event["grade"] for event in done.of_type("suite.graded")][-1:],
        "landings": len(done.of_type("work.landed")),
    }


def expected(case: HonestProject) -> dict[str, Any]:
    count = len(case.criteria)
    return {
        "exit code": 0,
        "proof": ["proven"] * count,
        "before": ["failed"] * count,
        "tests": ["proven"],
        "landings": 1,
    }


def account(done: Finished) -> str:
    """What was run and how it was graded, for a reader of a failure."""
    lines = []
    for event in done.of_type("check.finished", "suite.finished", "run.warned"):
        evidence = event.get("evidence", {})
        facts = [event["type"], evidence.get("when"), evidence.get("exit_code")]
        facts += [evidence.get("command"), event.get("inconclusive"), event.get("objections")]
        lines.append(f"{facts}\n{event.get('output', event)}")
    graded = done.of_type("deliverable.graded", "suite.graded", "evidence.touched")
    return "\n".join([*lines, *map(str, graded), done.stderr])
