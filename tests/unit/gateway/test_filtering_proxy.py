"""The filtering proxy, at work between real sockets."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import pytest

from treadle.gateway.allowed_hosts import Address, AllowedHosts, parse_entries
from treadle.gateway.filtering_proxy import FilteringProxy
from treadle.gateway.proxy_connection import TransferLimit, TransferLimits

Decision = tuple[str, int, bool]


@dataclass
class Outside:
    """A server in the world, and every byte that reached it."""

    port: int
    got: list[bytes] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def outside(answer: bytes = b"hello") -> AsyncIterator[Outside]:
    """Says one thing to everybody, once they have said anything, and listens to the end."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):  # it may be gone at any time
            there.got.append(await reader.read(65536))
            there.reached.set()
            writer.write(answer)
            writer.write_eof()
            while part := await reader.read(65536):
                there.got.append(part)
        there.closed.set()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    serving: list[asyncio.Task[None]] = []
    server = await asyncio.start_server(
        lambda *streams: serving.append(asyncio.ensure_future(serve(*streams))), "127.0.0.1", 0
    )
    there = Outside(server.sockets[0].getsockname()[1])
    async with server:
        yield there
        await asyncio.gather(*serving)


@contextmanager
def proxy(
    *entries: str,
    found: str = "",
    upstream: str = "",
    most_sent: int = 1000,
    most_received: int = 1000,
) -> Iterator[tuple[Path, list[Decision]]]:
    """A proxy whose world has one name for everything; the decisions that it records."""

    async def look(host: str, port: int) -> Sequence[Address]:
        return [ip_address(found)] if found else []

    decisions: list[Decision] = []
    with FilteringProxy(
        AllowedHosts(parse_entries(entries)),
        lambda asked: decisions.append((asked.host, asked.port, asked.allowed)),
        resolve=look,
        upstream=lambda host, port: upstream,
        limits=TransferLimits(TransferLimit(most_sent), TransferLimit(most_received)),
    ) as filtering:
        yield filtering.socket, decisions


async def say(socket: Path, *parts: bytes) -> bytes:
    """Say something through the proxy's socket; all that comes back."""
    reader, writer = await asyncio.open_unix_connection(str(socket))
    for part in parts:
        writer.write(part)
        await writer.drain()
    said = await reader.read()
    writer.close()
    await writer.wait_closed()
    return said


def connect(host: str, port: int) -> bytes:
    return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()


async def test_a_tunnel_leads_to_an_address_that_the_user_wrote() -> None:
    async with outside() as there:
        with proxy(f"127.0.0.1:{there.port}") as (socket, decisions):
            said = await say(socket, connect("127.0.0.1", there.port) + b"early\n")

    assert said == b"HTTP/1.1 200 OK\r\n\r\nhello"
    assert (there.got, decisions) == ([b"early\n"], [("127.0.0.1", there.port, True)])


async def test_a_name_leads_to_the_address_beside_it_and_is_not_looked_up() -> None:
    async with outside() as there:
        with proxy(f"index.corp:{there.port}=127.0.0.1", found="127.0.0.9") as (socket, decisions):
            said = await say(socket, connect("index.corp", there.port) + b"x\n")

    assert (said[-5:], decisions) == (b"hello", [("index.corp", there.port, True)])


async def test_a_request_in_the_clear_goes_on_alone_and_under_the_right_name() -> None:
    async with outside(b"HTTP/1.1 204 No Content\r\n\r\n") as there:
        port = there.port
        with proxy(f"index.corp:{port}=127.0.0.1") as (socket, _):
            said = await say(
                socket,
                f"POST http://index.corp:{port}/a?b HTTP/1.1\r\n"
                "Host: elsewhere.example\r\nProxy-Authorization: Basic x\r\nX-Own: 1\r\n"
                "Content-Length: 4\r\n\r\nbody".encode(),
                b"GET http://elsewhere.example/ HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
            )

    assert said == b"HTTP/1.1 204 No Content\r\n\r\n"
    assert (
        b"".join(there.got)
        == (
            f"POST /a?b HTTP/1.1\r\nhost: index.corp:{port}\r\nx-own: 1\r\ncontent-length: 4\r\n"
            "connection: close\r\n\r\nbody"
        ).encode()
    )


@pytest.mark.parametrize(
    ("asked", "status", "reason", "decision"),
    [
        (
            connect("evil.example", 443),
            403,
            "evil.example:443 is not in sandbox.hosts",
            ("evil.example", 443, False),
        ),
        (
            connect("listed.example", 443),
            403,
            "listed.example is at an address that is not public",
            ("listed.example", 443, False),
        ),
        (
            connect("169.254.169.254", 80),
            403,
            "169.254.169.254:80 is not in sandbox.hosts",
            ("169.254.169.254", 80, False),
        ),
        (connect("listed.example.", 443), 403, "no host and port", ("?", 0, False)),
        (connect("listed.example\x00.evil", 443), 400, "this is not a request", ("?", 0, False)),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400, "this is not a request", ("?", 0, False)),
        (b"\x05\x01\x00\r\n\r\n", 400, "this is not a request", ("?", 0, False)),
        (
            b"GET /secret?token HTTP/1.1\r\nHost: listed.example\r\n\r\n",
            403,
            "this is a proxy: the address must be whole",
            ("?", 0, False),
        ),
    ],
)
async def test_everything_else_is_refused_with_a_reason(
    asked: bytes, status: int, reason: str, decision: Decision
) -> None:
    with proxy("listed.example:443", found="10.0.0.1") as (socket, decisions):
        said = await say(socket, asked)

    assert said.startswith(f"HTTP/1.1 {status} Treadle: {reason}\r\n".encode())
    assert decisions == [decision]


