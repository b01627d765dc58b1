"""Opens connections from the filtering proxy: direct, or through the machine's own proxy."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from treadle.gateway.allowed_hosts import Address, HostRequest, authority

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CONNECT_TIMEOUT_S = 30.0
_DEFAULT_PORT = 80


async def connect_directly(addresses: Sequence[Address], port: int) -> Streams | None:
    """To the first that answers; never to a name, since what it means could have changed."""
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            for address in addresses:
                try:
                    return await asyncio.open_connection(str(address), port)
                except OSError:
                    continue
    except TimeoutError:
        pass
    return None


async def connect_through_proxy(proxy: str, asked: HostRequest) -> Streams | None:
    """By a tunnel of the proxy's; None if it is not there, of another kind, or does not want to."""
    parts = urlsplit(proxy)
    if parts.scheme != "http" or not parts.hostname:
        return None
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            far = await asyncio.open_connection(parts.hostname, parts.port or _DEFAULT_PORT)
            return await _open_tunnel(
                far, authority(asked), _authorization_header(parts.username, parts.password)
            )
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None


async def _open_tunnel(far: Streams, place: str, login: str) -> Streams | None:
    reader, writer = far
    agreed = False
    try:
        writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{login}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        agreed = head.split(b" ", 2)[1:2] == [b"200"]
    finally:
        if not agreed:
            writer.close()
    return far if agreed else None


def _authorization_header(name: str | None, password: str | None) -> str:
    if not name:
        return ""
    given = f"{unquote(name)}:{unquote(password or '')}".encode()
    return f"Proxy-Authorization: Basic {b64encode(given).decode()}\r\n"
