"""Makes the standard streams safe to use: closed, full, or without a reader."""

import os
import sys
from typing import TextIO

STANDARD = 3


def fill_closed_streams() -> None:
    """Open /dev/null for each standard stream that is closed.

    Otherwise the next file to be opened would take its number, and be written to as if it were it.
    """
    opened = os.open(os.devnull, os.O_RDWR)
    while opened < STANDARD:
        opened = os.open(os.devnull, os.O_RDWR)
    os.close(opened)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def redirect_to_null(stream: TextIO) -> None:
    """Nobody reads the stream any more: what is still to be written to it goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def flush_all() -> OSError | None:
    """Write out what waits; a stream that does not take it is let go, and the reason returned."""
    refused = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            redirect_to_null(stream)
            refused = None if isinstance(error, BrokenPipeError) else error
    return refused
