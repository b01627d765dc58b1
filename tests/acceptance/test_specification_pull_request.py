"""`deliver` and `focus` have the plan gate and the ending of a task, if they are asked to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, script
from tests.acceptance.test_focus import planner, reviewer, task
from tests.acceptance.test_task_pull_request import ForgeHarness
from tests.github.fake_github import serve_github
from tests.github.git_backend import commit_of
from treadle.rehearsal.fixtures import Rehearse

DELIVERED = (ONE_DELIVERABLE, BUILD_IT)
FOCUSED = (
    planner("# Plan\n\n## Tasks\n- [ ] hello\n"),
    task("hello.txt", "hello", "DONE", "Write the greeting"),
    reviewer("APPROVED"),
)


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[ForgeHarness]:
    with serve_github(tmp_path / "github") as github:
        yield ForgeHarness(tmp_path, github)


@pytest.mark.parametrize(
    ("command", "sessions", "reason", "title"),
    [
        (("deliver",), DELIVERED, "all_passed", "A greeting"),
        (("focus", "Greet people"), FOCUSED, "approved", "Greet people"),
    ],
    ids=["deliver", "focus"],
)
def test_an_approved_plan_ends_as_a_pull_request(
    forge: ForgeHarness,
    rehearse: Rehearse,
    command: tuple[str, ...],
    sessions: tuple[str, ...],
    reason: str,
    title: str,
) -> None:
    before = forge.git("rev-parse", "HEAD")
    forge.model = rehearse(script(*sessions)).base_url

    finished = forge.treadle(*command, "--approve-plan", "--pr", "--json")

    assert finished.result["reason"] == reason, finished.stderr
    (lapsed,) = finished.of_type("approval.lapsed")
    assert lapsed["verdict"] == "approved"
    (request,) = forge.pull_requests
    assert request.title == title
    assert "1 file · +1 −0" in request.body
    (pushed,) = finished.of_type("branch.pushed")
    assert commit_of(forge.github.bare(forge.repository), request.branch) == pushed["commit"]
    # Only `task` is followed.
    assert finished.result["follow_until"] is None
    assert forge.git("rev-parse", "HEAD") == before
    assert finished.of_type("work.landed") == []
