"""Events of the Linux kernel about new names in directories (inotify), without a process."""

import ctypes
import os
import select
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_IN_MOVED_TO = 0x00000080
_IN_CREATE = 0x00000100
_IN_IGNORED = 0x00008000
_IN_Q_OVERFLOW = 0x00004000
_IN_ONLYDIR = 0x01000000
_IN_DONT_FOLLOW = 0x02000000
_MASK = _IN_CREATE | _IN_MOVED_TO | _IN_ONLYDIR | _IN_DONT_FOLLOW
_HEADER = struct.Struct("iIII")
_BUFFER = 1 << 16


@dataclass(frozen=True, slots=True)
class NameAppeared:
    """A name appeared in a watched directory."""

    watch: int
    name: str


@dataclass(frozen=True, slots=True)
class WatchEnded:
    """The directory of this watch is gone."""

    watch: int


@dataclass(frozen=True, slots=True)
class EventsLost:
    """More happened than the kernel keeps."""


DirectoryEvent = NameAppeared | WatchEnded | EventsLost


class DirectoryEvents:
    """Watches directories until it is closed; `wake` ends a wait."""

    def __init__(self, descriptor: int, library: ctypes.CDLL) -> None:
        self._descriptor = descriptor
        self._library = library
        self._woken, self._waker = os.pipe()
        self._poll = select.poll()
        for each in (descriptor, self._woken):
            self._poll.register(each, select.POLLIN)

    def add(self, directory: Path) -> int | None:
        """Watch a directory; None if that is not possible. A link is not followed."""
        watch: int = self._library.inotify_add_watch(
            self._descriptor, os.fsencode(directory), _MASK
        )
        return watch if watch >= 0 else None

    def wait(self) -> list[DirectoryEvent]:
        """Wait for events; none if it was woken."""
        ready = {descriptor for descriptor, _ in self._poll.poll()}
        if self._woken in ready:
            return []
        return _parse(os.read(self._descriptor, _BUFFER))

    def wake(self) -> None:
        """End all waits, now and later."""
        os.write(self._waker, b"\0")

    def close(self) -> None:
        for descriptor in (self._descriptor, self._woken, self._waker):
            with suppress(OSError):
                os.close(descriptor)


def open_directory_events() -> DirectoryEvents | None:
    """None where the system has no such events, or has no more of them to give."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    descriptor: int = library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    return DirectoryEvents(descriptor, library) if descriptor >= 0 else None


def _parse(data: bytes) -> list[DirectoryEvent]:
    events: list[DirectoryEvent] = []
    offset = 0
    while offset < len(data):
        watch, mask, _, length = _HEADER.unpack_from(data, offset)
        start = offset + _HEADER.size
        offset = start + length
        if mask & _IN_Q_OVERFLOW:
            events.append(EventsLost())
        elif mask & _IN_IGNORED:
            events.append(WatchEnded(watch))
        else:
            events.append(NameAppeared(watch, os.fsdecode(data[start:offset].rstrip(b"\0"))))
    return events
