"""Clears the flags in git's index that make git skip files. Pure."""

import hashlib

_HEADER = 12
_TIMES_AND_RIGHTS = 40
_COMPRESSED = 4  # the version whose names are told by how they differ from the one before

# In the first of two bytes each.
_ASSUMED_UNCHANGED = 0x80
_EXTENDED = 0x40
_SKIPPED = 0x40


def clear_marks(index: bytes, *, hash_bytes: int) -> bytes:
    """The same index with no file assumed unchanged or skipped.

    One that cannot be read is given back as it is: git will say what is wrong with it.
    """
    marked = bytearray(index)
    try:
        changed = _clear_entries(marked, hash_bytes)
    except (IndexError, ValueError):
        return index
    return _with_checksum(marked, hash_bytes) if changed else index


def _clear_entries(index: bytearray, hash_bytes: int) -> bool:
    version = int.from_bytes(index[4:8], "big")
    at, changed = _HEADER, False
    for _ in range(int.from_bytes(index[8:_HEADER], "big")):
        flags = at + _TIMES_AND_RIGHTS + hash_bytes
        name = flags + 2
        if index[flags] & _EXTENDED:
            changed |= _clear(index, name, _SKIPPED)
            name += 2
        changed |= _clear(index, flags, _ASSUMED_UNCHANGED)
        at = _after_compressed(index, name) if version == _COMPRESSED else _after(index, at, name)
    return changed


def _clear(index: bytearray, at: int, mark: int) -> bool:
    was = index[at]
    index[at] = was & ~mark
    return index[at] != was


def _after(index: bytearray, start: int, name: int) -> int:
    """Entries are filled up with zeros, one at least, to a multiple of eight bytes."""
    return start + ((index.index(0, name) - start) // 8 + 1) * 8


def _after_compressed(index: bytearray, name: int) -> int:
    while index[name] & 0x80:
        name += 1
    return index.index(0, name + 1) + 1


def _with_checksum(index: bytearray, hash_bytes: int) -> bytes:
    text, sum_of_it = index[:-hash_bytes], index[-hash_bytes:]
    if not any(sum_of_it):
        return bytes(index)  # git was told to do without
    algorithm = hashlib.sha256 if hash_bytes == hashlib.sha256().digest_size else hashlib.sha1
    return bytes(text) + algorithm(text, usedforsecurity=False).digest()
