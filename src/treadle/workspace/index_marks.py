"""Clears the flags in git's index that make git skip files. Pure."""

import hashlib

_HEADER = 12
_TIMES_AND_RIGHTS = 40
_COMPRESSED = 4  # the version that stores each name as a difference to the one before

# Bits in the first of two flag bytes.
_ASSUMED_UNCHANGED = 0x80
_EXTENDED = 0x40
_SKIPPED = 0x40


def clear_marks(index: bytes, *, hash_bytes: int) -> bytes:
    """The same index with no file assumed unchanged or skipped.

    An index that cannot be parsed is returned unchanged; git will report what is wrong.
    """
    cleared = bytearray(index)
    try:
        changed = _clear_entries(cleared, hash_bytes)
    except (IndexError, ValueError):
        return index
    return _with_checksum(cleared, hash_bytes) if changed else index


def _clear_entries(index: bytearray, hash_bytes: int) -> bool:
    version = int.from_bytes(index[4:8], "big")
    offset, changed = _HEADER, False
    for _ in range(int.from_bytes(index[8:_HEADER], "big")):
        flags = offset + _TIMES_AND_RIGHTS + hash_bytes
        name = flags + 2
        if index[flags] & _EXTENDED:
            changed |= _clear(index, name, _SKIPPED)
            name += 2
        changed |= _clear(index, flags, _ASSUMED_UNCHANGED)
        offset = (
            _after_compressed(index, name)
            if version == _COMPRESSED
            else _after(index, offset, name)
        )
    return changed


def _clear(index: bytearray, offset: int, mark: int) -> bool:
    previous = index[offset]
    index[offset] = previous & ~mark
    return index[offset] != previous


def _after(index: bytearray, start: int, name: int) -> int:
    """The next entry: entries are padded with at least one zero to a multiple of eight bytes."""
    return start + ((index.index(0, name) - start) // 8 + 1) * 8


def _after_compressed(index: bytearray, name: int) -> int:
    while index[name] & 0x80:
        name += 1
    return index.index(0, name + 1) + 1


def _with_checksum(index: bytearray, hash_bytes: int) -> bytes:
    content, checksum = index[:-hash_bytes], index[-hash_bytes:]
    if not any(checksum):
        return bytes(index)  # index.skipHash is set
    algorithm = hashlib.sha256 if hash_bytes == hashlib.sha256().digest_size else hashlib.sha1
    return bytes(content) + algorithm(content, usedforsecurity=False).digest()