async def test_a_host_that_does_not_answer_is_reported() -> None:
    async with outside() as there:
        port = there.port
    with proxy(f"127.0.0.1:{port}") as (socket, decisions):
        said = await say(socket, connect("127.0.0.1", port))

    assert said.startswith(b"HTTP/1.1 502 Treadle: 127.0.0.1 was not reached\r\n")
    assert decisions == [("127.0.0.1", port, True)]


async def test_a_decision_is_recorded_once() -> None:
    with proxy() as (socket, decisions):
        for host in ("a.example", "b.example", "a.example"):
            await say(socket, connect(host, 443))

    assert decisions == [("a.example", 443, False), ("b.example", 443, False)]


async def test_no_more_leaves_than_may() -> None:
    async with outside() as there:
        with proxy(f"127.0.0.1:{there.port}", most_sent=10) as (socket, _):
            await say(socket, connect("127.0.0.1", there.port) + b"1234567\n")
            again = await say(socket, connect("127.0.0.1", there.port) + b"12\n")

    # The cap is of all connections together.
    assert (b"".join(there.got), again) == (b"1234567\n", b"HTTP/1.1 200 OK\r\n\r\n")


async def test_no_more_comes_in_than_may() -> None:
    async with outside(b"x" * 100_000) as there:
        with proxy(f"127.0.0.1:{there.port}", most_received=10) as (socket, _):
            said = await say(socket, connect("127.0.0.1", there.port) + b"x\n")

    assert said == b"HTTP/1.1 200 OK\r\n\r\n"


async def test_who_leaves_takes_the_far_side_along() -> None:
    async with outside() as there:
        with proxy(f"127.0.0.1:{there.port}") as (socket, _):
            _, writer = await asyncio.open_unix_connection(str(socket))
            writer.write(connect("127.0.0.1", there.port) + b"x\n")
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            await there.closed.wait()

    assert there.got == [b"x\n"]


async def test_a_process_that_reads_nothing_does_not_hold_up_the_end() -> None:
    much = 10_000_000
    async with outside(b"x" * much) as there:
        with proxy(f"127.0.0.1:{there.port}", most_received=much) as (socket, _):
            _, writer = await asyncio.open_unix_connection(str(socket))
            writer.write(connect("127.0.0.1", there.port) + b"x\n")
            await there.reached.wait()

        writer.close()

    assert there.got == [b"x\n"]


async def test_a_proxy_that_ends_cuts_what_is_under_way() -> None:
    async with outside() as there:
        with proxy(f"127.0.0.1:{there.port}") as (socket, _):
            reader, writer = await asyncio.open_unix_connection(str(socket))
            writer.write(connect("127.0.0.1", there.port) + b"x\n")
            await reader.readuntil(b"\r\n\r\n")

        assert await reader.read() in (b"hello", b"")
        assert not socket.parent.exists()
        writer.close()


async def test_where_the_machine_is_behind_a_proxy_that_one_is_asked() -> None:
    async with outside(b"HTTP/1.1 200 Connection established\r\n\r\nhello") as theirs:
        upstream = f"http://ada:p%40ss@127.0.0.1:{theirs.port}"
        with proxy("listed.example:443", upstream=upstream) as (socket, decisions):
            said = await say(socket, connect("listed.example", 443) + b"x\n")

    assert said == b"HTTP/1.1 200 OK\r\n\r\nhello"
    assert b"".join(theirs.got) == (
        b"CONNECT listed.example:443 HTTP/1.1\r\nHost: listed.example:443\r\n"
        b"Proxy-Authorization: Basic YWRhOnBAc3M=\r\n\r\nx\n"
    )
    assert decisions == [("listed.example", 443, True)]


@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 No\r\n\r\n", b"", b"nonsense\r\n\r\n"])
async def test_a_proxy_of_the_machine_that_refuses_is_reported(answer: bytes) -> None:
    async with outside(answer) as theirs:
        upstream = f"http://127.0.0.1:{theirs.port}"
        with proxy("listed.example:443", upstream=upstream) as (socket, _):
            said = await say(socket, connect("listed.example", 443))

    assert said.startswith(b"HTTP/1.1 502 Treadle: listed.example was not reached\r\n")


async def test_a_proxy_of_the_machines_of_another_kind_is_not_used() -> None:
    with proxy("listed.example:443", upstream="socks5://127.0.0.1:9") as (socket, _):
        said = await say(socket, connect("listed.example", 443))

    assert said.startswith(b"HTTP/1.1 502 Treadle: listed.example was not reached\r\n")


async def test_an_address_that_the_user_wrote_is_reached_past_the_machines_proxy() -> None:
    async with outside() as there:
        entry = f"index.corp:{there.port}=127.0.0.1"
        with proxy(entry, upstream="http://127.0.0.1:9") as (socket, _):
            said = await say(socket, connect("index.corp", there.port) + b"x\n")

    assert said[-5:] == b"hello"
