"""What bringing a round home costs, told by the git commands that it starts."""

import shlex
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.builders import MemoryLog
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
class Stage:
    git: Counted
    worksite: RunWorkspace
    agent: Repository
    user: Repository
    events: list[Event]

    async def round(self) -> list[str]:
        started = await self.git.during(lambda: self.worksite.commit_and_import("Round"))
        return [*sorted(started[: len(LOOK)]), *started[len(LOOK) :]]


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    user = repository_in(tmp_path)
    git = counted(user)
    events: list[Event] = []
    site = WorkspaceSpec(
        project=await find_project(user.path, git.environment),
        run=RUN,
        identity=ADA,
        directory=tmp_path / "run",
        attribution="removed",
        form="commits",
        log=MemoryLog(events),
    )
    worksite = await make_workspace(site, specification="# Work", spec="kept.txt")
    agent = Repository(worksite.path, {**user.environment, "HOME": str(tmp_path / "run")})
    return Stage(git, worksite, agent, user, events)


async def test_all_committed(stage: Stage) -> None:
    for number in (1, 2):
        stage.agent.commit(f"Work {number}", one=str(number))
        assert await stage.round() == [*LOOK, *SCREEN, *IMPORT]

    assert stage.user.refs("refs/heads/treadle").popitem()[1] == stage.agent.head


async def test_files_left(stage: Stage) -> None:
    stage.agent.write("one", "1")
    assert await stage.round() == [*LOOK, *COMMIT, *IMPORT]

    assert stage.user.refs("refs/heads/treadle").popitem()[1] == stage.agent.head
    assert stage.agent.git("status", "--porcelain") == ""


async def test_files_left_on_top_of_what_is_home_need_no_second_look(stage: Stage) -> None:
    stage.agent.write("one", "1")
    await stage.round()
    first = stage.worksite.imported
    assert first is not None

    stage.agent.write("one", "2")

    assert await stage.round() == [*LOOK, *COMMIT, "fetch"]
    head = stage.agent.head
    assert stage.worksite.imported == replace(first, commit=head, commits=2)
    assert stage.user.refs("refs/heads/treadle").popitem()[1] == head
    assert stage.events[-1] == WorkImported(first.branch, head, 2)


async def test_files_left_on_top_of_commits_that_are_not_home(stage: Stage) -> None:
    stage.agent.write("one", "1")
    await stage.round()
    stage.agent.commit("Work", two="2")
    stage.agent.write("one", "2")

    assert await stage.round() == [*LOOK, *COMMIT, *SCREEN, *IMPORT]

    assert stage.events[-1] == WorkImported(_branch(stage), stage.agent.head, 3)


async def test_what_the_agent_staged_is_looked_into(stage: Stage) -> None:
    stage.agent.write("one", "1")
    await stage.round()
    nested = Repository(stage.agent.path / "nested", stage.user.environment)
    nested.path.mkdir()
    nested.git("init", "--quiet")
    nested.commit("Inside", inside="1")
    stage.agent.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")

    assert await stage.round() == [*LOOK, *COMMIT[1:], *SCREEN, *IMPORT]

    assert stage.events[-2:] == [
        WorkImported(_branch(stage), stage.agent.head, 2),
        RunWarned("nested repositories are not part of the work: nested/"),
    ]


def _branch(stage: Stage) -> str:
    assert stage.worksite.imported is not None
    return stage.worksite.imported.branch


async def test_files_left_and_others_deleted(stage: Stage) -> None:
    stage.agent.write("one", "1")
    (stage.agent.path / "kept.txt").unlink()

    assert await stage.round() == [
        *LOOK,
        *("update-index", *COMMIT),
        *IMPORT,
    ]


async def test_nothing_changed_since_the_last_round(stage: Stage) -> None:
    stage.agent.commit("Work", one="1")
    await stage.round()
    imported, recorded = stage.worksite.imported, list(stage.events)

    assert await stage.round() == LOOK

    assert (stage.worksite.imported, stage.events) == (imported, recorded)


async def test_nothing_changed_ever(stage: Stage) -> None:
    first = await stage.round()

    assert first == [*LOOK, "fetch", "worktree", "rev-parse", "update-ref"]
    assert await stage.round() == LOOK
    assert stage.worksite.imported is None


async def test_an_unusual_round_makes_the_next_no_dearer(stage: Stage) -> None:
    stage.agent.git("checkout", "--quiet", "--detach")
    stage.agent.commit("Detached", one="1")
    assert await stage.round() != [*LOOK, *IMPORT]

    stage.agent.commit("Work", two="2")

    assert await stage.round() == [*LOOK, *SCREEN, *IMPORT]


async def test_what_is_kept_aside_comes_home_although_the_branch_stayed(stage: Stage) -> None:
    stage.agent.commit("Work", one="1")
    await stage.round()
    stage.agent.git("checkout", "--quiet", "HEAD~1")
    stage.agent.write("one", "other")

    await stage.round()

    [aside] = stage.user.refs("refs/treadle/aside").values()
    assert stage.user.tree(aside)["one"] == "other"


async def test_mending_starts_no_process(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    git = counted(run.user)
    project = replace(run.project, git=replace(run.project.git, environment=git.environment))
    run.agent.git("config", "user.name", "Claude")

    assert await git.during(lambda: repair_clone(replace(run.clone, project=project))) == []

    assert run.agent.git("config", "user.name") == "Ada"
