"""Hard links to the objects that an agent's git writes, in a folder that no agent can reach.

A link keeps an object that is removed from the clone. What is linked is only trusted after git has
computed its hash. Nothing here runs git, follows a link or waits for a pipe.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PACKS = "pack"
_FOLDER = re.compile(r"[0-9a-f]{2}|pack")
_OBJECT = re.compile(r"(?:[0-9a-f]{38}|[0-9a-f]{62})")
_PACK = re.compile(r"pack-[0-9a-f]{40,64}\.pack")
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A folder that changed this recently may change again without another time of change.
_CLOCK_TICK_NS = 50_000_000


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """What the links of a round may take, whatever its agent writes."""

    objects: int = 20_000
    size: int = 256 << 20
    # Names that are remembered as older than the session. With more, folders are not listed.
    names: int = 200_000


class ObjectLinks:
    """Links new objects of a clone into `target`, each once, up to the limits."""

    def __init__(self, clone: Path, target: Path, limits: LinkLimits | None = None) -> None:
        self._clone = clone
        self._objects_path = f"{clone}/.git/objects"
        self._target = target
        self._limits = limits or LinkLimits()
        self._known: set[str] = set()
        # Times of change of the folders that were listed completely.
        self._listed: dict[str, int] = {}
        self._can_list = True
        self._objects = 0
        self._size = 0
        # Whether an object was left out because of the limits.
        self.is_cut = False

    @property
    def is_full(self) -> bool:
        return self._objects >= self._limits.objects

    def ignore_present(self) -> None:
        """Treat all objects that the clone has now as known, before a session starts."""
        for folder in self.folders():
            for name in self._changed_names(folder):
                self._known.add(f"{folder}/{name}")
                if len(self._known) > self._limits.names:
                    self._can_list = False
                    self._known.clear()
                    return

    def folders(self) -> list[str]:
        """The names of the folders that can have objects."""
        with suppress(OSError), self._open() as objects, os.scandir(objects) as entries:
            return [entry.name for entry in entries if is_object_folder(entry.name)]
        return []

    def take_all(self) -> None:
        """Link what is new in all folders that changed since they were last listed."""
        for folder in self.folders():
            self.take_folder(folder)

    def take_folder(self, folder: str) -> None:
        """Link what is new in one folder, unless it did not change since it was last listed."""
        for name in self._changed_names(folder):
            if self.is_full:
                self.is_cut = True
                return
            self.take(folder, name)

    def take(self, folder: str, name: str) -> None:
        """Link one object, if it is new and a plain file."""
        key = f"{folder}/{name}"
        if key in self._known or not _is_object(folder, name):
            return
        if self.is_full:
            self.is_cut = True
            return
        try:
            with self._open(folder) as directory:
                size = self._link(directory, folder, name)
        except FileExistsError:
            self._known.add(key)  # by an earlier process of this run
        except OSError:
            return  # it is gone already
        else:
            self._known.add(key)
            self._objects += 1
            self._size += size

    def _link(self, directory: int, folder: str, name: str) -> int:
        """The size of the linked file; 0 if it may not be linked."""
        left = self._limits.size - self._size
        if not self._may_link(os.stat(name, dir_fd=directory, follow_symlinks=False), left):
            return 0
        target = self._target / folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(name, target, src_dir_fd=directory, follow_symlinks=False)
        # What was looked at may have been replaced meanwhile; the agent cannot replace this one.
        status = target.lstat()
        if self._may_link(status, left):
            return status.st_size
        target.unlink()
        return 0

    def _may_link(self, status: os.stat_result, left: int) -> bool:
        if stat.S_ISREG(status.st_mode) and status.st_size > left:
            self.is_cut = True
        return stat.S_ISREG(status.st_mode) and status.st_size <= left

    def _changed_names(self, folder: str) -> Iterator[str]:
        """The names of objects in a folder; none if it did not change since the last time."""
        if not self._can_list:
            return
        with suppress(OSError):
            # Cheaper than opening it. Through a link at most a listing is saved that shows nothing.
            if self._listed.get(folder) == os.lstat(f"{self._objects_path}/{folder}").st_ctime_ns:
                return
        with suppress(OSError), self._open(folder) as directory:
            changed = os.fstat(directory).st_ctime_ns
            with os.scandir(directory) as entries:
                for entry in entries:
                    if _is_object(folder, entry.name):
                        yield entry.name
            if time.time_ns() - changed > _CLOCK_TICK_NS:
                self._listed[folder] = changed

    @contextmanager
    def _open(self, *folder: str) -> Iterator[int]:
        """A descriptor of the clone's object folder, or of one in it; no link is followed."""
        descriptor = os.open(self._clone, _OPEN)
        try:
            for name in (".git", "objects", *folder):
                inner = os.open(name, _OPEN, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)


def is_object_folder(name: str) -> bool:
    return _FOLDER.fullmatch(name) is not None


def _is_object(folder: str, name: str) -> bool:
    return (_PACK if folder == PACKS else _OBJECT).fullmatch(name) is not None
