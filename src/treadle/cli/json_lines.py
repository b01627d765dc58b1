"""Writes the event log as JSON lines to a stream without ever blocking the run."""

import os
import queue
import select
import threading
from contextlib import suppress
from typing import TextIO

import click

from treadle.cli.json_output import printable_json
from treadle.cli.streams import redirect_to_null
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.wire import encode_recorded

# A pipe that is ready for writing takes this much without blocking.
AT_ONCE = 4096
WAITING_MOST = 100_000


class JsonLines:
    """A reader of the event log. A reader that is closed or slow does not stop a run.

    Lines that fit into the stream are written at once; the others wait in a thread, in order, so
    that a reader that stops reading cannot block the run or its signals.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = _descriptor_of(stream)
        self._closed = False
        self._waiting: queue.Queue[str] = queue.Queue(WAITING_MOST)
        self._writer: threading.Thread | None = None

    def write_event(self, recorded: RecordedEvent) -> None:
        """One event as one line, as it is stored."""
        if self._closed:
            return
        line = printable_json(encode_recorded(recorded))
        if not self.busy and len(line) < AT_ONCE and self._ready():
            self._write(line.decode())
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_waiting, daemon=True)
            self._writer.start()
        try:
            self._waiting.put_nowait(line.decode())
        except queue.Full:
            self._stop("its reader is gone")

    @property
    def busy(self) -> bool:
        """Whether lines wait for the reader."""
        return not self._closed and self._waiting.unfinished_tasks > 0

    def _ready(self) -> bool:
        try:
            return bool(select.select([], [self._stream], [], 0)[1])
        except (OSError, ValueError):
            return True  # no descriptor, or one that select cannot handle

    def _write_waiting(self) -> None:
        while not self._closed:
            self._write(self._waiting.get())
            self._waiting.task_done()

    def _write(self, line: str) -> None:
        try:
            self._write_text(line + "\n")
        except OSError as error:
            redirect_to_null(self._stream)
            self._stop("" if isinstance(error, BrokenPipeError) else str(error.strerror))

    def _write_text(self, text: str) -> None:
        if self._descriptor is None:
            self._stream.write(text)
            self._stream.flush()
            return
        # Not through the stream: waiting there for a reader would hold its lock, and block every
        # flush of it, also that at the end of the process.
        left = memoryview(text.encode(errors="replace"))
        while left:
            left = left[os.write(self._descriptor, left) :]

    def _stop(self, reason: str) -> None:
        self._closed = True
        if reason:
            with suppress(OSError):  # stderr may be closed as well
                text = f"! The JSON output ends here ({reason}). The run continues."
                click.echo(text, err=True)


def _descriptor_of(stream: TextIO) -> int | None:
    """The descriptor of the stream; None if it is no file."""
    try:
        stream.flush()
        return stream.fileno()
    except (OSError, ValueError):
        return None
