"""Reads lines that a person types on the terminal of a run."""

import asyncio
import os
import termios
from typing import TextIO

YES_ANSWERS = ("y", "yes")
LONGEST_LINE = 1024


def discard_typed_input(keyboard: TextIO) -> None:
    """Drop what was typed before the question: it is no answer to it."""
    termios.tcflush(keyboard.fileno(), termios.TCIFLUSH)


async def read_line(keyboard: TextIO) -> str | None:
    """One typed line; None at the end of the input (Ctrl-D, a closed window).

    Waits in the event loop and not in a thread: a reading thread cannot be cancelled.
    """
    number = keyboard.fileno()
    loop = asyncio.get_running_loop()
    typed = asyncio.Event()
    loop.add_reader(number, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(number)
    try:
        typed_bytes = os.read(number, LONGEST_LINE)
    except OSError:  # the window was closed
        return None
    return typed_bytes.decode(errors="replace").strip() if typed_bytes else None


def is_yes(answer: str | None) -> bool:
    """Everything except `y` and `yes` is a no, also Return alone and no answer."""
    return answer is not None and answer.lower() in YES_ANSWERS
