"""Verifies that the objects of a commit match their hashes; git itself does not."""

import asyncio
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass

from treadle.workspace.git import Git
from treadle.workspace.project import Project

_SHA256_DIGITS = 64
_PIECE = 1 << 20
# Name, kind and size.
_HEADER_WORDS = 3
_SUBMODULE = b"160000"


@dataclass(frozen=True, slots=True)
class DamagedObject:
    """The first object that does not match its hash or cannot be read.

    `path` is empty for the commit and its root tree.
    """

    name: str
    path: str = ""


def without_replacements(git: Git) -> Git:
    """Git that ignores the replacements of `git replace`."""
    return git.with_variables(GIT_NO_REPLACE_OBJECTS="1")


async def find_damaged_object(project: Project, commit: str) -> DamagedObject | None:
    """Read the commit and all objects of its tree, and compute their hashes.

    The entries of a directory are read only after its own hash matches.
    """
    git = without_replacements(project.git)
    top = await git.try_run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    if not top.ok:
        return DamagedObject(commit)
    process = await asyncio.create_subprocess_exec(
        *git.command("cat-file", "--batch"),
        env={**git.environment, "LC_ALL": "C"},
        cwd="/",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        return await _find_first_damaged(process, {commit: "", top.output: ""})
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _find_first_damaged(
    process: asyncio.subprocess.Process, level: dict[str, str]
) -> DamagedObject | None:
    """Check level by level; `level` maps hashes of objects to their paths."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("pipes were asked for")
    seen = set(level)
    while level:
        request = asyncio.ensure_future(_request_objects(process.stdin, list(level)))
        next_level: dict[str, str] = {}
        try:
            for name, path in level.items():
                entries = await _read_object(process.stdout, name)
                if entries is None:
                    return DamagedObject(name, path)
                for entry_hash, entry_name in entries.items():
                    if entry_hash not in seen:
                        next_level[entry_hash] = f"{path}/{entry_name}" if path else entry_name
        finally:
            request.cancel()
        seen |= next_level.keys()
        level = next_level
    return None


async def _request_objects(stream: asyncio.StreamWriter, names: list[str]) -> None:
    stream.write("".join(f"{name}\n" for name in names).encode())
    # If git has exited, the reader finds the objects missing.
    with suppress(ConnectionError):
        await stream.drain()


async def _read_object(stream: asyncio.StreamReader, name: str) -> dict[str, str] | None:
    """The entries of the next object, empty unless it is a directory; None if it is damaged."""
    header = (await stream.readline()).split()
    if len(header) != _HEADER_WORDS or header[0].decode() != name:
        return None
    kind, left = header[1], int(header[2])
    hashed = hashlib.sha256() if len(name) == _SHA256_DIGITS else hashlib.sha1()  # noqa: S324
    hashed.update(b"%s %d\0" % (kind, left))
    content = bytearray()
    while left:
        piece = await stream.read(min(left, _PIECE))
        if not piece:
            return None
        hashed.update(piece)
        if kind == b"tree":
            content += piece
        left -= len(piece)
    await stream.read(1)  # a newline ends it
    if hashed.hexdigest() != name:
        return None
    return _tree_entries(bytes(content), len(name) // 2)


def _tree_entries(content: bytes, hash_bytes: int) -> dict[str, str]:
    """The hashes of a directory's entries with their file names, without submodules."""
    entries, offset = {}, 0
    while offset < len(content):
        end = content.index(b"\0", offset)
        mode, _, name = content[offset:end].partition(b" ")
        offset = end + 1 + hash_bytes
        if mode != _SUBMODULE:
            entries[content[end + 1 : offset].hex()] = os.fsdecode(name)
    return entries
