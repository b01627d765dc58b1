"""Files that a commit only refers to: those of submodules, and those kept by Git LFS.

What the user's checkout has of them is copied. Nothing is fetched.
"""

import asyncio
import os
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.alternates import common_git_dir
from treadle.workspace.disk_tree import PLAIN_INDEX, SUBMODULE_MODE
from treadle.workspace.git import Git
from treadle.workspace.included_files import place_files
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.project import Project, find_project
from treadle.workspace.secret_files import list_names
from treadle.workspace.temporary_folders import scratch_folder
from treadle.workspace.throwaway_git import make_throwaway_git
from treadle.workspace.tree_entries import FILE_MODES, ReadableTree, TreeEntry

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?"
    rb"oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>\d+)"
)
_LARGEST_POINTER = 1024
SUBMODULES_FILE = ".gitmodules"
_ATTRIBUTES = ".gitattributes"


@dataclass(frozen=True, slots=True)
class ExternalFiles:
    """The submodules and LFS files of a commit: those that the user's checkout has, and others."""

    submodules: tuple[str, ...] = ()
    missing_submodules: tuple[str, ...] = ()
    lfs_files: tuple[str, ...] = ()
    missing_lfs_files: tuple[str, ...] = ()


async def find_external_files(project: Project, commit: str) -> ExternalFiles:
    """What a commit refers to, for the user."""
    tree = ReadableTree(commit, without_replacements(project.git))
    entries = await tree.entries()
    found: list[str] = []
    missing: list[str] = []
    for entry in _submodules(entries):
        checked_out = await _find_submodule(project, entry) is not None
        (found if checked_out else missing).append(entry.path)
    lfs = await _find_lfs_files(project, tree, entries)
    return ExternalFiles(
        tuple(found),
        tuple(missing),
        tuple(path for path, stored in lfs.items() if stored is not None),
        tuple(path for path, stored in lfs.items() if stored is None),
    )


def external_notices(external: ExternalFiles) -> list[str]:
    """One sentence for each kind of file, with the remedy if it is missing."""
    notices = []
    if names := external.submodules:
        notices.append(
            f"submodules can be read and run ({list_names(names)});"
            " what an agent changes in them is not committed"
        )
    if names := external.missing_submodules:
        notices.append(
            f"submodules are empty in the run, because you have not checked them out"
            f" ({list_names(names)}): `git submodule update --init --recursive`, then start again"
        )
    if names := external.lfs_files:
        notices.append(
            f"files of Git LFS are pointers for the agent ({list_names(names)});"
            " checks and tests have their content"
        )
    if names := external.missing_lfs_files:
        notices.append(
            f"files of Git LFS are pointers in the run, because they are not downloaded"
            f" ({list_names(names)}): `git lfs pull`, then start again"
        )
    return notices


async def copy_submodules(project: Project, entries: Sequence[TreeEntry], work: Path) -> None:
    """Check out the submodules into a fresh checkout of a commit, and theirs in turn.

    They get no git directory, so git in `work` does not look into them.
    """
    for entry in _submodules(entries):
        submodule = await _find_submodule(project, entry)
        if submodule is not None:
            entries = await _check_out(submodule, entry.name, work / entry.path)
            await copy_submodules(submodule, entries, work / entry.path)


async def copy_lfs_files(
    project: Project, tree: ReadableTree, entries: Sequence[TreeEntry], work: Path
) -> None:
    """Replace the pointers in a checkout by the content that the user's repository has."""
    files = await _find_lfs_files(project, tree, entries)
    stored = {path: file for path, file in files.items() if file is not None}
    await asyncio.to_thread(place_files, stored, work)


def _submodules(entries: Sequence[TreeEntry]) -> list[TreeEntry]:
    """The submodules; a repository that the commit refers to without their list is none."""
    if not any(entry.path == SUBMODULES_FILE for entry in entries):
        return []
    return [entry for entry in entries if entry.mode == SUBMODULE_MODE]


async def _find_submodule(project: Project, entry: TreeEntry) -> Project | None:
    """The submodule's repository; None if it is not checked out or lacks the commit."""
    path = project.root / entry.path
    if path.resolve() != path or not (path / ".git").exists():
        return None
    submodule = await find_project(path, project.git.environment)
    return submodule if await submodule.git.commit_of(entry.name) else None


async def _check_out(project: Project, commit: str, work: Path) -> list[TreeEntry]:
    """Check out with a git that reads no user settings; returns the commit's entries."""
    with scratch_folder() as scratch:
        git = make_throwaway_git(project, commit, scratch / "git", work)
        indexed_git = git.with_index(scratch / "index")
        await indexed_git.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", commit)
        return await ReadableTree(commit, git).entries()


async def _find_lfs_files(
    project: Project, tree: ReadableTree, entries: Sequence[TreeEntry]
) -> dict[str, Path | None]:
    """The pointers of a tree by path, each with the file that has its content, if there is one.

    A repository without attributes has none, and then git is not asked.
    """
    if not any(entry.path.rpartition("/")[2] == _ATTRIBUTES for entry in entries):
        return {}
    attributes = f":(glob)**/{_ATTRIBUTES}"
    words = ("grep", "-q", "-e", "filter=lfs", tree.name, "--", attributes)
    if not (await tree.git.try_run(*words)).ok:
        return {}
    files = [entry for entry in entries if entry.mode in FILE_MODES]
    pointers = await read_pointers(tree.git, {entry.name for entry in files})
    storage = await _lfs_storage(project)
    return {
        entry.path: _stored(storage, *pointers[entry.name])
        for entry in files
        if entry.name in pointers
    }


async def read_pointers(git: Git, blobs: Set[str]) -> dict[str, tuple[str, int]]:
    """Those of the blobs that are pointers, each with the hash and the size of its content."""
    sizes = await git.run("cat-file", "--batch-check", stdin=_lines(blobs))
    small = [
        name
        for name, _, size in (line.split(" ") for line in sizes.split("\n"))
        if int(size) <= _LARGEST_POINTER
    ]
    output = await git.run("cat-file", "--batch", stdin=_lines(small)) if small else ""
    content, position = os.fsencode(output), 0
    pointers = {}
    while position < len(content):
        head, _, _ = content[position:].partition(b"\n")
        name, _, size = head.decode().split(" ")
        start = position + len(head) + 1
        position = start + int(size) + 1
        pointer = _POINTER.match(content[start : position - 1])
        if pointer is not None:
            pointers[name] = pointer["oid"].decode(), int(pointer["size"])
    return pointers


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


async def _lfs_storage(project: Project) -> Path:
    repository = common_git_dir(project.git_dir)
    configured = await project.git.try_run("config", "--path", "--get", "lfs.storage")
    return repository / configured.output if configured.ok else repository / "lfs"


def _stored(storage: Path, oid: str, size: int) -> Path | None:
    path = storage / "objects" / oid[:2] / oid[2:4] / oid
    try:
        return path if path.stat().st_size == size else None
    except OSError:
        return None
