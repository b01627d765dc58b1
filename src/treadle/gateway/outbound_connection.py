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
    """Connect to the first address that answers; never by name, whose address may have changed."""
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


async def connect_through_proxy(proxy: str, request: HostRequest) -> Streams | None:
    """Open a tunnel through the proxy; None if it is unreachable, not HTTP, or refuses."""
    parts = urlsplit(proxy)
    if parts.scheme != "http" or not parts.hostname:
        return None
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            proxy_streams = await asyncio.open_connection(
                parts.hostname, parts.port or _DEFAULT_PORT
            )
            return await _open_tunnel(
                proxy_streams,
                authority(request),
                _authorization_header(parts.username, parts.password),
            )
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None


async def _open_tunnel(proxy_streams: Streams, target: str, authorization: str) -> Streams | None:
    reader, writer = proxy_streams
    is_open = False
    try:
        writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        is_open = head.split(b" ", 2)[1:2] == [b"200"]
    finally:
        if not is_open:
            writer.close()
    return proxy_streams if is_open else None


def _authorization_header(name: str | None, password: str | None) -> str:
    if not name:
        return ""
    credentials = f"{unquote(name)}:{unquote(password or '')}".encode()
    return f"Proxy-Authorization: Basic {b64encode(credentials).decode()}\r\n"
