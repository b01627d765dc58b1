"""Differences between two commits, as text or by file, read from the user's repository."""

from treadle.domain.check import FileChange, FileChangeKind
from treadle.domain.errors import ProjectError
from treadle.workspace.git import Git
from treadle.workspace.project import Project

# A project may name programs that render its diffs; none is started here.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames")


async def diff_text(
    project: Project, snapshot_commit: str, branch: str, *, stat: bool = False
) -> str:
    """The patch from the snapshot to the run's branch, or with `stat` its summary by file."""
    for name in (snapshot_commit, branch):
        if await project.git.commit_of(name) is None:
            raise ProjectError(
                f"{name} is not in this repository (any more)",
                hint="see the run's branches with `git branch --list 'treadle/*'`, its backups "
                "with `git for-each-ref refs/treadle`",
            )
    form = ("--stat=80",) if stat else ("--patch",)
    return await project.git.run("diff", *_PLAIN, *form, snapshot_commit, branch, "--")


# What git calls it; all else (another mode or kind, such as a link) is a change.
_HOW: dict[str, FileChangeKind] = {"A": "added", "D": "removed"}


async def changed_files(git: Git, before: str, after: str) -> tuple[FileChange, ...]:
    """By their content alone: nothing that the project names for its diffs is started."""
    told = await git.run(
        *("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff"),
        *("--ignore-submodules=none", before, after, "--"),
    )
    # Letter and path take turns, each with a zero byte behind it.
    fields = told.split("\0")
    return tuple(
        FileChange(path, _HOW.get(letter, "changed"))
        for letter, path in zip(fields[::2], fields[1::2], strict=False)
    )
