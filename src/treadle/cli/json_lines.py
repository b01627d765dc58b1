"""The event log as JSON lines on a stream, for programs that follow a run."""

from contextlib import suppress
from typing import TextIO

import click

from treadle.cli.streams import let_go
from treadle.domain.events.all_events import Recorded
from treadle.domain.wire import encode_recorded


class JsonLines:
    """A reader of the event log. It never raises: a program that is gone does not stop a run."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def show(self, recorded: Recorded) -> None:
        """One event as one line, as it is stored."""
        if self._gone:
            return
        try:
            self._stream.write(encode_recorded(recorded).decode() + "\n")
            self._stream.flush()
        except OSError as error:
            self._gone = True
            let_go(self._stream)
            if not isinstance(error, BrokenPipeError):
                _say(f"! The JSON ends here ({error.strerror}); the run and its log go on.")


def _say(text: str) -> None:
    with suppress(OSError):  # nobody there either
        click.echo(text, err=True)
