"""A question in the middle of a run: yes or no from the keyboard, without holding the run up."""

import asyncio
import os
import termios
from typing import TextIO

YES = ("y", "yes")
LINE = 1024


def forget_typed(keyboard: TextIO) -> None:
    """What was typed before a question was asked is no answer to it."""
    termios.tcflush(keyboard.fileno(), termios.TCIFLUSH)


async def line_from(keyboard: TextIO) -> str | None:
    """What somebody types, up to Return; None once there is nobody (Ctrl-D, a closed window).

    Waits in the event loop and not in a thread: a thread that reads cannot be called back.
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
        found = os.read(number, LINE)
    except OSError:  # what a terminal answers once its window is gone
        return None
    return found.decode(errors="replace").strip() if found else None


def means_yes(answer: str | None) -> bool:
    """Only a yes is one: Return alone, no answer at all and anything else are a no."""
    return answer is not None and answer.lower() in YES
