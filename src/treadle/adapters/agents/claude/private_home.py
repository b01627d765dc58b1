"""Reading and writing in the home of an agent, which may have left links there: none is followed.

Between sessions nobody writes in it but the host, so what was looked at stays as it was.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

KEPT = ("projects", ".credentials.json")
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
    may have written there, and some of it (variables, for one) is obeyed without asking.

    Transcripts stay: without them no session can be gone on with. So does the login that was lent.
    """
    with _folder(home, ()) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(".claude.json")]:
            _remove(name, folder)
    with _folder(home, (".claude",)) as folder, os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if entry.name not in KEPT]:
            _remove(name, folder)


def has_transcript(home: Path, file: str) -> bool:
    """Whether a project that the agent keeps has a file of this name with something in it."""
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
        return os.open(name, FOLDER, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):  # the second: a file, or a link to anything
        _remove(name, above)
    os.mkdir(name, dir_fd=above)
    return os.open(name, FOLDER, dir_fd=above)


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        shutil.rmtree(name, dir_fd=folder)
