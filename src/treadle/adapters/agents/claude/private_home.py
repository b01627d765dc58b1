"""Reads and writes files in an agent's private home, and follows no links there.

Between sessions nobody writes in it but the host, so what was looked at stays as it was.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

KEPT_NAMES = ("projects",)
SETTINGS_FILE = ".claude.json"
# What Claude Code notes at every first start, rewriting the file for each; written already, it
# starts some 20 ms sooner. Whatever else it wants to know it still finds out.
FIRST_START_SETTINGS = {
    "opusProMigrationComplete": True,
    "seenNotifications": {},
    "hasResetAutoModeOptInForDefaultOffer": True,
    "migrationVersion": 15,
}
OPEN_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(home: Path, *names: str) -> None:
    """A real directory under that name; whatever else lies there is removed."""
    with _open_folder(home, names):
        pass


def remove_file(home: Path, name: str) -> None:
    """Remove what lies there, if anything does."""
    with _open_folder(home, ()) as folder:
        _remove(name, folder)


def reset_settings(home: Path, further: Mapping[str, Any] | None = None) -> None:
    """Remove what the agent would be told by its own files: an earlier session, or a setup command,
    may have written there, and some of it (variables, for one) is obeyed without asking. In its
    place it finds what it notes at a first start anyway, and what is given further.

    Transcripts stay: without them no session can be gone on with.
    """
    with _open_folder(home, ()) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(SETTINGS_FILE)]:
            _remove(name, folder)
        _write(SETTINGS_FILE, folder, json.dumps({**FIRST_START_SETTINGS, **(further or {})}))
    with _open_folder(home, (".claude",)) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name not in KEPT_NAMES]:
            _remove(name, folder)
    _restore_transcript_rights(home)


def has_transcript(home: Path, file: str) -> bool:
    """Whether a project that the agent keeps has a file of this name with something in it."""
    _restore_transcript_rights(home)
    kept = (".claude", "projects")
    with suppress(OSError), _open_existing(home, kept) as projects, os.scandir(projects) as entries:
        return any(_has_content(projects, entry.name, file) for entry in entries)
    return False


def _has_content(projects: int, name: str, file: str) -> bool:
    with suppress(OSError):
        folder = os.open(name, OPEN_FOLDER_FLAGS, dir_fd=projects)
        try:
            found = os.stat(file, dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)
        return stat.S_ISREG(found.st_mode) and found.st_size > 0
    return False


def _restore_transcript_rights(home: Path) -> None:
    """Give the owner's rights back to them, and to what they lie in."""
    with suppress(OSError):
        _restore_rights(str(home))
        with _open_existing(home, ()) as folder:
            _restore_rights(".claude", folder)
        with _open_existing(home, (".claude",)) as folder:
            _restore_rights("projects", folder)
    for project in _list_with_rights(home, ".claude", "projects"):
        _list_with_rights(home, ".claude", "projects", project)


def _list_with_rights(home: Path, *names: str) -> list[str]:
    """What is in a directory, each with its owner's rights; nothing if that cannot be told."""
    with suppress(OSError), _open_existing(home, names) as folder, os.scandir(folder) as entries:
        found = [entry.name for entry in entries]
        for name in found:
            _restore_rights(name, folder)
        return found
    return []


@contextmanager
def _open_existing(home: Path, names: Sequence[str]) -> Iterator[int]:
    folder = os.open(home, OPEN_FOLDER_FLAGS)
    try:
        for name in names:
            above, folder = folder, os.open(name, OPEN_FOLDER_FLAGS, dir_fd=folder)
            os.close(above)
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _open_folder(home: Path, names: Sequence[str]) -> Iterator[int]:
    home.mkdir(parents=True, exist_ok=True)
    _restore_rights(str(home))
    folder = os.open(home, OPEN_FOLDER_FLAGS)
    try:
        for name in names:
            above, folder = folder, _open_or_make(name, folder)
            os.close(above)
        yield folder
    finally:
        os.close(folder)


def _open_or_make(name: str, above: int) -> int:
    try:
        _restore_rights(name, above)
        return os.open(name, OPEN_FOLDER_FLAGS, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):  # the second: a file, or a link to anything
        _remove(name, above)
    os.mkdir(name, dir_fd=above)
    return os.open(name, OPEN_FOLDER_FLAGS, dir_fd=above)


def _write(name: str, folder: int, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "w") as file:
        file.write(text)


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        _remove_tree(name, folder)


def _remove_tree(name: str, folder: int) -> None:
    """A directory, however deep: what is found in it is moved up first, so that nothing here calls
    itself or holds more than one of them open."""
    mark, moved, unseen = f".discarded-{secrets.token_hex(8)}", 0, [name]
    while unseen:
        one = unseen.pop()
        _restore_rights(one, folder)
        inner = os.open(one, OPEN_FOLDER_FLAGS, dir_fd=folder)
        try:
            with os.scandir(inner) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            for each, is_folder in found:
                if not is_folder:
                    os.unlink(each, dir_fd=inner)
                    continue
                fresh, moved = f"{mark}-{moved}", moved + 1
                _restore_rights(each, inner)
                os.rename(each, fresh, src_dir_fd=inner, dst_dir_fd=folder)
                unseen.append(fresh)
        finally:
            os.close(inner)
        os.rmdir(one, dir_fd=folder)


def _restore_rights(name: str, folder: int | None = None) -> None:
    """Give its owner's rights back to a file or a directory; to nothing else."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISDIR(found):
        needed = stat.S_IRWXU
    elif stat.S_ISREG(found):
        needed = stat.S_IRUSR | stat.S_IWUSR
    else:
        return
    if found & needed != needed:
        os.chmod(name, stat.S_IMODE(found) | needed, dir_fd=folder)
