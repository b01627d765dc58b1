"""Forwards loopback ports in a sandbox to unix sockets; a script, standard library only.

    python3 -IS bridge.py SOCKET PORT [SOCKET PORT]… -- COMMAND…

listens on loopback, forks a process that relays every connection to its socket, and executes
COMMAND, which may be another bridge. The first port is needed; a further one that cannot be had is
left out.

Every session and every check waits for this script, so it imports little. `socket` takes longer to
import than all that is done here, and is imported once somebody connects.
"""

import _socket
import os
import sys

CHUNK_BYTES = 65536
BACKLOG = 128
PAUSE_S = 0.05
NAME = b"treadle-bridge"
_SET_DEATH_SIGNAL, _SET_NAME = 1, 15
_KILL = 9
# Fields of a stat file after the name: where the command line and the variables are in memory.
_LINE_START, _LINE_END, _VARIABLES_START, _VARIABLES_END = 45, 46, 47, 48

Listener = tuple[_socket.socket, str]


def main(arguments: list[str]) -> None:
    """Does not wait for the relay: the kernel queues connections until it accepts them."""
    end = arguments.index("--")
    listeners = _listen(arguments[0:end:2], arguments[1:end:2])
    command = arguments[end + 1 :]
    starter = os.getpid()
    if os.fork() == 0:
        try:
            _leave_the_command(starter)
            _serve(listeners)
        finally:
            os._exit(1)
    for listener, _ in listeners:
        listener.close()
    os.execvp(command[0], command)  # noqa: S606  # the caller's own list


def _listen(paths: list[str], ports: list[str]) -> list[Listener]:
    listeners: list[Listener] = []
    for path, port in zip(paths, ports, strict=True):
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", int(port)))
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            if listeners:
                continue
            raise
        listeners.append((listener, path))
    return listeners


def _serve(listeners: list[Listener]) -> None:
    """Serve until killed."""
    import select

    select.select([listener for listener, _ in listeners], [], [])
    import resource
    from contextlib import suppress
    from threading import Thread

    # Each connection takes two. Some systems refuse what they name as the most.
    with suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    (first, first_path), *others = listeners
    for listener, path in others:
        Thread(target=_relay, args=(listener.detach(), path), daemon=True).start()
    _relay(first.detach(), first_path)


def _relay(listener: int, path: str) -> None:
    """Serve until killed: without descriptors or threads left, later connections wait."""
    import select
    import socket

    accepting = socket.socket(fileno=listener)
    while True:
        try:
            near, _ = accepting.accept()
        except OSError:  # it was reset at once, or there are too many
            select.select((), (), (), PAUSE_S)
            continue
        try:
            _connect(near, path)
        except (OSError, RuntimeError):
            near.close()


def _connect(near: _socket.socket, path: str) -> None:
    """Carry both directions; RuntimeError if no thread can be started."""
    import socket
    from threading import Thread

    far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        far.connect(path)
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink in ((near, far), (far, near)):
            Thread(target=_pump, args=(source, sink), daemon=True).start()
    except (OSError, RuntimeError):
        # Ends a direction that is carried already.
        _shut_down(near)
        _shut_down(far)
        far.close()
        raise


def _pump(source: _socket.socket, sink: _socket.socket) -> None:
    """Copy one direction to its end; both pumps hold the sockets, so the last one closes them."""
    try:
        while chunk := source.recv(CHUNK_BYTES):
            sink.sendall(chunk)
        sink.shutdown(_socket.SHUT_WR)
    except OSError:  # one side is gone, so the other direction is useless
        _shut_down(source)
        _shut_down(sink)


def _shut_down(connection: _socket.socket) -> None:
    try:  # noqa: SIM105  # contextlib is slow to import
        connection.shutdown(_socket.SHUT_RDWR)
    except OSError:
        pass  # it was closed already


def _leave_the_command(starter: int) -> None:
    """Keep neither the command's standard streams nor its line and its variables, and end with it;
    the latter two on Linux only."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    if sys.platform != "linux":
        return
    import ctypes

    kernel = ctypes.CDLL(None)
    kernel.prctl(_SET_DEATH_SIGNAL, _KILL)
    if os.getppid() != starter:
        os._exit(0)  # it has ended before that
    kernel.prctl(_SET_NAME, NAME)
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123  # pathlib is slow to import
        fields = file.read().rpartition(b")")[2].split()
    for start, end in ((_LINE_START, _LINE_END), (_VARIABLES_START, _VARIABLES_END)):
        address = int(fields[start])
        ctypes.memset(address, 0, int(fields[end]) - address)
    # There is room: the line named this file, a socket and a port.
    ctypes.memmove(int(fields[_LINE_START]), NAME, len(NAME))


if __name__ == "__main__":
    main(sys.argv[1:])
