"""Git that the host runs in an agent's tree starts no program and leaves by no link."""

import os
import shutil
from pathlib import Path

import pytest

from treadle.workspace.agent_tree import agent_git, find_damage, repair_clone
from treadle.workspace.commits import commit_round
from treadle.workspace.disk import remove

from .real_git import BRANCH, Repository, Run, repository_in, run_on


def a_trap(tmp_path: Path) -> Path:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    return trap


@pytest.mark.parametrize(
    "planted", ["config", "commondir", "hooks", "filter", "nested", "worktree"]
)
async def test_programs_that_an_agent_planted_do_not_run(planted: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    trap = a_trap(tmp_path)
    match planted:
        case "config":
            run.agent.git("config", "core.fsmonitor", str(trap))
        case "commondir":
            other = Repository(tmp_path / "evil", run.agent.environment)
            shutil.copytree(run.clone.git_dir, other.path)
            with (other.path / "config").open("a") as config:
                config.write(f"[core]\n\tfsmonitor = {trap}\n")
            (run.clone.git_dir / "commondir").write_text(str(other.path))
        case "hooks":
            for name in ("reference-transaction", "post-index-change", "pre-commit"):
                shutil.copy(trap, run.clone.git_dir / "hooks" / name)
        case "filter":
            run.agent.git("config", "filter.evil.clean", str(trap))
            run.agent.write(".gitattributes", "* filter=evil\n")
        case "nested":
            nested = Repository(run.clone.path / "nested", run.agent.environment)
            nested.path.mkdir()
            nested.git("init", "--quiet")
            nested.git("-c", "user.name=a", "-c", "user.email=b", "commit", "-qm1", "--allow-empty")
            run.agent.git("add", "nested")
            nested.git("config", "core.fsmonitor", str(trap))
        case _:
            run.agent.git("config", "extensions.worktreeConfig", "true")
            run.agent.git("config", "--worktree", "core.fsmonitor", str(trap))
    (tmp_path / "sprung").unlink(missing_ok=True)
    run.agent.write("new")

    rest = await commit_round(run.clone, "Work")

    assert rest.commit is not None
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "part", [".git", ".git/HEAD", ".git/refs", ".git/refs/heads", ".git/config"]
)
async def test_links_out_of_the_git_directory_are_not_followed(part: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    work = run.agent.write("new", "work")
    before = run.user.state()
    inside = run.clone.path / part
    inside.rename(tmp_path / "original")
    inside.symlink_to(run.user.path / part)

    rest = await commit_round(run.clone, "Work")

    assert run.user.state() == before
    assert run.agent.tree(rest.tip)["new"] == work.read_text()


@pytest.mark.parametrize(
    "part",
    [
        *("HEAD", "index", "packed-refs"),
        *("objects/info/packs", "objects/info/commit-graph", "objects/pack/pack-1.idx"),
        "objects/ab/cdef",
    ],
)
async def test_a_pipe_in_the_git_directory_is_not_waited_for(part: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "work")
    (run.clone.git_dir / part).unlink(missing_ok=True)
    (run.clone.git_dir / part).parent.mkdir(exist_ok=True)
    os.mkfifo(run.clone.git_dir / part)

    rest = await commit_round(run.clone, "Work")

    assert run.agent.tree(rest.tip)["new"] == "work"
    assert rest.remarks == (
        f"The workspace got a fresh git directory, because its .git/{part} is a pipe.",
    )


async def test_a_graph_that_repeats_what_commits_say_is_not_believed(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "work")
    first = (await commit_round(run.clone, "Work")).tip
    run.agent.git("commit-graph", "write", "--reachable")
    graph = run.clone.git_dir / "objects/info/commit-graph"
    graph.chmod(0o600)
    old, real = (
        bytes.fromhex(run.agent.git("rev-parse", f"{c}^{{tree}}")) for c in ("HEAD~1", "HEAD")
    )
    graph.write_bytes(graph.read_bytes().replace(real, old))

    rest = await commit_round(run.clone, "Nothing more")

    assert (rest.tip, run.agent.tree(rest.tip)["new"]) == (first, "work")
    assert not graph.exists()


@pytest.mark.parametrize(
    "name",
    [
        *(".gitignore", ".gitattributes", ".gitmodules", "app/.gitignore", "app/.gitattributes"),
        "app/.git/HEAD",
    ],
)
@pytest.mark.parametrize("linked", ["linked", "itself"])
async def test_a_pipe_that_git_would_read_among_the_files_is_taken_out(
    name: str, linked: str, tmp_path: Path
) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new", "work")
    run.agent.write("app/main.py", "work")
    pipe = run.clone.path / name
    pipe.parent.mkdir(exist_ok=True)
    for part in ("objects", "refs") if pipe.name == "HEAD" else ():
        (pipe.parent / part).mkdir()
    if linked == "linked":
        os.mkfifo(tmp_path / "pipe")
        pipe.symlink_to(tmp_path / "pipe")
    else:
        os.mkfifo(pipe)

    rest = await commit_round(run.clone, "Work")

    assert run.agent.tree(rest.tip)["new"] == "work"
    assert rest.remarks == (
        f"{name} was taken out of the workspace: it is a pipe, and git would wait.",
    )
    assert (run.clone.path.with_name("tree.damaged-1") / "1").is_fifo()


async def test_of_very_many_pipes_some_are_kept_in_one_folder(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    for number in range(3_000):
        folder = run.clone.path / str(number)
        folder.mkdir()
        os.mkfifo(folder / ".gitignore")

    rest = await commit_round(run.clone, "Work")

    kept = run.clone.path.with_name("tree.damaged-1")
    beside = [path.name for path in kept.parent.iterdir() if "damaged" in path.name]
    assert (beside, len(list(kept.iterdir()))) == (["tree.damaged-1"], 20)
    (remark,) = rest.remarks
    assert remark.endswith(
        " and 2980 more were taken out of the workspace: they are pipes, and git would wait."
    )


@pytest.mark.parametrize("part", ["config", "info/exclude", "hooks", "shallow"])
async def test_anything_in_place_of_our_own_parts_is_replaced(part: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    before = files_in(run.clone.git_dir)
    remove(run.clone.git_dir / part)
    (run.clone.git_dir / part / "inside").mkdir(parents=True)

    await repair_clone(run.clone)

    assert files_in(run.clone.git_dir) == before


def files_in(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()
    }


async def test_a_git_file_that_points_to_the_users_repository_is_replaced(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write("new")
    before = run.user.state()
    run.clone.git_dir.rename(tmp_path / "original")
    run.clone.git_dir.write_text(f"gitdir: {run.user.git_dir}\n")

    rest = await commit_round(run.clone, "Work")

    assert run.user.state() == before
    assert rest.remarks == (
        "The workspace got a fresh git directory, because its .git is not a directory.",
    )
    moved = run.clone.path.with_name("tree.damaged-1")
    assert moved.read_text() == f"gitdir: {run.user.git_dir}\n"


async def test_a_deleted_git_directory_costs_no_files(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.commit("Unimported", committed="1")
    run.agent.write("uncommitted", "2")
    shutil.rmtree(run.clone.git_dir)

    rest = await commit_round(run.clone, "Work")

    tree = run.agent.tree(rest.tip)
    assert (tree["committed"], tree["uncommitted"]) == ("1", "2")
    assert rest.remarks == ("The workspace got a fresh git directory, because its .git is gone.",)


async def test_a_deleted_workspace_is_rebuilt_and_no_file_counts_as_deleted(
    tmp_path: Path,
) -> None:
    run = await run_on(repository_in(tmp_path))
    shutil.rmtree(run.clone.path)

    rest = await commit_round(run.clone, "Work")

    assert (rest.tip, rest.commit) == (run.snapshot.commit, None)
    assert (run.clone.path / "kept.txt").read_text() == "kept\n"


async def test_a_clone_inside_another_repository_is_never_mistaken_for_it(tmp_path: Path) -> None:
    outer = Repository(tmp_path, repository_in(tmp_path).environment)
    outer.git("init", "--quiet")
    run = await run_on(Repository(tmp_path / "project", outer.environment))
    shutil.rmtree(run.clone.git_dir)

    await repair_clone(run.clone)

    assert await agent_git(run.clone).run("rev-parse", "--absolute-git-dir") == str(
        run.clone.git_dir
    )


@pytest.mark.parametrize("broken", ["", "garbage", "ref: nowhere"])
async def test_a_broken_head_is_repaired(broken: str, tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    (run.clone.git_dir / "HEAD").write_text(broken)

    await repair_clone(run.clone)

    assert run.agent.git("symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"


async def test_locks_of_ended_processes_are_removed(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    locks = ["index.lock", "HEAD.lock", f"refs/heads/{BRANCH}.lock"]
    for name in locks:
        (run.clone.git_dir / name).touch()

    await repair_clone(run.clone)

    assert not [name for name in locks if (run.clone.git_dir / name).exists()]


async def test_the_agents_own_name_for_itself_does_not_last(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.git("config", "user.name", "Claude")

    await repair_clone(run.clone)

    assert run.agent.git("config", "user.name") == "Ada"


async def test_a_sound_git_directory_is_not_damaged(tmp_path: Path) -> None:
    run: Run = await run_on(repository_in(tmp_path))
    run.agent.commit(new="1")
    run.agent.git("gc", "--quiet")

    assert find_damage(run.clone.git_dir) is None


PARTS = ("config", "info/exclude", "objects/info/alternates", "hooks", "hooks/commit-msg")


async def test_what_is_in_order_is_not_written_again(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    before = [(run.clone.git_dir / part).stat() for part in PARTS]
    run.agent.commit(new="1")

    await repair_clone(run.clone)

    after = [(run.clone.git_dir / part).stat() for part in PARTS]
    assert [seen.st_ino for seen in after] == [seen.st_ino for seen in before]


@pytest.mark.parametrize(("part", "mode"), [("hooks/commit-msg", 0o644), ("config", 0o666)])
async def test_rights_that_an_agent_changed_do_not_last(
    part: str, mode: int, tmp_path: Path
) -> None:
    run = await run_on(repository_in(tmp_path))
    file = run.clone.git_dir / part
    before = file.stat().st_mode
    file.chmod(mode)

    await repair_clone(run.clone)

    assert file.stat().st_mode == before


async def test_a_file_of_ours_gets_no_second_name(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    config = run.clone.git_dir / "config"
    (tmp_path / "elsewhere").hardlink_to(config)

    await repair_clone(run.clone)

    assert config.stat().st_nlink == 1
    assert config.read_bytes() == (tmp_path / "elsewhere").read_bytes()


async def test_a_directory_that_may_not_be_listed_is_no_damage(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    closed = run.clone.git_dir / "objects/closed"
    closed.mkdir(mode=0)

    assert find_damage(run.clone.git_dir) is None
