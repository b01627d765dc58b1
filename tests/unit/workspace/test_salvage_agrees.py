"""A direct commit and a salvage give the same result for any state of the clone."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.workspace.real_git import Repository, Run, repository_in, run_on
from treadle.workspace.agent_tree import agent_git, repair_clone
from treadle.workspace.commits import CommittedRound, commit_round
from treadle.workspace.salvage import salvage

pytestmark = pytest.mark.slow

Work = Callable[[Repository], object]


@dataclass(frozen=True)
class Ending:
    """All that an agent or a user could tell apart afterwards."""

    listing: str
    committed: bool
    aside: bool
    left_out: tuple[str, ...]
    remarks: tuple[str, ...]
    status: str


def ending(run: Run, rest: CommittedRound) -> Ending:
    return Ending(
        listing=run.agent.git("ls-tree", "-r", "--full-tree", rest.tip),
        committed=rest.commit is not None,
        aside=rest.aside is not None,
        left_out=rest.left_out,
        remarks=rest.remarks,
        status=run.agent.git("status", "--porcelain"),
    )


def staged(agent: Repository) -> None:
    agent.write("new", "1")
    agent.git("add", "--all")


def staged_and_changed_again(agent: Repository) -> None:
    staged(agent)
    agent.write("new", "2")


def staged_and_deleted(agent: Repository) -> None:
    staged(agent)
    (agent.path / "new").unlink()


def only_meant(agent: Repository) -> None:
    agent.write("new", "1")
    agent.git("add", "--intent-to-add", "new")


def taken_out_of_the_index(agent: Repository) -> None:
    agent.git("rm", "--quiet", "--cached", "kept.txt")


def moved(agent: Repository) -> None:
    (agent.path / "kept.txt").rename(agent.path / "elsewhere.txt")


def made_a_directory(agent: Repository) -> None:
    (agent.path / "kept.txt").unlink()
    agent.write("kept.txt/inside", "1")


def made_a_file(agent: Repository) -> None:
    agent.commit("A folder", **{"folder/inside": "1"})
    (agent.path / "folder/inside").unlink()
    (agent.path / "folder").rmdir()
    agent.write("folder", "1")


def made_a_link_to_a_directory(agent: Repository) -> None:
    agent.commit("A folder", **{"folder/inside": "1"})
    (agent.path / "folder").rename(agent.path / "real")
    (agent.path / "folder").symlink_to("real")


def made_a_pipe(agent: Repository) -> None:
    (agent.path / "kept.txt").unlink()
    os.mkfifo(agent.path / "kept.txt")


def made_executable(agent: Repository) -> None:
    (agent.path / "kept.txt").chmod(0o755)


def touched(agent: Repository) -> None:
    os.utime(agent.path / "kept.txt", (1, 1))


def oddly_named(agent: Repository) -> None:
    for name in ("two words", "a\nline", '"quoted"', "tab\there", os.fsdecode(b"\xff"), "-f"):
        agent.write(name)


def ignored(agent: Repository) -> None:
    agent.write(".gitignore", "*.log\n")
    agent.write("a.log")
    agent.write("forced.log")
    agent.git("add", "--force", "forced.log")


def nested_in(agent: Repository) -> Repository:
    """Its commits are the same in both clones."""
    same = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@b.example"), ("DATE", "1700000000 +0000"))
    }
    return Repository(agent.path / "nested", {**agent.environment, **same})


def a_nested_repository(agent: Repository) -> None:
    nested = nested_in(agent)
    nested.path.mkdir()
    nested.git("init", "--quiet")
    nested.commit("Inside", inside="1")


def a_nested_repository_staged(agent: Repository) -> None:
    a_nested_repository(agent)
    agent.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")


def a_nested_repository_that_went_on(agent: Repository) -> None:
    a_nested_repository_staged(agent)
    agent.git("commit", "--quiet", "-m", "Nested")
    nested_in(agent).commit("More", inside="2")


def private_files(agent: Repository) -> None:
    agent.write(".treadle/status.json")
    agent.write(".treadle-notes.md")


def private_files_staged(agent: Repository) -> None:
    private_files(agent)
    agent.git("add", "--force", ".treadle/status.json")


def a_stash(agent: Repository) -> None:
    agent.write("kept.txt", "stashed")
    agent.git("stash", "--quiet")


def a_conflict_of_a_stash(agent: Repository) -> None:
    a_stash(agent)
    agent.commit("Other", **{"kept.txt": "other"})
    with pytest.raises(AssertionError):
        agent.git("stash", "pop")


def encoded(agent: Repository) -> None:
    agent.write(".gitattributes", "*.txt text eol=crlf\n")
    (agent.path / "lines.txt").write_bytes(b"one\r\ntwo\r\n")


def assumed_unchanged(agent: Repository) -> None:
    agent.git("update-index", "--assume-unchanged", "kept.txt")
    agent.write("kept.txt", "hidden")
    agent.write("new")


def a_split_index(agent: Repository) -> None:
    agent.git("update-index", "--split-index", "--untracked-cache")
    agent.write("new")


WORKS: list[Work] = [
    *(staged, staged_and_changed_again, staged_and_deleted, only_meant, taken_out_of_the_index),
    *(moved, made_a_directory, made_a_file, made_a_link_to_a_directory, made_a_pipe),
    *(made_executable, touched, oddly_named, ignored, encoded, assumed_unchanged, a_split_index),
    *(a_nested_repository, a_nested_repository_staged, a_nested_repository_that_went_on),
    *(private_files, private_files_staged, a_stash, a_conflict_of_a_stash),
]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)
async def test_both_ways_end_the_same(work: Work, tmp_path: Path) -> None:
    runs = []
    for name in ("at-once", "closely"):
        (tmp_path / name).mkdir()
        run = await run_on(repository_in(tmp_path / name))
        work(run.agent)
        runs.append(run)
    at_once, closely = runs

    rest = await commit_round(at_once.clone, "Work")
    await repair_clone(closely.clone)
    salvaged = await salvage(agent_git(closely.clone), closely.clone, "Work")

    assert ending(at_once, rest) == ending(closely, salvaged)
