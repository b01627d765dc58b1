"""Packs of an agent whose indexes name other objects than those at the offsets that they give."""

import hashlib
import shutil
from collections.abc import Callable
from typing import TypeAlias

from .real_git import Repository

_HASH = 20
_FANOUT = 256 * 4
_INDEX_HEADER = 8
_CHUNK_ENTRY = 12


Swap: TypeAlias = Callable[[Repository, str, str], None]


def swap_in_packs(agent: Repository, one: str, other: str) -> None:
    """Let the index of the pack give each of two objects for the other."""
    agent.git("repack", "-adbq")
    [index] = (agent.git_dir / "objects/pack").glob("*.idx")
    index.chmod(0o644)
    index.write_bytes(_swapped_index(index.read_bytes(), one, other))


def commit_evil(agent: Repository, path: str, text: str, swap: Swap = swap_in_packs) -> None:
    """Commit a change of `directory/name` that is only in the objects, not on disk, and hide it
    behind a twin of the directory as it was."""
    directory, _, name = path.partition("/")
    before = agent.git("rev-parse", f"HEAD:{path}")
    blob = _write_blob(agent, text)
    evil = _write_tree(agent, f"100644 {name}", blob)
    # Git reads this mode as 100644, so the twin looks unchanged but has another name.
    twin = _write_tree(agent, f"100664 {name}", before)
    tip = _commit_with(agent, directory, evil)
    keep = _commit_with(agent, directory, twin)
    agent.git("update-ref", "refs/heads/twin", keep)
    agent.git("update-ref", agent.git("symbolic-ref", "HEAD"), tip)
    swap(agent, evil, twin)


def commit_secret(agent: Repository, name: str, secret: str) -> None:
    """Commit a new file with a credential, and hide it behind a harmless one."""
    agent.commit("Harmless", **{name: "harmless text\n"})
    harmless = agent.git("rev-parse", f"HEAD:{name}")
    agent.git("update-ref", "refs/heads/twin", "HEAD")
    agent.git("reset", "--quiet", "--soft", "HEAD~1")
    agent.commit("Work", **{name: secret})
    swap_in_packs(agent, agent.git("rev-parse", f"HEAD:{name}"), harmless)


def swap_in_multi_pack_index(agent: Repository, one: str, other: str) -> None:
    """The index of the pack stays as it is: git asks the one of all packs first."""
    agent.git("repack", "-adq")
    agent.git("multi-pack-index", "write", "--bitmap")
    folder = agent.git_dir / "objects/pack"
    index = folder / "multi-pack-index"
    content = index.read_bytes()
    swapped = _swapped_multi_pack_index(content, one, other)
    index.chmod(0o644)
    index.write_bytes(swapped)
    for bitmap in folder.glob("multi-pack-index-*.bitmap"):
        bitmap.chmod(0o644)
        text = bitmap.read_bytes().replace(content[-_HASH:], swapped[-_HASH:])
        target = folder / f"multi-pack-index-{swapped[-_HASH:].hex()}.bitmap"
        target.write_bytes(_with_checksum(text[:-_HASH]))
        bitmap.unlink()
    for reverse in folder.glob("multi-pack-index-*.rev"):
        target = folder / f"multi-pack-index-{swapped[-_HASH:].hex()}.rev"
        shutil.move(reverse, target)


def _write_blob(agent: Repository, text: str) -> str:
    file = agent.write(".git/content", text)
    return agent.git("hash-object", "-w", "-t", "blob", "--no-filters", str(file))


def _write_tree(agent: Repository, head: str, blob: str) -> str:
    file = agent.path / ".git/content"
    file.write_bytes(head.encode() + b"\0" + bytes.fromhex(blob))
    return agent.git("hash-object", "-w", "-t", "tree", "--literally", str(file))


def _commit_with(agent: Repository, directory: str, tree: str) -> str:
    """A commit on top of HEAD with another tree in the place of a directory."""
    entries = agent.git("ls-tree", "HEAD").splitlines()
    kept = [line for line in entries if not line.endswith(f"\t{directory}")]
    listing = agent.write(".git/listing", "\n".join([*kept, f"040000 tree {tree}\t{directory}\n"]))
    root = agent.git("-c", f"alias.mk=!git mktree < '{listing}'", "mk")
    return agent.git("commit-tree", root, "-p", "HEAD", "-m", "Work")


def _swapped_index(content: bytes, one: str, other: str) -> bytes:
    count = int.from_bytes(content[_INDEX_HEADER + _FANOUT - 4 : _INDEX_HEADER + _FANOUT], "big")
    names = _INDEX_HEADER + _FANOUT
    checks = names + count * _HASH
    offsets = checks + count * 4
    positions = [_position(content[names:checks], each) for each in (one, other)]
    changed = bytearray(content)
    for table in (checks, offsets):
        _swap(changed, table, positions, 4)
    # The pack's checksum stays; the last one is of the index itself.
    return _with_checksum(bytes(changed[:-_HASH]))


def _swapped_multi_pack_index(content: bytes, one: str, other: str) -> bytes:
    chunks = {}
    for number in range(content[6]):
        at = 12 + number * _CHUNK_ENTRY
        chunks[content[at : at + 4]] = int.from_bytes(content[at + 4 : at + 12], "big")
    names, offsets = chunks[b"OIDL"], chunks[b"OOFF"]
    positions = [_position(content[names:offsets], each) for each in (one, other)]
    changed = bytearray(content)
    _swap(changed, offsets, positions, 8)
    return _with_checksum(bytes(changed[:-_HASH]))


def _position(names: bytes, name: str) -> int:
    at = names.index(bytes.fromhex(name))
    assert at % _HASH == 0
    return at // _HASH


def _swap(content: bytearray, table: int, positions: list[int], width: int) -> None:
    first, second = (table + position * width for position in positions)
    one, other = content[first : first + width], content[second : second + width]
    content[first : first + width], content[second : second + width] = other, one


def _with_checksum(content: bytes) -> bytes:
    return content + hashlib.sha1(content, usedforsecurity=False).digest()
