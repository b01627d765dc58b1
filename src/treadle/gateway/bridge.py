"""Forwards a loopback port in a sandbox to a unix socket; a script, standard library only.

    python3 -IS bridge.py SOCKET PORT COMMAND…

listens on loopback, forks a process that relays every connection to SOCKET, and executes COMMAND,
which may be another bridge.
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
    """Does not wait for the relay: the kernel queues connections until it accepts them."""
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
    """Serve until killed."""
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
    """Copy one direction to its end; both pumps hold the sockets, so the last one closes them."""
    try:
        while chunk := source.recv(CHUNK_BYTES):
            sink.sendall(chunk)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # one side is gone, so the other direction is useless
        _shut_down(source)
        _shut_down(sink)


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):  # it was closed already
        connection.shutdown(socket.SHUT_RDWR)


def _become_relay(listener: socket.socket, path: str) -> None:
    """Keep neither the command's standard streams nor its environment."""
    _die_with_the_command()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    listener.set_inheritable(True)
    command = [sys.executable, "-IS", __file__, RELAY_MODE, str(listener.fileno()), path]
    os.execve(sys.executable, command, {})  # noqa: S606


def _die_with_the_command() -> None:
    """On Linux only; elsewhere nothing is done."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
