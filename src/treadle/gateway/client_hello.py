"""Reads the first message of a TLS client, as far as it names the server. Pure."""

from dataclasses import dataclass
from typing import TypeAlias

HANDSHAKE = 0x16
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_ENCRYPTED_HELLO = 0xFE0D
_HOST_NAME = 0
# A message with post-quantum keys has about two kilobytes.
MAX_HELLO = 64 * 1024
_RECORD_HEADER, _MESSAGE_HEADER = 5, 4


@dataclass(frozen=True, slots=True)
class ClientHello:
    """What the message says about the server."""

    # In lower case; None if it names none.
    server_name: str | None
    # Another name may stand in an encrypted part (ECH).
    has_encrypted_part: bool = False


@dataclass(frozen=True, slots=True)
class HelloUnfinished:
    """The message goes on."""


@dataclass(frozen=True, slots=True)
class HelloUnreadable:
    """The bytes are no such message, or it has two meanings."""


ReadHello: TypeAlias = ClientHello | HelloUnfinished | HelloUnreadable


def read_client_hello(data: bytes) -> ReadHello:
    """Read the message from the start of a connection; it may be split over several records."""
    message = bytearray()
    while True:
        if len(data) < _RECORD_HEADER:
            return _unfinished(message)
        if data[0] != HANDSHAKE or data[1] != 3:
            return HelloUnreadable()
        end = _RECORD_HEADER + int.from_bytes(data[3:_RECORD_HEADER])
        message += data[_RECORD_HEADER:end]
        if len(message) >= _MESSAGE_HEADER:
            size = _MESSAGE_HEADER + int.from_bytes(message[1:_MESSAGE_HEADER])
            if message[0] != _CLIENT_HELLO or size > MAX_HELLO:
                return HelloUnreadable()
            if len(message) >= size:
                return _parse(bytes(message[_MESSAGE_HEADER:size]))
        if end == _RECORD_HEADER:
            return HelloUnreadable()  # an empty record could be repeated for ever
        data = data[end:]


def _unfinished(message: bytearray) -> HelloUnfinished | HelloUnreadable:
    return HelloUnfinished() if len(message) <= MAX_HELLO else HelloUnreadable()


class _Truncated(Exception):
    """A length points beyond the end."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._left = data

    def take(self, size: int) -> bytes:
        if size > len(self._left):
            raise _Truncated
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size))

    def block(self, length_size: int) -> bytes:
        """A block with its length before it."""
        return self.take(self.number(length_size))

    @property
    def is_at_end(self) -> bool:
        return not self._left


def _parse(body: bytes) -> ClientHello | HelloUnreadable:
    try:
        return _read_extensions(_extensions(body))
    except _Truncated:
        return HelloUnreadable()


def _extensions(body: bytes) -> _Reader:
    reader = _Reader(body)
    reader.take(2 + 32)  # the version and the random bytes
    reader.block(1)  # the session
    reader.block(2)  # the ciphers
    reader.block(1)  # the compressions
    return _Reader(b"" if reader.is_at_end else reader.block(2))


def _read_extensions(reader: _Reader) -> ClientHello | HelloUnreadable:
    names: list[bytes] = []
    has_encrypted_part = False
    while not reader.is_at_end:
        kind, content = reader.number(2), reader.block(2)
        if kind == _SERVER_NAME:
            listed = _Reader(_Reader(content).block(2))
            while not listed.is_at_end:
                if listed.number(1) != _HOST_NAME:
                    return HelloUnreadable()
                names.append(listed.block(2))
        has_encrypted_part |= kind == _ENCRYPTED_HELLO
    # Of two names each server takes another.
    if len(names) > 1 or any(not name.isascii() for name in names):
        return HelloUnreadable()
    return ClientHello(names[0].decode("ascii").lower() if names else None, has_encrypted_part)
