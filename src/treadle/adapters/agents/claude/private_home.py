"""Reading and writing in the home of an agent, which may have left links there: none is followed.

Between sessions nobody writes in it but the host, so what was looked at stays as it was.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

KEPT = ("projects", ".credentials.json")
SETTINGS = ".claude.json"
# What Claude Code notes at every first start, rewriting the file for each; written already, it
# starts some 20 ms sooner. Whatever else it wants to know it still finds out.
NOTED = {
    "opusProMigrationComplete": True,
    "seenNotifications": {},
    "hasResetAutoModeOptInForDefaultOffer": True,
    "migrationVersion": 15,
}
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(home: Path, *names: str) -> None:
    """A real directory under that name; whatever else lies there is removed."""
    with _folder(home, names):
        pass


def put_link(home: Path, *names: str, target: Path) -> None:
    """A link to `target`, in place of whatever lies there."""
    *above, last = names
    with _folder(home, above) as folder:
        _remove(last, folder)
        os.symlink(target, last, dir_fd=folder)


def remove_file(home: Path, name: str) -> None:
    """Remove what lies there, if anything does."""
    with _folder(home, ()) as folder:
        _remove(name, folder)


def forget_settings(home: Path) -> None:
    """Remove what the agent would be told by its own files: an earlier session, or a setup command,
    may have written there, and some of it (variables, for one) is obeyed without asking. In its
    place it finds what it notes at a first start anyway.

    Transcripts stay: without them no session can be gone on with. So does the login that was lent.
    """
    with _folder(home, ()) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(SETTINGS)]:
            _remove(name, folder)
        _write(SETTINGS, folder, json.dumps(NOTED))
    with _folder(home, (".claude",)) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name not in KEPT]:
            _remove(name, folder)
    _open_transcripts(home)


def has_transcript(home: Path, file: str) -> bool:
    """Whether a project that the agent keeps has a file of this name with something in it."""
    _open_transcripts(home)
    kept = (".claude", "projects")
    with suppress(OSError), _existing(home, kept) as projects, os.scandir(projects) as entries:
        return any(_has_content(projects, entry.name, file) for entry in entries)
    return False


def _has_content(projects: int, name: str, file: str) -> bool:
    with suppress(OSError):
        folder = os.open(name, FOLDER, dir_fd=projects)
        try:
            found = os.stat(file, dir_fd=folder, follow_symlinks=False)
        finally:
            os.close(folder)
        return stat.S_ISREG(found.st_mode) and found.st_size > 0
    return False


def _open_transcripts(home: Path) -> None:
    """Give the owner's rights back to them, and to what they lie in."""
    with suppress(OSError):
        _allow(str(home))
        with _existing(home, ()) as folder:
            _allow(".claude", folder)
        with _existing(home, (".claude",)) as folder:
            _allow("projects", folder)
    for project in _allowed(home, ".claude", "projects"):
        _allowed(home, ".claude", "projects", project)


def _allowed(home: Path, *names: str) -> list[str]:
    """What is in a directory, each with its owner's rights; nothing if that cannot be told."""
    with suppress(OSError), _existing(home, names) as folder, os.scandir(folder) as entries:
        found = [entry.name for entry in entries]
        for name in found:
            _allow(name, folder)
        return found
    return []


@contextmanager
def _existing(home: Path, names: Sequence[str]) -> Iterator[int]:
    folder = os.open(home, FOLDER)
    try:
        for name in names:
            above, folder = folder, os.open(name, FOLDER, dir_fd=folder)
            os.close(above)
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _folder(home: Path, names: Sequence[str]) -> Iterator[int]:
    home.mkdir(parents=True, exist_ok=True)
    _allow(str(home))
    folder = os.open(home, FOLDER)
    try:
        for name in names:
            above, folder = folder, _made(name, folder)
            os.close(above)
        yield folder
    finally:
        os.close(folder)


def _made(name: str, above: int) -> int:
    try:
        _allow(name, above)
        return os.open(name, FOLDER, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):  # the second: a file, or a link to anything
        _remove(name, above)
    os.mkdir(name, dir_fd=above)
    return os.open(name, FOLDER, dir_fd=above)


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
        _discard(name, folder)


def _discard(name: str, folder: int) -> None:
    """A directory, however deep: what is found in it is moved up first, so that nothing here calls
    itself or holds more than one of them open."""
    mark, moved, unseen = f".discarded-{secrets.token_hex(8)}", 0, [name]
    while unseen:
        one = unseen.pop()
        _allow(one, folder)
        inner = os.open(one, FOLDER, dir_fd=folder)
        try:
            with os.scandir(inner) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
            for each, is_folder in found:
                if not is_folder:
                    os.unlink(each, dir_fd=inner)
                    continue
                fresh, moved = f"{mark}-{moved}", moved + 1
                _allow(each, inner)
                os.rename(each, fresh, src_dir_fd=inner, dst_dir_fd=folder)
                unseen.append(fresh)
        finally:
            os.close(inner)
        os.rmdir(one, dir_fd=folder)


def _allow(name: str, folder: int | None = None) -> None:
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
