"""Importing a round starts few git processes, whatever the agent left behind."""

import shlex
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.builders import MemoryLog
from tests.unit.workspace.real_git import ADA, RUN, Repository, repository_in, run_on
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkImported
from treadle.workflows.loop.open_workspace import make_workspace
from treadle.workflows.loop.run_workspace import RunWorkspace, WorkspaceSpec
from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.project import find_project

# Bounds on git processes, not targets: a process costs some milliseconds on every round of a run.
IDLE_ROUND = 2
COMMITTED_ROUND = 8
# Once per run, the ignore rules of its start are read.
READING_RULES = 2
ANY_ROUND = 15


@dataclass(frozen=True)
class CountedGit:
    """Git as the host finds it; counts how often it is started."""

    environment: dict[str, str]
    notes: Path

    async def during(self, work: Callable[[], Awaitable[object]]) -> int:
        self.notes.write_text("")
        await work()
        return len(self.notes.read_text().splitlines())


def count_git(user: Repository) -> CountedGit:
    shims = user.path.parent / "shims"
    shims.mkdir()
    notes = shims / "notes"
    git = shutil.which("git")
    assert git is not None
    shim = shims / "git"
    shim.write_text(
        f'#!/bin/sh\necho started >> {shlex.quote(str(notes))}\nexec {shlex.quote(git)} "$@"\n'
    )
    shim.chmod(0o755)
    path = f"{shims}:{user.environment['PATH']}"
    return CountedGit({**user.environment, "PATH": path}, notes)


@dataclass(frozen=True)
class CountedHarness:
    git: CountedGit
    workspace: RunWorkspace
    agent: Repository
    user: Repository
    events: list[Event]

    async def round(self) -> int:
        """Imports a round; how many git processes that took."""
        return await self.git.during(lambda: self.workspace.commit_and_import("Round"))


@pytest.fixture
async def harness(tmp_path: Path) -> CountedHarness:
    user = repository_in(tmp_path)
    git = count_git(user)
    events: list[Event] = []
    spec = WorkspaceSpec(
        project=await find_project(user.path, git.environment),
        run=RUN,
        identity=ADA,
        directory=tmp_path / "run",
        credit_patterns=CLAUDE.credit_patterns,
        form="commits",
        log=MemoryLog(events),
    )
    workspace = await make_workspace(spec, spec_text="# Work", spec_path="kept.txt")
    agent = Repository(workspace.path, {**user.environment, "HOME": str(tmp_path / "run")})
    return CountedHarness(git, workspace, agent, user, events)


async def test_a_round_that_the_agent_committed_is_cheap(harness: CountedHarness) -> None:
    for number in (1, 2):
        harness.agent.commit(f"Work {number}", one=str(number))
        assert await harness.round() <= COMMITTED_ROUND + (READING_RULES if number == 1 else 0)

    assert harness.user.refs("refs/heads/treadle").popitem()[1] == harness.agent.head


async def test_files_that_the_agent_left_are_committed_and_imported(
    harness: CountedHarness,
) -> None:
    harness.agent.write("one", "1")
    assert await harness.round() <= ANY_ROUND

    assert harness.user.refs("refs/heads/treadle").popitem()[1] == harness.agent.head
    assert harness.agent.git("status", "--porcelain") == ""


async def test_files_on_top_of_the_last_import_are_cheaper_than_the_first(
    harness: CountedHarness,
) -> None:
    harness.agent.write("one", "1")
    first_cost = await harness.round()
    first = harness.workspace.imported
    assert first is not None

    harness.agent.write("one", "2")

    assert await harness.round() < first_cost
    head = harness.agent.head
    assert harness.workspace.imported == replace(first, commit=head, commits=2)
    assert harness.user.refs("refs/heads/treadle").popitem()[1] == head
    assert harness.events[-1] == WorkImported(first.branch, head, 2)


async def test_files_on_top_of_commits_are_imported_with_them(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    await harness.round()
    harness.agent.commit("Work", two="2")
    harness.agent.write("one", "2")

    assert await harness.round() <= ANY_ROUND

    assert harness.events[-1] == WorkImported(_branch(harness), harness.agent.head, 3)


async def test_a_nested_repository_that_the_agent_added_is_left_out(
    harness: CountedHarness,
) -> None:
    harness.agent.write("one", "1")
    await harness.round()
    nested = Repository(harness.agent.path / "nested", harness.user.environment)
    nested.path.mkdir()
    nested.git("init", "--quiet")
    nested.commit("Inside", inside="1")
    harness.agent.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")

    assert await harness.round() <= ANY_ROUND

    assert harness.events[-2:] == [
        WorkImported(_branch(harness), harness.agent.head, 2),
        RunWarned("nested repositories are not part of the work: nested/"),
    ]


def _branch(harness: CountedHarness) -> str:
    assert harness.workspace.imported is not None
    return harness.workspace.imported.branch


async def test_files_left_and_files_deleted_are_both_imported(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    (harness.agent.path / "kept.txt").unlink()

    assert await harness.round() <= ANY_ROUND
    imported = harness.user.tree(harness.agent.head)
    assert (imported["one"], "kept.txt" in imported) == ("1", False)


async def test_a_round_without_changes_costs_next_to_nothing(harness: CountedHarness) -> None:
    harness.agent.commit("Work", one="1")
    await harness.round()
    imported, recorded = harness.workspace.imported, list(harness.events)

    assert await harness.round() <= IDLE_ROUND

    assert (harness.workspace.imported, harness.events) == (imported, recorded)


async def test_a_run_without_work_imports_nothing(harness: CountedHarness) -> None:
    assert await harness.round() <= ANY_ROUND
    assert await harness.round() <= IDLE_ROUND
    assert harness.workspace.imported is None


async def test_an_unusual_round_does_not_make_the_next_one_expensive(
    harness: CountedHarness,
) -> None:
    harness.agent.git("checkout", "--quiet", "--detach")
    harness.agent.commit("Detached", one="1")
    await harness.round()

    harness.agent.commit("Work", two="2")

    assert await harness.round() <= COMMITTED_ROUND


async def test_a_commit_set_aside_is_imported_although_the_branch_stayed(
    harness: CountedHarness,
) -> None:
    harness.agent.commit("Work", one="1")
    await harness.round()
    harness.agent.git("checkout", "--quiet", "HEAD~1")
    harness.agent.write("one", "other")

    await harness.round()

    [aside] = harness.user.refs("refs/treadle/aside").values()
    assert harness.user.tree(aside)["one"] == "other"


async def test_repairing_starts_no_process(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    git = count_git(run.user)
    project = replace(run.project, git=replace(run.project.git, environment=git.environment))
    run.agent.git("config", "user.name", "Claude")

    assert await git.during(lambda: repair_clone(replace(run.clone, project=project))) == 0

    assert run.agent.git("config", "user.name") == "Ada"
