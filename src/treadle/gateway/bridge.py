"""Forwards loopback ports in a sandbox to unix sockets; a script, standard library only.

    python3 -IS bridge.py SOCKET PORT [SOCKET PORT]… -- COMMAND…

listens on loopback, forks a process that relays every connection to its socket, and executes
COMMAND, which may be another bridge. The first port is needed; a further one that cannot be had is
left out.
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
        serve_all(arguments[1::2], arguments[2::2])
        return
    end = arguments.index("--")
    listeners = _listen(arguments[0:end:2], arguments[1:end:2])
    if os.fork() == 0:
        try:
            _become_relay(listeners)
        finally:
            os._exit(1)
    for listener, _ in listeners:
        listener.close()
    command = list(arguments[end + 1 :])
    os.execvp(command[0], command)  # noqa: S606  # the caller's own list


def _listen(paths: Sequence[str], ports: Sequence[str]) -> list[tuple[socket.socket, str]]:
    listeners: list[tuple[socket.socket, str]] = []
    for path, port in zip(paths, ports, strict=True):
        try:
            listener = socket.create_server(("127.0.0.1", int(port)), backlog=BACKLOG)
        except OSError:
            if listeners:
                continue
            raise
        listeners.append((listener, path))
    return listeners


def serve_all(descriptors: Sequence[str], paths: Sequence[str]) -> None:
    """Serve until killed."""
    from threading import Thread

    for descriptor, path in zip(descriptors, paths, strict=True):
        Thread(target=relay, args=(socket.socket(fileno=int(descriptor)), path)).start()


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


def _become_relay(listeners: Sequence[tuple[socket.socket, str]]) -> None:
    """Keep neither the command's standard streams nor its environment."""
    _die_with_the_command()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    command = [sys.executable, "-IS", __file__, RELAY_MODE]
    for listener, path in listeners:
        listener.set_inheritable(True)
        command += [str(listener.fileno()), path]
    os.execve(sys.executable, command, {})  # noqa: S606


def _die_with_the_command() -> None:
    """On Linux only; elsewhere nothing is done."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
