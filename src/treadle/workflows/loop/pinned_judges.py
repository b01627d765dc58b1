"""Reads from git what the pinned tree of a command depends on; `verify.pins.pin_plan` decides."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from treadle.domain.pin_plan import PinPlan
from treadle.verify.judges.tree_pair import Contents, TreePair
from treadle.verify.pins.pin_plan import content_paths, plan_pins
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import Git
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.tree_entries import FILE_MODES, LINK_MODE, ReadableTree, TreeEntry

# A larger file is not read, and nothing of it is merged.
LARGEST_FILE = 1 << 20
_MOST_BYTES_AT_ONCE = 16 << 20
# Scripts are followed to the scripts that they load; each round reads one level more.
_MOST_ROUNDS = 10
# Name, kind and size.
_HEADER_WORDS = 3


@dataclass(slots=True)
class PinnedJudges:
    """Plans pinned trees for the commands of a run. `git` is the user's repository."""

    git: Git
    # The project's setup command; its scripts are those of the base, too.
    setup: str = ""
    _pairs: dict[tuple[str, str], "_ReadPair"] = field(default_factory=dict)

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        """How the tree of `tip` is changed so that the judges of `base` judge it."""
        pair = await self._pair(base, tip)
        for _ in range(_MOST_ROUNDS):
            missing = await asyncio.to_thread(content_paths, command, pair.trees, self.setup)
            if not missing:
                break
            await pair.read(without_replacements(self.git), missing)
        return await asyncio.to_thread(plan_pins, command, pair.trees, self.setup)

    async def changed_paths(self, base: str, tip: str) -> tuple[str, ...]:
        """The files that the work changed or added."""
        changes = (await self._pair(base, tip)).trees.changes
        return tuple(change.path for change in changes if change.how != "removed")

    async def _pair(self, base: str, tip: str) -> "_ReadPair":
        if (base, tip) not in self._pairs:
            self._pairs[base, tip] = await _read_trees(without_replacements(self.git), base, tip)
        return self._pairs[base, tip]


@dataclass(slots=True)
class _ReadPair:
    """Two trees as far as they were read, and the objects of their files."""

    trees: TreePair
    base_objects: dict[str, str]
    work_objects: dict[str, str]

    async def read(self, git: Git, paths: Sequence[str]) -> None:
        names = {
            objects[path]
            for objects in (self.base_objects, self.work_objects)
            for path in paths
            if path in objects
        }
        blobs = await _read_blobs(git, sorted(names))
        base = {path: blobs.get(self.base_objects.get(path, "")) for path in paths}
        work = {path: blobs.get(self.work_objects.get(path, "")) for path in paths}
        self.trees = replace(
            self.trees,
            base_contents=_added(self.trees.base_contents, base, self.trees.base_paths),
            work_contents=_added(self.trees.work_contents, work, self.trees.work_paths),
        )


def _added(known: Contents, new: Contents, paths: frozenset[str]) -> Contents:
    return {**known, **{path: content for path, content in new.items() if path in paths}}


async def _read_trees(git: Git, base: str, tip: str) -> _ReadPair:
    before = await ReadableTree(base, git).entries()
    after = await ReadableTree(tip, git).entries()
    changes = await changed_files(git, base, tip)
    trees = TreePair(
        base,
        frozenset(entry.path for entry in before),
        frozenset(entry.path for entry in after),
        changes,
        links=frozenset(entry.path for entry in after if entry.mode not in FILE_MODES),
        base_links=await _read_links(git, before),
    )
    return _ReadPair(trees, _objects(before), _objects(after))


async def _read_links(git: Git, entries: Iterable[TreeEntry]) -> dict[str, str]:
    objects = {entry.path: entry.name for entry in entries if entry.mode == LINK_MODE}
    blobs = await _read_blobs(git, sorted(set(objects.values())))
    return {path: os.fsdecode(blobs[name]) for path, name in objects.items() if name in blobs}


def _objects(entries: Iterable[TreeEntry]) -> dict[str, str]:
    """The objects of files; links and submodules have no content of their own."""
    return {entry.path: entry.name for entry in entries if entry.mode in FILE_MODES}


async def _read_blobs(git: Git, names: Sequence[str]) -> dict[str, bytes]:
    """The contents of those objects that exist and are not too large."""
    blobs: dict[str, bytes] = {}
    for batch in _batches(await _sizes(git, names)):
        output = await git.run("cat-file", "--batch", stdin=_lines(batch))
        blobs.update(_parse_blobs(os.fsencode(output) + b"\n"))
    return blobs


async def _sizes(git: Git, names: Sequence[str]) -> dict[str, int]:
    if not names:
        return {}
    listing = await git.run("cat-file", "--batch-check", stdin=_lines(names))
    headers = (line.split() for line in listing.splitlines())
    # Of an object that this clone does not have, the line ends in `missing`.
    return {each[0]: int(each[2]) for each in headers if len(each) == _HEADER_WORDS}


def _batches(sizes: dict[str, int]) -> Iterator[list[str]]:
    batch: list[str] = []
    left = _MOST_BYTES_AT_ONCE
    for name, size in sizes.items():
        if size > LARGEST_FILE:
            continue
        if size > left:
            yield batch
            batch, left = [], _MOST_BYTES_AT_ONCE
        batch.append(name)
        left -= size
    if batch:
        yield batch


def _parse_blobs(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Each object after a line with its name, kind and size, and a line end behind it."""
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        name, _, size = output[position:end].split()
        position = end + 1 + int(size)
        yield name.decode(), output[end + 1 : position]
        position += 1


def _lines(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
