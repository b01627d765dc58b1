"""First messages of TLS clients."""

import ssl


def client_hello(name: str | None) -> bytes:
    """As OpenSSL sends it."""
    context = ssl.create_default_context()
    if name is None:
        context.check_hostname = False
    outgoing = ssl.MemoryBIO()
    connection = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("there is no server")


def with_extension(hello: bytes, kind: int, content: bytes) -> bytes:
    """With one extension more, at the end."""
    body = bytearray(hello[9:])
    at = 34
    at += 1 + body[at]
    at += 2 + int.from_bytes(body[at : at + 2])
    at += 1 + body[at]
    more = kind.to_bytes(2) + len(content).to_bytes(2) + content
    size = int.from_bytes(body[at : at + 2]) + len(more)
    body[at : at + 2] = size.to_bytes(2)
    return record(b"\x01" + len(body + more).to_bytes(3) + bytes(body) + more)


def name_extension(name: bytes) -> bytes:
    entry = b"\x00" + len(name).to_bytes(2) + name
    return len(entry).to_bytes(2) + entry


def record(content: bytes) -> bytes:
    return b"\x16\x03\x01" + len(content).to_bytes(2) + content


def in_pieces(hello: bytes, size: int) -> bytes:
    """The same message in records of this size."""
    content = hello[5:]
    return b"".join(record(content[at : at + size]) for at in range(0, len(content), size))
