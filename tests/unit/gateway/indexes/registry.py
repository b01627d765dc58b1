"""A small registry behind a machine's own proxy, and a process in front of Treadle's."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import h11

from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import Address, AllowedHosts, HostEntry
from treadle.gateway.filtering_proxy import FilteringProxy
from treadle.gateway.indexes.authority import CertificateAuthority
from treadle.gateway.indexes.index_cache import IndexCache
from treadle.gateway.indexes.index_client import IndexClient
from treadle.gateway.indexes.index_server import IndexServer
from treadle.gateway.outbound_connection import Streams

HOSTS = ("index.example", "files.example", "cdn.example", "evil.example")


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    # Of the announced length; the connection is cut after the body.
    length: int | None = None


@dataclass(frozen=True)
class Asked:
    method: str
    url: str
    headers: dict[str, str]


@dataclass
class Registry:
    """Answers by address; everything else is 404. An answer with an ETag can be revalidated."""

    port: int
    # The certificates that its clients have to trust.
    authority: Path
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def requests(self) -> list[str]:
        return [f"{each.method} {each.url}" for each in self.asked]

    def logins(self) -> list[str | None]:
        return [each.headers.get("authorization") for each in self.asked]


@asynccontextmanager
async def registry(directory: Path) -> AsyncIterator[Registry]:
    """All hosts at once: it is the proxy that leads to them, too."""
    authority = CertificateAuthority("registry")
    context = authority.server_context(HOSTS, directory)
    (directory / "registry.pem").write_bytes(authority.pem)
    serving: set[asyncio.Task[None]] = set()

    def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.ensure_future(_serve(there, context, reader, writer)))

    server = await asyncio.start_server(on_connect, "127.0.0.1", 0)
    there = Registry(server.sockets[0].getsockname()[1], directory / "registry.pem")
    async with server:
        yield there
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


async def _serve(
    there: Registry,
    context: ssl.SSLContext,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    peer, origin = h11.Connection(h11.SERVER), ""
    try:
        while True:
            request = await _next_event(peer, reader)
            if not isinstance(request, h11.Request):
                return
            await _next_event(peer, reader)
            if request.method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await writer.start_tls(context)
                peer = h11.Connection(h11.SERVER)
                origin = f"https://{request.target.decode().removesuffix(':443')}"
                continue
            if not _respond(there, origin + request.target.decode(), request, peer, writer):
                return
            await writer.drain()
            peer.start_next_cycle()
    except (ConnectionError, ssl.SSLError, h11.RemoteProtocolError):
        pass
    finally:
        writer.close()


def _respond(
    there: Registry,
    url: str,
    request: h11.Request,
    peer: h11.Connection,
    writer: asyncio.StreamWriter,
) -> bool:
    headers = {name.decode(): value.decode() for name, value in request.headers}
    there.asked.append(Asked(request.method.decode(), url, headers))
    answer = there.answers.get(url, Answer(b"no such thing", 404))
    etag = answer.headers.get("etag", "")
    if etag and headers.get("if-none-match") == etag:
        answer = Answer(b"", 304, {"etag": etag})
    length = len(answer.body) if answer.length is None else answer.length
    framing = {} if answer.status == 304 else {"content-length": str(length)}
    pairs = [(k.encode(), v.encode()) for k, v in {**answer.headers, **framing}.items()]
    writer.write(peer.send(h11.Response(status_code=answer.status, headers=pairs)) or b"")
    if request.method != b"HEAD" and answer.body:
        writer.write(peer.send(h11.Data(data=answer.body)) or b"")
    if answer.length is not None:
        return False
    writer.write(peer.send(h11.EndOfMessage()) or b"")
    return True


async def _next_event(
    peer: h11.Connection, reader: asyncio.StreamReader
) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
    while (event := peer.next_event()) is h11.NEED_DATA:
        peer.receive_data(await reader.read(65536))
    return event


@dataclass(frozen=True)
class Inside:
    """A process in a sandbox: it has the sockets and the certificate, and nothing else."""

    proxy: FilteringProxy
    certificate: bytes
    decisions: list[HostAsked]

    async def ask(self, url: str, method: str = "GET", **headers: str) -> "Received":
        """Ask through the proxy, as package tools do; a tunnel for https."""
        reader, writer = await asyncio.open_unix_connection(str(self.proxy.socket))
        parts = urlsplit(url)
        target = url
        if parts.scheme == "https":
            writer.write(f"CONNECT {parts.hostname}:443 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                return Received(int(head.split()[1]), head.split(b"\r\n")[0].decode(), {}, b"")
            context = ssl.create_default_context(cadata=self.certificate.decode())
            await writer.start_tls(context, server_hostname=parts.hostname)
            target = url.partition(parts.netloc)[2]
        return await exchange(reader, writer, method, target, headers)

    async def tunnel(self, authority: str) -> Streams:
        """The ends of a tunnel that was accepted."""
        reader, writer = await asyncio.open_unix_connection(str(self.proxy.socket))
        writer.write(f"CONNECT {authority} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        return reader, writer

    async def ask_loopback(self, port: int, target: str) -> "Received":
        """Ask an index on loopback, as the bridge passes it on."""
        path = str(self.proxy.index_sockets[port])
        return await exchange(*await asyncio.open_unix_connection(path), "GET", target, {})


@dataclass(frozen=True)
class Received:
    status: int
    reason: str
    headers: dict[str, str]
    body: bytes

    @property
    def short(self) -> tuple[int, bytes]:
        return self.status, self.body


async def exchange(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    method: str,
    target: str,
    headers: Mapping[str, str],
) -> Received:
    """One request and its answer. Raises h11.RemoteProtocolError for one that is cut off."""
    peer = h11.Connection(h11.CLIENT)
    given = [("host", "x"), *((name.replace("_", "-"), value) for name, value in headers.items())]
    writer.write(peer.send(h11.Request(method=method, target=target, headers=given)) or b"")
    writer.write(peer.send(h11.EndOfMessage()) or b"")
    response, body = await _next_event(peer, reader), b""
    assert isinstance(response, h11.Response)
    while isinstance(event := await _next_event(peer, reader), h11.Data):
        body += event.data
    writer.close()
    received = {name.decode(): value.decode() for name, value in response.headers}
    return Received(response.status_code, bytes(response.reason).decode(), received, body)


@contextmanager
def inside(
    there: Registry,
    directory: Path,
    *indexes: PackageIndex,
    proxied: bool = True,
    listed: Sequence[HostEntry] = (),
) -> Iterator[Inside]:
    """A sandbox whose world is the registry; the cache is in the directory."""
    decisions: list[HostAsked] = []
    client = IndexClient(
        indexes,
        resolve=nowhere if proxied else loopback,
        upstream=lambda host, port: there.proxy if proxied else "",
        authorities=[there.authority],
    )
    cache = IndexCache(directory / "cache")
    server = IndexServer(indexes, decisions.append, client, cache, directory)
    with FilteringProxy(
        AllowedHosts(tuple(listed)), decisions.append, resolve=nowhere, indexes=server
    ) as proxy:
        yield Inside(proxy, server.certificate, decisions)


async def nowhere(host: str, port: int) -> Sequence[Address]:
    return ()


async def loopback(host: str, port: int) -> Sequence[Address]:
    from ipaddress import ip_address

    return (ip_address("127.0.0.1"),)
