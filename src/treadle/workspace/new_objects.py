"""Reads the new objects of a round and the paths that its commits change, in pieces."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from treadle.policy.secret_search import SecretSearch
from treadle.workspace.commit_authorship import LONGEST_COMMIT, AuthorshipRules, attributed
from treadle.workspace.content_scan import ContentMatch, find_in_pieces, values_in_pieces
from treadle.workspace.disk_tree import SUBMODULE_MODE
from treadle.workspace.git import Git, GitFailed
from treadle.workspace.output_pieces import OutputPieces, read_pieces

# By the name of the object.
Findings: TypeAlias = dict[str, tuple[ContentMatch, ...]]

_RAW = (
    *("-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none"),
    *("--no-ext-diff", "--no-textconv", "--no-color"),
)
LOG = ("log", "-m", "--format=%H", "--no-notes", "--no-mailmap", "--no-show-signature", *_RAW)
DIFF = ("diff-tree", *_RAW)
# A tree that contains itself under many names, level by level, has more paths than any work. Each
# is judged, so very many would take hours.
MOST_PATHS = 1_000_000
MOST_PATH_BYTES = 64 << 20
# Name, kind and size.
_HEADER_WORDS = 3


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """One path that a commit changes; with a path of None, the commit itself."""

    path: str | None
    old: str = ""
    new: str = ""  # the object after the change; the name of the commit itself
    how: str = ""  # A, M, D or T, as git says
    mode: str = ""

    @property
    def is_added(self) -> bool:
        """Whether a file, link or repository of this kind was not there before."""
        return self.how in ("A", "T")

    @property
    def is_repository(self) -> bool:
        """Whether a nested repository was added, of which a commit has only the name."""
        return self.is_added and self.mode == SUBMODULE_MODE


def changed_paths(pieces: OutputPieces) -> Iterator[ChangedPath]:
    """Parse the output of LOG or DIFF."""
    count = size = 0
    while (field := pieces.next_field(b"\0")) is not None:
        head = field.lstrip(b"\n").decode()
        if not head.startswith(":"):
            yield ChangedPath(None, new=head)
            continue
        path = pieces.next_field(b"\0")
        count += 1
        size += len(path or b"")
        if path is None or count > MOST_PATHS or size > MOST_PATH_BYTES:
            raise GitFailed("the commits change more paths than any work has")
        _, mode, old, new, how = head.split(" ")
        yield ChangedPath(os.fsdecode(path), old, new, how, mode)


@dataclass(frozen=True, slots=True)
class NewObjects:
    """The credentials in new objects, whether a commit has another author than it should, and how
    many commits there are."""

    findings: Findings
    is_misattributed: bool
    commits: int = 0


async def search_new_objects(
    git: Git, search: SecretSearch, rules: AuthorshipRules, *revisions: str
) -> NewObjects:
    """Search the files, links and messages that only these revisions have.

    Each object is read once, whatever the number of its names.
    """

    def read(pieces: OutputPieces) -> NewObjects:
        findings: Findings = {}
        is_misattributed = False
        commits = 0
        for name, kind, size in _objects(pieces):
            content, beginning = pieces.next_bytes(size), bytearray()
            if kind == "tree":  # its names are judged as paths
                _skip(content)
                continue
            if kind == "commit":
                commits += 1
                content = _keep_beginning(content, beginning)
            if matches := find_in_pieces(content, search):
                findings[name] = matches
            if kind == "commit" and not is_misattributed:
                is_misattributed = attributed(bytes(beginning), rules, {}) != beginning
        return NewObjects(findings, is_misattributed, commits)

    listing = ("rev-list", "--objects", "--no-object-names", *revisions)
    return await read_pieces(git, read, listing, ("cat-file", "--batch", "--buffer"))


async def read_commits(git: Git, use: Callable[[str, bytes], None], *revisions: str) -> None:
    """Give each commit to `use`, by name and content, parents first."""

    def read(pieces: OutputPieces) -> None:
        for name, _, size in _objects(pieces):
            content = bytearray()
            _skip(_keep_beginning(pieces.next_bytes(size), content))
            use(name, bytes(content))

    listing = ("rev-list", "--topo-order", "--reverse", *revisions)
    await read_pieces(git, read, listing, ("cat-file", "--batch", "--buffer"))


async def find_known_values(
    git: Git, objects: Collection[str], values: Collection[str], longest: int
) -> set[str]:
    """Which of these values the objects contain."""

    def read(pieces: OutputPieces) -> set[str]:
        known: set[str] = set()
        for _, _, size in _objects(pieces):
            known |= values_in_pieces(pieces.next_bytes(size), values, longest)
        return known

    if not objects:
        return set()
    with tempfile.TemporaryFile() as names:
        names.writelines(f"{name}\n".encode() for name in objects)
        names.seek(0)
        return await read_pieces(
            git, read, ("cat-file", "--batch", "--buffer"), stdin=names.fileno()
        )


def _objects(pieces: OutputPieces) -> Iterator[tuple[str, str, int]]:
    """Name, kind and size of each object; the caller reads its content before the next one."""
    while (header := pieces.next_field(b"\n")) is not None:
        words = header.decode().split(" ")
        if len(words) != _HEADER_WORDS:
            continue  # the repository lacks it: a part of the user's history, or a submodule
        yield words[0], words[1], int(words[2])
        _skip(pieces.next_bytes(1))  # a newline ends it


def _keep_beginning(pieces: Iterable[bytes], beginning: bytearray) -> Iterator[bytes]:
    """The pieces; as much as a commit may have is added to `beginning`, and one byte more."""
    for piece in pieces:
        beginning += piece[: LONGEST_COMMIT + 1 - len(beginning)]
        yield piece


def _skip(pieces: Iterable[bytes]) -> None:
    for _ in pieces:
        pass
