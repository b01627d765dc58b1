"""Forwards a loopback port in a sandbox to a unix socket; a script, standard library only.

    python3 -IS bridge.py SOCKET PORT COMMAND…

listens on loopback, leaves a process that carries every connection to SOCKET, and becomes COMMAND;
that may be another bridge.
"""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress

CHUNK_BYTES = 65536
BACKLOG = 128
RELAY_MODE = "carry"
_SET_DEATH_SIGNAL = 1


def main(arguments: Sequence[str]) -> None:
    """Who connects before the carrier is ready is queued by the kernel, so nobody waits here."""
    if arguments[0] == RELAY_MODE:
        relay(socket.socket(fileno=int(arguments[1])), arguments[2])
        return
    path, port, *command = arguments
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=BACKLOG)
    if os.fork() == 0:
        try:
            _become_relay(listener, path)
        finally:
            os._exit(1)
    listener.close()
    os.execvp(command[0], command)  # noqa: S606  # the caller's own list


def relay(listener: socket.socket, path: str) -> None:
    """Serve until killed; the process ends with the sandbox."""
    from threading import Thread

    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.connect(path)
        except OSError:
            near.close()
            far.close()
            continue
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((near, far), (far, near)):
            Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """One direction, to its end; the sockets themselves go when the other one has ended, too."""
    try:
        while part := source.recv(CHUNK_BYTES):
            sink.sendall(part)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # one of them is gone: the other direction has no use any more
        _shut_down(source)
        _shut_down(sink)


def _shut_down(which: socket.socket) -> None:
    with suppress(OSError):  # it was gone already
        which.shutdown(socket.SHUT_RDWR)


def _become_relay(listener: socket.socket, path: str) -> None:
    """Hold nothing of the command's: neither what it prints to nor its variables."""
    _die_with_the_command()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    listener.set_inheritable(True)
    carrier = [sys.executable, "-IS", __file__, RELAY_MODE, str(listener.fileno()), path]
    os.execve(sys.executable, carrier, {})  # noqa: S606


def _die_with_the_command() -> None:
    """Where the system can see to that; in a sandbox with a process table of its own it does."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
