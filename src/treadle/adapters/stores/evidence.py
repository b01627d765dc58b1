"""Logs of the commands that Treadle ran, stored with the run by the hash of their text."""

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treadle.domain.errors import StoreError

FOLDER = "evidence"
# More than any log that is kept: see `MAX_AT_EITHER_END` of the sandboxes.
_LONGEST = 64 << 20

LogIntegrity = Literal["kept", "missing", "changed"]


@dataclass(frozen=True, slots=True)
class EvidenceLogs:
    """The logs of one run; `directory` is the run's."""

    directory: Path

    def keep(self, text: str) -> str:
        """Store the text atomically; returns its name, the SHA-256."""
        content = text.encode(errors="replace")
        name = hashlib.sha256(content).hexdigest()
        try:
            self._write(self.path_of(name), content)
        except OSError as error:
            raise StoreError(
                f"cannot write {self.path_of(name)}: {error.strerror}",
                hint="free some space there, or check its permissions with `ls -ld`",
            ) from error
        return name

    def check_integrity(self, name: str) -> LogIntegrity:
        """Whether the log exists and still has the hash in its name."""
        content = self._content(name)
        if content is None:
            return "missing"
        return "kept" if hashlib.sha256(content).hexdigest() == name else "changed"

    def read(self, name: str) -> str | None:
        """The log of this name; None if it is missing or changed."""
        content = self._content(name)
        if content is None or hashlib.sha256(content).hexdigest() != name:
            return None
        return content.decode(errors="replace")

    def path_of(self, name: str) -> Path:
        return self.directory / FOLDER / f"{name}.log"

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(fresh, flags, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        finally:
            with suppress(FileNotFoundError):
                fresh.unlink()

    def _content(self, name: str) -> bytes | None:
        try:
            # Non-blocking: opening a pipe in its place would hang.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with os.fdopen(os.open(self.path_of(name), flags), "rb") as file:
                return file.read(_LONGEST)
        except OSError:
            return None
