"""Small files below the root that only their owner can use: credentials, trusted settings.

Links are never followed, and a directory or file that others can access is refused.
"""

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from treadle.domain.errors import StoreError

_LONGEST = 64 * 1024
_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class PrivateFile:
    """The name and time of a file, without its content."""

    name: str
    since: datetime


class PrivateFiles:
    """The files of one directory below a root. Names come from Treadle, never from users."""

    def __init__(self, root: Path, directory: str) -> None:
        self._root = root
        self._path = root / directory

    def write(self, name: str, value: str) -> None:
        """Write or replace the file atomically."""
        self._write(name, value, os.replace)

    def create(self, name: str, value: str) -> None:
        """Write the file atomically, unless it exists."""
        with suppress(FileExistsError):
            self._write(name, value, os.link)

    def _write(self, name: str, value: str, put: Callable[..., None]) -> None:
        with self._translate_errors():
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):
                self._path.mkdir(mode=0o700)
            with self._open_directory() as directory:
                temporary = f".{name}.{secrets.token_hex(8)}"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                descriptor = os.open(temporary, flags, 0o600, dir_fd=directory)
                try:
                    with os.fdopen(descriptor, "wb") as file:
                        file.write(value.encode())
                        file.flush()
                        os.fsync(file.fileno())
                    put(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
                finally:
                    with suppress(FileNotFoundError):
                        os.unlink(temporary, dir_fd=directory)
                os.fsync(directory)

    def read(self, name: str) -> str | None:
        """The content of the file, or None if it does not exist."""
        with self._translate_errors():
            if not os.path.lexists(self._path):
                return None
            with self._open_directory() as directory:
                try:
                    # Non-blocking: opening a pipe in its place would hang.
                    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                    descriptor = os.open(name, flags, dir_fd=directory)
                except FileNotFoundError:
                    return None
                with os.fdopen(descriptor, "rb") as file:
                    self._check(os.fstat(descriptor), self._path / name, stat.S_ISREG)
                    return file.read(_LONGEST).decode(errors="replace").strip()

    def list_files(self) -> list[PrivateFile]:
        """All files, by name."""
        with self._translate_errors():
            if not os.path.lexists(self._path):
                return []
            with self._open_directory() as directory:
                with os.scandir(directory) as entries:
                    names = sorted(each.name for each in entries)
                return [
                    PrivateFile(name, _modified_at(directory, name))
                    for name in names
                    if not name.startswith(".")
                ]

    def remove(self, name: str) -> bool:
        """Delete a file; False if there was none."""
        with self._translate_errors():
            if not os.path.lexists(self._path):
                return False
            with self._open_directory() as directory:
                try:
                    os.unlink(name, dir_fd=directory)
                except FileNotFoundError:
                    return False
                os.fsync(directory)
                return True

    @contextmanager
    def _open_directory(self) -> Iterator[int]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        directory = os.open(self._path, flags)
        try:
            self._check(os.fstat(directory), self._path, stat.S_ISDIR)
            yield directory
        finally:
            os.close(directory)

    def _check(
        self, status: os.stat_result, path: Path, is_right_kind: Callable[[int], bool]
    ) -> None:
        if not is_right_kind(status.st_mode) or status.st_uid != os.geteuid():
            raise StoreError(
                f"{path} is not what Treadle created",
                hint="look at it with `ls -ld`, and remove it",
            )
        if status.st_mode & _OTHERS:
            raise StoreError(
                f"{path} can be read or changed by others, so Treadle does not use it",
                hint=f"chmod go= {path}; if others could have read it, replace what is in it",
            )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise
        except OSError as error:
            raise StoreError(
                f"cannot use {self._path}: {error.strerror}",
                hint="it must be a plain directory that you own; look at it with `ls -ld`",
            ) from error


def _modified_at(directory: int, name: str) -> datetime:
    status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return datetime.fromtimestamp(status.st_mtime, UTC)


CREDENTIALS_DIRECTORY = "credentials"


class CredentialFiles(PrivateFiles):
    """The credentials below one root."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, CREDENTIALS_DIRECTORY)
