"""Writes configuration files of package tools below the private home of a sandbox."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_home_files(home: Path, files: Mapping[str, str]) -> tuple[str, ...]:
    """Writes the files by their paths below `home`; returns those that could not be written.

    A process in the sandbox may have left links in its home, so none is followed.
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return tuple(path for path, content in files.items() if not _write(home, path, content))


def _write(home: Path, path: str, content: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    try:
        with _open_folder(home, folders) as folder:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            descriptor = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
    except OSError:
        return False
    return True


@contextmanager
def _open_folder(home: Path, names: list[str]) -> Iterator[int]:
    folder = os.open(home, _FOLDER)
    try:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=folder)
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)
