"""Merges commits without a checkout, also past the paths that a person may change during a run.

Those are Treadle's own folder and the folder of the specifications: no work contains them.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.workspace.disk_tree import PLAIN_INDEX, PRIVATE_FOLDER
from treadle.workspace.git import Git
from treadle.workspace.project import Project
from treadle.workspace.snapshot import commit_tree


def free_paths(specs: str) -> tuple[str, ...]:
    """The free paths of a project whose specifications are in this folder."""
    folder = specs.strip("/")
    return (PRIVATE_FOLDER, folder) if folder not in ("", ".") else (PRIVATE_FOLDER,)


async def differs_within(git: Git, one: str, other: str, paths: Sequence[str]) -> bool:
    """Whether two trees differ below one of these paths."""
    return await _differs(git, one, other, [f":(top,literal){path}" for path in paths])


async def differs_outside(git: Git, one: str, other: str, paths: Sequence[str]) -> bool:
    """Whether two trees differ anywhere else."""
    left_out = [f":(top,literal,exclude){path}" for path in paths]
    return one != other and await _differs(git, one, other, [":/", *left_out])


async def _differs(git: Git, one: str, other: str, pathspecs: list[str]) -> bool:
    return bool(await git.run("diff-tree", "-r", "--name-only", one, other, "--", *pathspecs))


async def with_paths_of(
    project: Project, commit: str, onto: str, paths: Sequence[str], author: CommitIdentity
) -> str:
    """A merge of both: these paths as in `onto`, all else as in `commit`. Nothing is merged by
    content, so no program of the user's runs and nothing can conflict."""
    if await project.git.is_ancestor(onto, commit):
        return commit
    pathspecs = [f":(top,literal){path}" for path in paths]
    with tempfile.TemporaryDirectory(prefix="treadle-index-") as scratch:
        git = project.git.with_index(Path(scratch) / "index")
        await git.run(*PLAIN_INDEX, "read-tree", commit)
        await git.run(*PLAIN_INDEX, "rm", "--cached", "-rqf", "--ignore-unmatch", "--", *pathspecs)
        listed = await git.run("ls-tree", "-r", "-z", "--full-tree", onto, "--", *paths)
        await git.run(
            *PLAIN_INDEX,
            "update-index",
            "-z",
            "--index-info",
            stdin=listed.encode(errors="surrogateescape"),
        )
        tree = await git.run(*PLAIN_INDEX, "write-tree")
    return await commit_tree(
        project.git,
        tree,
        parents=(onto, commit),
        message="Merge the work and the specifications",
        author=author,
    )


async def merge_cleanly(project: Project, ours: str, theirs: str) -> str | None:
    """The commit that has both; None if they conflict. The same commits give the same merge.

    `ours` is the first parent.
    """
    git = project.git
    if await git.is_ancestor(theirs, ours):
        return ours
    if await git.is_ancestor(ours, theirs):
        return theirs
    # Attributes of the work could name a program of the user's that merges files.
    if (await git.try_run("config", "--get-regexp", r"^merge\..*\.driver$")).ok:
        return None
    merged = await git.try_run("merge-tree", "--write-tree", "--no-messages", ours, theirs)
    if not merged.ok:
        return None
    name, email, date = (await git.run("log", "-1", "--format=%cn%n%ce%n%ct", theirs)).splitlines()
    dated = project.git.with_variables(GIT_AUTHOR_DATE=f"@{date} +0000").with_variables(
        GIT_COMMITTER_DATE=f"@{date} +0000"
    )
    return await commit_tree(
        dated,
        merged.output.splitlines()[0],
        parents=(ours, theirs),
        message="Merge the checkout and the work",
        author=CommitIdentity(name, email),
    )
