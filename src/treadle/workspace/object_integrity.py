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
    """The first object that is not what its name says, or cannot be read; with its path, if it is
    not the commit or its whole tree."""

    name: str
    path: str = ""


def without_replacements(git: Git) -> Git:
    """Git that sees what commits really hold, whatever `git replace` was told."""
    return git.with_variables(GIT_NO_REPLACE_OBJECTS="1")


async def find_damaged_object(project: Project, commit: str) -> DamagedObject | None:
    """Reads the commit and all files and directories of its tree, and computes their names. What a
    directory lists is looked at only once the directory itself has proven right."""
    git = without_replacements(project.git)
    top = await git.try_run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    if not top.ok:
        return DamagedObject(commit)
    process = await asyncio.create_subprocess_exec(
        *("git", "-C", str(git.directory), *git.options, "cat-file", "--batch"),
        env={**git.environment, "LC_ALL": "C"},
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
    """`level` has the paths of objects by their names; what they list is the next one."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("pipes were asked for")
    seen = set(level)
    while level:
        asking = asyncio.ensure_future(_request_objects(process.stdin, list(level)))
        further: dict[str, str] = {}
        try:
            for name, path in level.items():
                listed = await _read_object(process.stdout, name)
                if listed is None:
                    return DamagedObject(name, path)
                for entry, inner in listed.items():
                    if entry not in seen:
                        further[entry] = f"{path}/{inner}" if path else inner
        finally:
            asking.cancel()
        seen |= further.keys()
        level = further
    return None


async def _request_objects(stream: asyncio.StreamWriter, names: list[str]) -> None:
    stream.write("".join(f"{name}\n" for name in names).encode())
    # Where it gave up, what it has not told of is found missing.
    with suppress(ConnectionError):
        await stream.drain()


async def _read_object(stream: asyncio.StreamReader, name: str) -> dict[str, str] | None:
    """What the next object lists, if it is a directory; None if it is not what its name says."""
    told = (await stream.readline()).split()
    if len(told) != _HEADER_WORDS or told[0].decode() != name:
        return None
    kind, left = told[1], int(told[2])
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


def _tree_entries(content: bytes, digest: int) -> dict[str, str]:
    """Names of objects in a directory, with the names that they have there; no submodules."""
    found, at = {}, 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        at = end + 1 + digest
        if mode != _SUBMODULE:
            found[content[end + 1 : at].hex()] = os.fsdecode(name)
    return found
