"""The download cache of package indexes, on the host: content by its hash, found by its address.

Processes share it: files are written aside and renamed. No sandbox sees it.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import mkstemp
from time import time
from typing import IO

MAX_BYTES = 5 * 1024 * 1024 * 1024
# Removed down to this share of the limit, so that not every download has to remove something.
_KEPT_SHARE = 0.8
# A download that takes longer was abandoned by a killed process.
_ABANDONED_S = 24 * 3600.0
_CONTENT, _ENTRIES, _INCOMING = "content", "entries", "incoming"


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What an answer depends on; the login by its hash, because access may differ."""

    index: str
    url: str
    accept: str = ""
    login: str = field(default="", repr=False)

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(list(asdict(self).values())).encode()).hexdigest()


def login_fingerprint(authorization: str | None) -> str:
    return hashlib.sha256(authorization.encode()).hexdigest() if authorization else ""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A stored answer."""

    sha256: str
    size: int
    headers: Mapping[str, str] = field(default_factory=dict)


class IndexCache:
    """A cache that cannot be written is only slower: `find` finds nothing, nothing is stored."""

    def __init__(self, directory: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        self._has_grown = False

    def find(self, key: CacheKey) -> CacheEntry | None:
        """The entry, if its content is there in full."""
        try:
            entry = _parse_entry((self._entry_path(key)).read_bytes())
            path = self.content_path(entry)
            if path.stat().st_size != entry.size:
                return None
            os.utime(path)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry

    def content_path(self, entry: CacheEntry) -> Path:
        return self._directory / _CONTENT / entry.sha256[:2] / entry.sha256

    def read(self, entry: CacheEntry) -> bytes | None:
        """The content; None, and the content is removed, if it is not what its name says."""
        try:
            content = self.content_path(entry).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            self.remove(entry)
            return None
        return content

    def remove(self, entry: CacheEntry) -> None:
        with suppress(OSError):
            self.content_path(entry).unlink()

    def incoming(self) -> "IncomingFile | None":
        """A file to store an answer in; None if the disk does not allow it."""
        folder = self._directory / _INCOMING
        try:
            for path in (self._directory, folder):
                path.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = mkstemp(dir=folder)
        except OSError:
            return None
        return IncomingFile(self, Path(name), os.fdopen(descriptor, "wb"))

    def store(self, key: CacheKey, content: bytes, headers: Mapping[str, str]) -> None:
        """Store an answer that is complete."""
        incoming = self.incoming()
        if incoming is not None:
            incoming.write(content)
            incoming.keep(key, headers, size=len(content))

    def put_entry(self, key: CacheKey, entry: CacheEntry) -> None:
        path = self._entry_path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, name = mkstemp(dir=self._directory / _INCOMING)
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(asdict(entry)).encode())
        Path(name).replace(path)
        self._has_grown = True

    def trim(self) -> None:
        """Remove what was unused for longest, if the cache has grown over its limit, and what
        killed processes have left."""
        if not self._has_grown:
            return
        now = time()
        for path, state in _files(self._directory / _INCOMING):
            if now - state.st_mtime > _ABANDONED_S:
                path.unlink(missing_ok=True)
        contents = sorted(_files(self._directory / _CONTENT), key=lambda each: each[1].st_mtime)
        total = sum(state.st_size for _, state in contents)
        if total <= self._max_bytes:
            return
        for path, state in contents:
            path.unlink(missing_ok=True)
            total -= state.st_size
            if total <= self._max_bytes * _KEPT_SHARE:
                break
        for path, _ in _files(self._directory / _ENTRIES):
            self._remove_dangling(path)

    def _remove_dangling(self, path: Path) -> None:
        try:
            exists = self.content_path(_parse_entry(path.read_bytes())).exists()
        except (OSError, ValueError, KeyError, TypeError):
            exists = False
        if not exists:
            path.unlink(missing_ok=True)

    def _entry_path(self, key: CacheKey) -> Path:
        return self._directory / _ENTRIES / key.digest[:2] / f"{key.digest}.json"


class IncomingFile:
    """An answer while it arrives. Errors of the disk end the storing, not the download."""

    def __init__(self, cache: IndexCache, path: Path, file: IO[bytes]) -> None:
        self._cache = cache
        self._path = path
        self._file = file
        self._hash = hashlib.sha256()
        self._size = 0
        self._failed = False

    def write(self, chunk: bytes) -> None:
        if self._failed:
            return
        try:
            self._file.write(chunk)
        except OSError:
            self._failed = True
        self._hash.update(chunk)
        self._size += len(chunk)

    def keep(self, key: CacheKey, headers: Mapping[str, str], *, size: int | None) -> None:
        """Store it, unless it is shorter than its sender announced."""
        entry = CacheEntry(self._hash.hexdigest(), self._size, dict(headers))
        try:
            self._file.close()
            if self._failed or size not in (None, self._size):
                return
            target = self._cache.content_path(entry)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.replace(target)
            self._cache.put_entry(key, entry)
        except OSError:
            pass  # the disk is full, or the cache was removed
        finally:
            self.discard()

    def discard(self) -> None:
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _parse_entry(text: bytes) -> CacheEntry:
    values = json.loads(text)
    sha256, size = str(values["sha256"]), int(values["size"])
    if len(sha256) != hashlib.sha256().digest_size * 2 or not sha256.isalnum():
        raise ValueError("not a hash")
    return CacheEntry(sha256, size, {str(k): str(v) for k, v in values["headers"].items()})


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """All files below a folder; those that are removed meanwhile are left out."""
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                yield path, path.stat()
