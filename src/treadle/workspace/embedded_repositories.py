"""Finds folders of a commit that git would take for a bare repository of its own.

In such a folder git obeys its `config`, which can name programs to run.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import PurePosixPath

from treadle.workspace.git import Git, argument_batches

# What git looks for, in lower case: some file systems do not tell the cases apart.
_PARTS = frozenset({"head", "config", "config.worktree", "commondir", "objects", "refs", "hooks"})


async def embedded_repositories(git: Git, commit: str, changed: Iterable[str]) -> frozenset[str]:
    """The folders with changes among their own files that git takes for a repository."""
    folders = sorted({folder for path in changed for folder in _possible_repositories(path)})
    names: defaultdict[str, set[str]] = defaultdict(set)
    for batch in argument_batches(f"{folder}/" for folder in folders):
        listing = await git.run(
            *("ls-tree", "-z", "--name-only", "--full-tree", commit, "--"), *batch
        )
        for path in filter(None, listing.split("\0")):
            found = PurePosixPath(path)
            names[str(found.parent)].add(found.name.lower())
    return _repositories(names)


def _possible_repositories(path: str) -> Iterator[str]:
    parts = PurePosixPath(path).parts
    for index, part in enumerate(parts):
        # At the top of the project, git finds `.git` first.
        if index and part.lower() in _PARTS:
            yield "/".join(parts[:index])


def _repositories(names: Mapping[str, Set[str]]) -> frozenset[str]:
    return frozenset(
        folder
        for folder, found in names.items()
        if "head" in found and ({"objects", "refs"} <= found or "commondir" in found)
    )
