"""Finds the commits among linked objects, and never reads more than the limits allow."""

import asyncio
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from treadle.workspace.commit_authorship import LONGEST_COMMIT
from treadle.workspace.dropped_commits import CommitNode, parse_commit
from treadle.workspace.git import Git
from treadle.workspace.hostile_files import read_start
from treadle.workspace.object_links import PACKS
from treadle.workspace.output_pieces import OutputPieces, read_pieces

T = TypeVar("T")

MOST_PACKED = 200_000
# Of a compressed object, enough to see what kind it is.
_START = 64
_COMMIT = b"commit "


async def read_linked_commits(source: Git, objects: Path) -> list[CommitNode]:
    """The commits in an object directory of links, each with the content that its name says."""
    commits = await asyncio.to_thread(lambda: list(_loose_commits(objects)))
    for pack in linked_packs(objects):
        # Git writes its own index; the agent's is not linked. A damaged pack gets none.
        if (await source.try_run("index-pack", str(pack))).ok:
            commits += await _packed_commits(source, pack.with_suffix(".idx"))
    return commits


def linked_packs(objects: Path) -> list[Path]:
    return sorted((objects / PACKS).glob("*.pack"))


def _loose_commits(objects: Path) -> Iterator[CommitNode]:
    for folder in objects.iterdir():
        if folder.name in (PACKS, "info"):
            continue
        for path in folder.iterdir():
            if _inflate(read_start(path, _START) or b"", len(_COMMIT)) != _COMMIT:
                continue
            content = _inflate(read_start(path, LONGEST_COMMIT) or b"", LONGEST_COMMIT)
            if commit := parse_commit(folder.name + path.name, content):
                yield commit


def _inflate(data: bytes, most: int) -> bytes:
    """The beginning of a compressed text; empty if it is damaged."""
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return b""


async def _packed_commits(source: Git, index: Path) -> list[CommitNode]:
    """The commits of a pack. Git has computed their names, when it indexed the pack."""
    with index.open("rb") as file:
        names = await read_pieces(source, _read_names, ("show-index",), stdin=file.fileno())
    kinds = ("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer")
    commits = await _ask(source, names, _read_kinds, kinds)
    listing = ("rev-list", "--no-walk=unsorted", "--parents", "--timestamp", "--stdin")
    return await _ask(source, commits, _read_parents, listing) if commits else []


async def _ask(
    source: Git, names: Iterable[str], read: Callable[[OutputPieces], T], command: tuple[str, ...]
) -> T:
    with tempfile.TemporaryFile() as listed:
        listed.writelines(f"{name}\n".encode() for name in names)
        listed.seek(0)
        return await read_pieces(source, read, command, stdin=listed.fileno())


def _lines(pieces: OutputPieces) -> Iterator[str]:
    while (line := pieces.next_field(b"\n")) is not None:
        yield line.decode()


def _read_names(pieces: OutputPieces) -> list[str]:
    names: list[str] = []
    for line in _lines(pieces):
        if len(names) < MOST_PACKED:
            names.append(line.split(" ")[1])
    return names


def _read_kinds(pieces: OutputPieces) -> list[str]:
    return [line.split(" ")[0] for line in _lines(pieces) if line.endswith(" commit")]


def _read_parents(pieces: OutputPieces) -> list[CommitNode]:
    commits = []
    for line in _lines(pieces):
        time, name, *parents = line.split(" ")
        commits.append(CommitNode(name, tuple(parents), int(time)))
    return commits
