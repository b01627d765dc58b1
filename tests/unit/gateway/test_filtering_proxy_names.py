"""The filtering proxy looks at the name that a program sends through its tunnel."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.gateway.hellos import client_hello, with_extension
from tests.unit.gateway.test_filtering_proxy import connect, outside, proxy, say

NAME = "listed.example"


@pytest.mark.parametrize(
    "sent",
    [
        client_hello("evil.example"),
        client_hello(None),
        with_extension(client_hello(NAME), 0xFE0D, b"x" * 64),
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"\x16\x03\x01\x00\x00",
    ],
)
async def test_a_server_behind_the_same_address_is_out_of_reach(sent: bytes) -> None:
    async with outside() as there:
        with proxy(f"{NAME}:{there.port}=127.0.0.1", most_sent=9999) as (socket, decisions):
            said = await say(socket, connect(NAME, there.port), sent)

    assert (b"".join(there.got), said[:15]) == (b"", b"HTTP/1.1 200 OK")
    assert decisions == [(NAME, there.port, True), (NAME, there.port, False)]


async def test_tls_to_the_listed_host_passes_byte_for_byte() -> None:
    hello = client_hello(NAME)
    async with outside() as there:
        with proxy(f"{NAME}:{there.port}=127.0.0.1", most_sent=9999) as (socket, decisions):
            said = await say(socket, connect(NAME, there.port), hello[:7], hello[7:])

    assert (b"".join(there.got), said[-5:]) == (hello, b"hello")
    assert decisions == [(NAME, there.port, True)]


async def test_a_request_in_the_clear_through_a_tunnel_goes_on_alone_and_under_the_right_name() -> (
    None
):
    async with outside(b"HTTP/1.1 204 No Content\r\n\r\n") as there:
        with proxy(f"{NAME}:{there.port}=127.0.0.1") as (socket, _):
            said = await say(
                socket,
                connect(NAME, there.port),
                b"\r\nPUT /a HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1\r\n\r\nx",
                b"GET /b HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            )

    assert said.endswith(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert (
        b"".join(there.got)
        == (
            f"PUT /a HTTP/1.1\r\nhost: {NAME}:{there.port}\r\ncontent-length: 1\r\n"
            "connection: close\r\n\r\nx"
        ).encode()
    )


async def test_a_server_that_speaks_first_is_heard() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        writer.write(await reader.readline())
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        with proxy(f"{NAME}:{port}=127.0.0.1") as (socket, _):
            said = await talk_after_greeting(socket, port)

    assert said == b"EHLO me\r\n"


async def talk_after_greeting(socket: Path, port: int) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(socket))
    writer.write(connect(NAME, port))
    await reader.readuntil(b"220 ready\r\n")
    writer.write(b"EHLO me\r\n")
    said = await reader.read()
    writer.close()
    await writer.wait_closed()
    return said
