"""Makes the standard streams safe to use: closed, full, or without a reader."""

import os
import sys
from typing import TextIO

STANDARD = 3


def fill_closed_streams() -> None:
    """Open /dev/null for each standard stream that is closed.

    Otherwise the next opened file would get its number, and our output would be written to it.
    """
    opened = os.open(os.devnull, os.O_RDWR)
    while opened < STANDARD:
        opened = os.open(os.devnull, os.O_RDWR)
    os.close(opened)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def redirect_to_null(stream: TextIO) -> None:
    """Discard what is still written to a stream that nobody reads."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def flush_all() -> OSError | None:
    """Flush both output streams; returns the error of one that failed, unless its pipe closed."""
    refused = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            redirect_to_null(stream)
            refused = None if isinstance(error, BrokenPipeError) else error
    return refused
