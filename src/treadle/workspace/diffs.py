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
    format_options = ("--stat=80",) if stat else ("--patch",)
    return await project.git.run("diff", *_PLAIN, *format_options, snapshot_commit, branch, "--")


# Git's status letters; any other letter (another mode or file type) is a change.
_CHANGE_KINDS: dict[str, FileChangeKind] = {"A": "added", "D": "removed"}


async def changed_files(git: Git, before: str, after: str) -> tuple[FileChange, ...]:
    """The files that differ; no external diff program of the project is started."""
    listing = await git.run(
        *("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff"),
        *("--ignore-submodules=none", before, after, "--"),
    )
    # Letters and paths alternate, each followed by a zero byte.
    fields = listing.split("\0")
    return tuple(
        FileChange(path, _CHANGE_KINDS.get(letter, "changed"))
        for letter, path in zip(fields[::2], fields[1::2], strict=False)
    )
