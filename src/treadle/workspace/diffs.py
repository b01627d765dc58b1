"""Differences between two commits, as text or by file, read from the user's repository."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ChangedEntry:
    """A path that differs between two trees, with its mode and its object in the newer one; of a
    removed one these are zeros."""

    path: str
    change: FileChangeKind
    mode: str
    object: str


async def changed_entries(git: Git, before: str, after: str) -> tuple[ChangedEntry, ...]:
    """The files that differ; no external diff program of the project is started."""
    listing = await git.run(
        *("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff"),
        *("--ignore-submodules=none", before, after, "--"),
    )
    # Each is two modes, two objects and a letter; then its path. A zero byte follows both.
    fields = listing.split("\0")
    heads = (head.split(" ") for head in fields[:-1:2])
    return tuple(
        ChangedEntry(path, _CHANGE_KINDS.get(letter, "changed"), mode, name)
        for (_, mode, _, name, letter), path in zip(heads, fields[1::2], strict=True)
    )


async def changed_files(git: Git, before: str, after: str) -> tuple[FileChange, ...]:
    """The same without modes and objects."""
    entries = await changed_entries(git, before, after)
    return tuple(FileChange(entry.path, entry.change) for entry in entries)
