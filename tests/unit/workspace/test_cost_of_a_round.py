"""The git commands that importing a round starts."""

import shlex
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.builders import MemoryLog
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkImported
from treadle.workflows.loop.open_workspace import make_workspace
from treadle.workflows.loop.run_workspace import RunWorkspace, WorkspaceSpec
from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.project import find_project

from .real_git import ADA, RUN, Repository, repository_in, run_on

LOOK = ["for-each-ref", "status"]  # side by side
COMMIT = ["update-index", "write-tree", "commit-tree", "update-ref"]
SCREEN = ["log"]  # commits of the agent's own are looked through for credentials
IMPORT = ["fetch", "rev-list", "diff-tree"]


@dataclass(frozen=True)
class Counted:
    """Git as the host finds it, each start of it noted."""

    environment: dict[str, str]
    notes: Path

    async def during(self, work: Callable[[], Awaitable[object]]) -> list[str]:
        self.notes.write_text("")
        await work()
        return [_command(line.split("\t")) for line in self.notes.read_text().splitlines()]


def _command(words: list[str]) -> str:
    while words[0].startswith("-"):
        words = words[2:] if words[0] in ("-C", "-c") else words[1:]
    return words[0]


def counted(user: Repository) -> Counted:
    shims = user.path.parent / "shims"
    shims.mkdir()
    notes = shims / "notes"
    git = shutil.which("git")
    assert git is not None
    shim = shims / "git"
    shim.write_text(
        f"#!/bin/sh\n(IFS='\t'; echo \"$*\") >> {shlex.quote(str(notes))}\n"
        f'exec {shlex.quote(git)} "$@"\n'
    )
    shim.chmod(0o755)
    path = f"{shims}:{user.environment['PATH']}"
    return Counted({**user.environment, "PATH": path}, notes)


@dataclass(frozen=True)
class CountedHarness:
    git: Counted
    workspace: RunWorkspace
    agent: Repository
    user: Repository
    events: list[Event]

    async def round(self) -> list[str]:
        started = await self.git.during(lambda: self.workspace.commit_and_import("Round"))
        return [*sorted(started[: len(LOOK)]), *started[len(LOOK) :]]


@pytest.fixture
async def harness(tmp_path: Path) -> CountedHarness:
    user = repository_in(tmp_path)
    git = counted(user)
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
    workspace = await make_workspace(spec, specification="# Work", spec="kept.txt")
    agent = Repository(workspace.path, {**user.environment, "HOME": str(tmp_path / "run")})
    return CountedHarness(git, workspace, agent, user, events)


async def test_all_committed(harness: CountedHarness) -> None:
    for number in (1, 2):
        harness.agent.commit(f"Work {number}", one=str(number))
        assert await harness.round() == [*LOOK, *SCREEN, *IMPORT]

    assert harness.user.refs("refs/heads/treadle").popitem()[1] == harness.agent.head


async def test_files_left(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    assert await harness.round() == [*LOOK, *COMMIT, *IMPORT]

    assert harness.user.refs("refs/heads/treadle").popitem()[1] == harness.agent.head
    assert harness.agent.git("status", "--porcelain") == ""


async def test_files_on_top_of_the_last_import_need_no_further_command(
    harness: CountedHarness,
) -> None:
    harness.agent.write("one", "1")
    await harness.round()
    first = harness.workspace.imported
    assert first is not None

    harness.agent.write("one", "2")

    assert await harness.round() == [*LOOK, *COMMIT, "fetch"]
    head = harness.agent.head
    assert harness.workspace.imported == replace(first, commit=head, commits=2)
    assert harness.user.refs("refs/heads/treadle").popitem()[1] == head
    assert harness.events[-1] == WorkImported(first.branch, head, 2)


async def test_files_on_top_of_commits_that_are_not_imported(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    await harness.round()
    harness.agent.commit("Work", two="2")
    harness.agent.write("one", "2")

    assert await harness.round() == [*LOOK, *COMMIT, *SCREEN, *IMPORT]

    assert harness.events[-1] == WorkImported(_branch(harness), harness.agent.head, 3)


async def test_what_the_agent_staged_is_looked_into(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    await harness.round()
    nested = Repository(harness.agent.path / "nested", harness.user.environment)
    nested.path.mkdir()
    nested.git("init", "--quiet")
    nested.commit("Inside", inside="1")
    harness.agent.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")

    assert await harness.round() == [*LOOK, *COMMIT[1:], *SCREEN, *IMPORT]

    assert harness.events[-2:] == [
        WorkImported(_branch(harness), harness.agent.head, 2),
        RunWarned("nested repositories are not part of the work: nested/"),
    ]


def _branch(harness: CountedHarness) -> str:
    assert harness.workspace.imported is not None
    return harness.workspace.imported.branch


async def test_files_left_and_others_deleted(harness: CountedHarness) -> None:
    harness.agent.write("one", "1")
    (harness.agent.path / "kept.txt").unlink()

    assert await harness.round() == [
        *LOOK,
        *("update-index", *COMMIT),
        *IMPORT,
    ]


async def test_nothing_changed_since_the_last_round(harness: CountedHarness) -> None:
    harness.agent.commit("Work", one="1")
    await harness.round()
    imported, recorded = harness.workspace.imported, list(harness.events)

    assert await harness.round() == LOOK

    assert (harness.workspace.imported, harness.events) == (imported, recorded)


async def test_nothing_changed_ever(harness: CountedHarness) -> None:
    first = await harness.round()

    assert first == [*LOOK, "fetch", "worktree", "rev-parse", "update-ref"]
    assert await harness.round() == LOOK
    assert harness.workspace.imported is None


async def test_an_unusual_round_makes_the_next_no_dearer(harness: CountedHarness) -> None:
    harness.agent.git("checkout", "--quiet", "--detach")
    harness.agent.commit("Detached", one="1")
    assert await harness.round() != [*LOOK, *IMPORT]

    harness.agent.commit("Work", two="2")

    assert await harness.round() == [*LOOK, *SCREEN, *IMPORT]


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
    git = counted(run.user)
    project = replace(run.project, git=replace(run.project.git, environment=git.environment))
    run.agent.git("config", "user.name", "Claude")

    assert await git.during(lambda: repair_clone(replace(run.clone, project=project))) == []

    assert run.agent.git("config", "user.name") == "Ada"
