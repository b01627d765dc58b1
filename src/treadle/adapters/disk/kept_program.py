"""Keeps the file of a program for as long as a run needs it, because an update may remove it.

A hard link costs nothing. Where none can be made, because the file is on another disk or is not the
user's own, one copy in a store serves all runs, each by a link to it.
"""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

# What a program that is one file begins with: ELF, and the formats of macOS.
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_PIECE = 1 << 30


def is_native(program: Path) -> bool:
    """Whether the program is one file; a script needs an interpreter and other files."""
    try:
        with program.open("rb") as file:
            return file.read(4) in _NATIVE
    except OSError:
        return False


def keep_program(program: Path, kept: Path, store: Path) -> bool:
    """Put the file that the path leads to at `kept`; False if the disk does not take it."""
    try:
        source = program.resolve(strict=True)
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept.unlink(missing_ok=True)
        try:
            # A link shares the mode; one that others may write is no safe place to run from.
            os.link(source, kept)
        except OSError:
            _link_copy(source, kept, store)
    except OSError:
        return False
    return True


def remove_unused_programs(store: Path) -> None:
    """Remove the copies that no run has a link to."""
    with suppress(OSError):
        for copy in store.iterdir():
            if copy.stat().st_nlink == 1:
                copy.unlink()


def _link_copy(source: Path, kept: Path, store: Path) -> None:
    status = source.stat()
    name = f"{source.name}-{status.st_dev}-{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"
    with suppress(OSError):
        os.link(store / name, kept)
        return
    store.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Under a name of its own until it is whole: a process may be killed on the way.
    fresh = kept.with_name(f".{kept.name}.{secrets.token_hex(8)}")
    try:
        _copy(source, fresh)
        fresh.chmod(0o500)
        fresh.replace(kept)
    finally:
        fresh.unlink(missing_ok=True)
    # Where no link can be made at all, each run has a copy of its own.
    with suppress(OSError):
        os.link(kept, store / name)


def _copy(source: Path, copy: Path) -> None:
    """Copy the file; a file system that can share the blocks does."""
    with source.open("rb") as reader, copy.open("xb") as writer:
        try:
            while os.copy_file_range(reader.fileno(), writer.fileno(), _PIECE):
                pass
        except (AttributeError, OSError):  # not on this system, or not between these two
            reader.seek(0)
            writer.seek(0)
            writer.truncate()
            shutil.copyfileobj(reader, writer, 1 << 20)
