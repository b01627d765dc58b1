"""The entries of a git tree, as git lists them."""

from dataclasses import dataclass

from treadle.workspace.git import Git

FILE_MODES = ("100644", "100755")
LINK_MODE = "120000"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a tree: its mode, its object and its path."""

    mode: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class ReadableTree:
    """A tree, by its name or that of its commit, and a git that can read it."""

    name: str
    git: Git

    async def entries(self) -> list[TreeEntry]:
        """All files, links and submodules."""
        listing = await self.git.run("ls-tree", "-r", "-z", "--full-tree", self.name)
        # Each is mode, kind, object, tab, path.
        entries = (entry.partition("\t") for entry in listing.split("\0") if entry)
        heads = ((head.split(" "), path) for head, _, path in entries)
        return [TreeEntry(mode, name, path) for (mode, _, name), path in heads]
