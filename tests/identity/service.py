"""A TLS-terminating proxy on loopback that stands for the hosts of a subscription, and no others.

`platform.claude.com` gives out tokens; `api.anthropic.com` knows the account, and passes requests
for a model that bring the live access token on to a scripted API.
"""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tests.identity.token_issuer import (
    PROFILE,
    Mode,
    Renewal,
    TokenIssuer,
    TokenPair,
    stored_login,
)
from treadle.gateway.indexes.authority import CertificateAuthority
from treadle.rehearsal.http1 import HttpRequest, encode_head, read_request
from treadle.rehearsal.response_steps import SendHead

PLATFORM = "platform.claude.com"
API = "api.anthropic.com"
TOKEN_PATH = "/v1/oauth/token"
PROFILE_PATH = "/api/oauth/profile"
USAGE_PATH = "/api/oauth/usage"
MESSAGES_PATH = "/v1/messages"
# Nothing that a test waits for takes longer.
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request to one of the two hosts."""

    host: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def bearer(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


class IdentityService:
    """`with IdentityService(folder) as identity: identity.environment`.

    It has a thread and an event loop of its own. `model_url` is where requests for a model go.
    """

    def __init__(
        self, folder: Path, *, expires_in: int = 3600, delay_s: float = 0.0, model_url: str = ""
    ) -> None:
        self.delay_s = delay_s
        self.model_url = model_url
        self.requests: tuple[ReceivedRequest, ...] = ()
        self.refused_hosts: tuple[str, ...] = ()
        self._issuer = TokenIssuer(expires_in)
        self._answered = 0
        self._changed = threading.Condition()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        authority = CertificateAuthority("identity service of a test")
        self._authority = folder / "identity-authority.pem"
        self._authority.write_bytes(authority.pem)
        self._context = authority.server_context((PLATFORM, API), folder)

    @property
    def environment(self) -> dict[str, str]:
        """What leads a program of the user here."""
        proxy = f"http://127.0.0.1:{self._port}"
        return {
            "HTTPS_PROXY": proxy,
            "HTTP_PROXY": proxy,
            "NO_PROXY": "127.0.0.1,localhost",
            "NODE_EXTRA_CA_CERTS": str(self._authority),
        }

    def write_login(self, home: Path, *, expires_in: int = 3600) -> Path:
        """Log the user of this home in; logins of before have ended with it."""
        return self._issuer.log_in(home, expires_in)

    def revoke_access(self) -> None:
        """Refuse the access token before its time; its refresh token stays good."""
        self._issuer.revoke_access()

    def is_logged_in(self, home: Path) -> bool:
        """Whether the refresh token in the home's file is the one that is good now."""
        live = self._issuer.live
        return live is not None and stored_login(home)["refreshToken"] == live.refresh

    def answer_with(self, mode: Mode) -> None:
        """How the next requests for tokens are answered."""
        self._issuer.mode = mode

    def hold_answers(self) -> None:
        """From now on tokens are spent and issued, but the answers stay away."""
        self._loop.call_soon_threadsafe(self._released.clear)

    def release_answers(self) -> None:
        self._loop.call_soon_threadsafe(self._released.set)

    @property
    def live(self) -> TokenPair | None:
        return self._issuer.live

    @property
    def renewals(self) -> tuple[Renewal, ...]:
        return self._issuer.renewals

    @property
    def refused_tokens(self) -> tuple[str, ...]:
        """Refresh tokens that were spent, ended or made up."""
        return self._issuer.refused

    @property
    def token_requests(self) -> tuple[ReceivedRequest, ...]:
        return tuple(each for each in self.requests if each.path == TOKEN_PATH)

    @property
    def model_requests(self) -> tuple[ReceivedRequest, ...]:
        return tuple(each for each in self.requests if each.path == MESSAGES_PATH)

    def wait_for_token_requests(self, count: int) -> None:
        """Until this many have arrived, answered or not."""
        self._wait(lambda: len(self.token_requests) >= count)

    def wait_for_token_answers(self, count: int) -> None:
        """Until this many are on their way to whoever asked."""
        self._wait(lambda: self._answered >= count)

    def _wait(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, PATIENCE_S), self.requests

    def __enter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._port: int = listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._stopped, self._released = asyncio.Event(), asyncio.Event()
        self._released.set()
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def _run(self, listener: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(listener))

    async def _serve(self, listener: socket.socket) -> None:
        connections: set[asyncio.Task[None]] = set()  # the loop holds only weak references
        # Below TLS, which waits for the client's goodbye.
        transports: list[asyncio.WriteTransport] = []

        def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._serve_connection(reader, writer))
            connections.add(task)
            task.add_done_callback(connections.discard)
            transports.append(writer.transport)

        server = await asyncio.start_server(on_connect, sock=listener, limit=1 << 20)
        await self._stopped.wait()
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        for transport in transports:
            transport.abort()
        await asyncio.sleep(0)  # they close in the next turn of the loop

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
                opening = await read_request(reader, writer)
                if not isinstance(opening, HttpRequest):
                    return
                host = opening.path.removesuffix(":443")
                if opening.method != "CONNECT" or host not in (PLATFORM, API):
                    self.refused_hosts = (*self.refused_hosts, opening.path)
                    await _send(writer, 403, {"error": "not a host of this test"})
                    return
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.start_tls(self._context)
                while isinstance(request := await read_request(reader, writer), HttpRequest):
                    if not await self._respond(host, request, writer):
                        return
        finally:
            writer.close()

    async def _respond(self, host: str, request: HttpRequest, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can be used again."""
        received = ReceivedRequest(
            host, request.method, request.path, request.headers, request.body
        )
        if (host, request.method, request.path) == (PLATFORM, "POST", TOKEN_PATH):
            return await self._respond_token(received, writer)
        self._record(received)
        if host != API or not received.path.startswith((PROFILE_PATH, USAGE_PATH, MESSAGES_PATH)):
            await _send(writer, 404, NOT_FOUND)
        elif not self._is_known(received):
            await _send(writer, 401, UNKNOWN_TOKEN)
        elif received.path == PROFILE_PATH:
            await _send(writer, 200, PROFILE)
        elif received.path == USAGE_PATH:
            await _send(writer, 200, USAGE)
        elif not self.model_url:
            await _send(writer, 404, NOT_FOUND)
        else:
            await _relay(self.model_url, received, writer)
            return False
        return True

    async def _respond_token(self, received: ReceivedRequest, writer: asyncio.StreamWriter) -> bool:
        # Spent before anybody can have noticed that the request has arrived.
        answer = self._issuer.answer(received.body)
        self._record(received)
        if answer.status is None:
            await self._stopped.wait()
            return False
        await self._released.wait()
        await asyncio.sleep(self.delay_s)
        await _send(writer, answer.status, answer.body)
        with self._changed:
            self._answered += 1
            self._changed.notify_all()
        return True

    def _is_known(self, received: ReceivedRequest) -> bool:
        live = self._issuer.live
        return live is not None and received.bearer == live.access

    def _record(self, received: ReceivedRequest) -> None:
        with self._changed:
            self.requests = (*self.requests, received)
            self._changed.notify_all()


NOT_FOUND = {"type": "error", "error": {"type": "not_found_error", "message": "no such thing"}}
USAGE = {"five_hour": {"utilization": 1.0, "resets_at": None}}
UNKNOWN_TOKEN = {
    "type": "error",
    "error": {"type": "authentication_error", "message": "Invalid bearer token"},
}


async def _send(writer: asyncio.StreamWriter, status: int, body: Mapping[str, Any]) -> None:
    content = json.dumps(body).encode()
    head = SendHead(status, {"content-type": "application/json"}, len(content))
    writer.write(encode_head(head, keeps_alive=True) + content)
    await writer.drain()


async def _relay(url: str, received: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
    """Ask the scripted API, and send its answer as it comes, to the end of the connection."""
    address = urlsplit(url)
    reader, upstream = await asyncio.open_connection(address.hostname, address.port)
    try:
        kept = {
            name: value
            for name, value in received.headers.items()
            if name not in ("authorization", "connection", "content-length", "transfer-encoding")
        }
        lines = [f"{received.method} {received.path} HTTP/1.1", "connection: close"]
        lines += [f"{name}: {value}" for name, value in kept.items()]
        lines += [f"content-length: {len(received.body)}", "", ""]
        upstream.write("\r\n".join(lines).encode("latin-1") + received.body)
        while part := await reader.read(1 << 16):
            writer.write(part)
            await writer.drain()
    finally:
        upstream.close()
