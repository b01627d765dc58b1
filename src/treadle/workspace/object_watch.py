"""Links the objects that an agent's git writes while its session runs, in a thread.

Where the kernel tells of new names, an object is linked within milliseconds; elsewhere twice a
second. `catch_up` links all that is there before it returns.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import assert_never

from treadle.workspace.directory_events import (
    DirectoryEvent,
    DirectoryEvents,
    EventsLost,
    NameAppeared,
    WatchEnded,
    open_directory_events,
)
from treadle.workspace.object_links import LinkLimits, ObjectLinks, is_object_folder

POLL_S = 0.5
# After so many events at once the thread rests for three times as long as they took, but not for
# long: an agent can make events faster than anybody can use them.
_BURST = 64
_REST = 3
_LONGEST_REST_S = 0.1
# After lost events all folders are listed, no more often than this.
_RELIST_S = 1.0

_CLONE, _GIT, _OBJECTS = "clone", ".git", "objects"

OpenEvents = Callable[[], DirectoryEvents | None]


class ObjectWatch:
    """Watches the object folders of one clone, from `start` to `stop`."""

    def __init__(
        self,
        clone: Path,
        target: Path,
        *,
        limits: LinkLimits | None = None,
        open_events: OpenEvents = open_directory_events,
    ) -> None:
        self._clone = clone
        self._links = ObjectLinks(clone, target, limits)
        self._open_events = open_events
        self._events: DirectoryEvents | None = None
        # What each watch is for: a fixed name from above, or a folder of objects.
        self._places: dict[int, str] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_cut(self) -> bool:
        """Whether an object was left out because of the limits."""
        return self._links.is_cut or self._links.is_full

    def start(self) -> None:
        """Begin to watch; what the clone has already is not linked."""
        self._links.ignore_present()
        self._events = self._open_events()
        if self._events is not None:
            self._add(self._clone, _CLONE)
            self._watch_git()
            if not self._places:
                self._close_events()
        run = self._poll if self._events is None else self._follow
        self._thread = threading.Thread(target=run, name="object-watch", daemon=True)
        self._thread.start()

    def catch_up(self) -> None:
        """Link everything that is new now."""
        with self._lock:
            if not self._links.is_full:
                self._links.take_all()

    def stop(self) -> None:
        """Link the last objects, and watch no longer."""
        self._stopped.set()
        if self._events is not None:
            self._events.wake()
        if self._thread is not None:
            self._thread.join()
        self._close_events()
        self.catch_up()

    def _close_events(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None

    def _poll(self) -> None:
        while not self._stopped.wait(POLL_S) and not self._links.is_full:
            self.catch_up()

    def _follow(self) -> None:
        events = self._events
        while events is not None and not self._stopped.is_set() and not self._links.is_full:
            batch: list[DirectoryEvent] = []
            with suppress(BlockingIOError):
                batch = events.wait()
            started = time.monotonic()
            with self._lock:
                for event in batch:
                    self._handle(event)
            if EventsLost() in batch:
                self._stopped.wait(_RELIST_S)
            elif len(batch) > _BURST:
                took_s = time.monotonic() - started
                self._stopped.wait(min(_REST * took_s, _LONGEST_REST_S))

    def _handle(self, event: DirectoryEvent) -> None:
        match event:
            case NameAppeared(watch, name):
                self._handle_name(self._places.get(watch, ""), name)
            case WatchEnded(watch):
                self._places.pop(watch, None)
            case EventsLost():
                self._watch_git()
                self._links.take_all()
            case _:
                assert_never(event)

    def _handle_name(self, place: str, name: str) -> None:
        if is_object_folder(place):
            self._links.take(place, name)
        elif place == _OBJECTS and is_object_folder(name):
            self._watch_folder(name)
        elif (place, name) in ((_CLONE, _GIT), (_GIT, _OBJECTS)):
            self._watch_git()

    def _watch_git(self) -> None:
        """Watch the git directory and its objects, as far as they exist."""
        git_dir = self._clone / _GIT
        self._add(git_dir, _GIT)
        self._add(git_dir / _OBJECTS, _OBJECTS)
        for folder in self._links.folders():
            self._watch_folder(folder)

    def _watch_folder(self, folder: str) -> None:
        # Watched first: what is written after the listing is an event.
        self._add(self._clone / _GIT / _OBJECTS / folder, folder)
        self._links.take_folder(folder)

    def _add(self, directory: Path, place: str) -> None:
        watch = None if self._events is None else self._events.add(directory)
        if watch is not None:
            self._places[watch] = place
