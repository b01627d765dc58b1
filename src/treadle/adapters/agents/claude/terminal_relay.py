"""Carries a person's terminal to the pseudo-terminal of an agent, and gives it back.

The agent never holds the person's own terminal: it can neither type there nor leave it changed.
"""

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import tty
from contextlib import suppress
from typing import Any

from treadle.domain.agent import Terminal

CHUNK_BYTES = 65536
GUARD_S = 2.0
# Ctrl-Z, as terminals send it: the agent would stop itself, and nothing here could wake it.
SUSPENDS = (b"\x1a", b"\x1b[122;5u", b"\x1b[27;5;122~")
# What an agent that was ended may have left switched on: mouse, focus, paste and key reports, the
# other screen, colours, a hidden cursor.
RESET = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l"
    b"\x1b[<u\x1b[>4;0m\x1b[?1047l\x1b[0m\x1b[?25h"
)
# Waits for the end of the process that has changed a terminal, and puts the terminal right if that
# process could not do so itself.
_GUARD = """
import os, sys, termios
terminal, output, reset = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
saved = termios.tcgetattr(terminal)
os.write(1, b".")
if not os.read(0, 1):
    os.write(output, reset.encode())
    termios.tcsetattr(terminal, termios.TCSANOW, saved)
"""
# A terminal that is gone does not take its settings back.
_GONE = (OSError, termios.error)


class TerminalRelay:
    """Between `start` and `stop` the terminal is the agent's."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._outside, self.inside = os.openpty()
        self._copy_size()
        self._wake_read, self._wake_write = os.pipe()
        self._saved: list[Any] | None = None
        self._guard = _start_guard(terminal)
        self._thread = threading.Thread(target=self._carry, name="treadle-terminal", daemon=True)
        self._resized: Any = None

    def start(self) -> None:
        """Take the terminal over; the caller has given `inside` to the agent."""
        os.close(self.inside)
        self.inside = -1
        _wait_until_ready(self._guard)
        with suppress(*_GONE):
            self._saved = termios.tcgetattr(self._terminal.input)
            tty.setraw(self._terminal.input)
        # Only the main thread may ask for signals; elsewhere the size stays as it is.
        with suppress(ValueError):
            self._resized = signal.signal(signal.SIGWINCH, lambda *_: self._copy_size())
        self._thread.start()

    def stop(self) -> None:
        """Give the terminal back; safe to call twice, from the main thread."""
        if self._thread.is_alive():
            with suppress(OSError):
                os.write(self._wake_write, b".")
            self._thread.join(timeout=1.0)
        self.restore()

    def restore(self) -> None:
        """Give the terminal its own settings back, at any moment."""
        saved, self._saved = self._saved, None
        if saved is None:
            return
        if self._resized is not None:
            with suppress(ValueError):
                signal.signal(signal.SIGWINCH, self._resized)
        with suppress(*_GONE):
            os.write(self._terminal.output, RESET)
        with suppress(*_GONE):
            # What was typed meanwhile was for the agent.
            termios.tcflush(self._terminal.input, termios.TCIFLUSH)
            termios.tcsetattr(self._terminal.input, termios.TCSANOW, saved)

    def close(self) -> None:
        """Let go of the descriptors; after `stop`."""
        _dismiss(self._guard)
        for descriptor in (self._outside, self.inside, self._wake_read, self._wake_write):
            with suppress(OSError):
                os.close(descriptor)

    def _copy_size(self) -> None:
        with suppress(*_GONE):
            size = fcntl.ioctl(self._terminal.output, termios.TIOCGWINSZ, b"\0" * 8)
            if any(struct.unpack("HHHH", size)[:2]):
                fcntl.ioctl(self._outside, termios.TIOCSWINSZ, size)

    def _carry(self) -> None:
        """Until the agent is gone, or `stop`; what the agent has said by then is still shown."""
        typed, stopping = self._terminal.input, False
        sources = {typed, self._outside, self._wake_read}
        while True:
            ready, _, _ = select.select(list(sources), [], [], 0 if stopping else None)
            if stopping and self._outside not in ready:
                return
            if self._wake_read in ready:
                stopping, sources = True, {self._outside}
            if typed in ready and not stopping and not self._pass_on_typed():
                sources.discard(typed)
            if self._outside in ready and not self._pass_on_shown():
                return

    def _pass_on_typed(self) -> bool:
        try:
            chunk = os.read(self._terminal.input, CHUNK_BYTES)
            _write_all(self._outside, without_suspends(chunk))
        except OSError:
            return False
        return bool(chunk)

    def _pass_on_shown(self) -> bool:
        try:
            chunk = os.read(self._outside, CHUNK_BYTES)
        except OSError:  # nobody holds the other side any more
            return False
        # A terminal that is gone shows nothing; the agent is still to be read, or it would wait.
        with suppress(OSError):
            _write_all(self._terminal.output, chunk)
        return bool(chunk)


def _start_guard(terminal: Terminal) -> subprocess.Popen[bytes]:
    # Its own standard streams are pipes, so it gets the terminal under other numbers.
    given = tuple(os.dup(each) for each in (terminal.input, terminal.output))
    try:
        return subprocess.Popen(
            [sys.executable, "-IS", "-c", _GUARD, *map(str, given), RESET.decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
            pass_fds=given,
            # The signals of the terminal do not reach another session.
            start_new_session=True,
        )
    finally:
        for each in given:
            os.close(each)


def _wait_until_ready(guard: subprocess.Popen[bytes]) -> None:
    """Until it knows how the terminal was; one that cannot know is gone by then."""
    assert guard.stdout is not None  # noqa: S101  # a pipe was asked for
    guard.stdout.read(1)
    guard.stdout.close()


def _dismiss(guard: subprocess.Popen[bytes]) -> None:
    try:
        guard.communicate(b".", timeout=GUARD_S)
    except (OSError, subprocess.TimeoutExpired):
        guard.kill()
        guard.wait()


def without_suspends(chunk: bytes) -> bytes:
    """What was typed, without what would suspend the agent. Pure."""
    for keys in SUSPENDS:
        chunk = chunk.replace(keys, b"")
    return chunk


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:  # another program made the shared terminal non-blocking
            select.select([], [descriptor], [])
