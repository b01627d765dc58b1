"""A session is known by the socket or the address that it asks at, and needs no key of its own."""

import os
import stat
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    ASKED,
    KEY,
    PLENTY,
    SESSION,
    UNENCRYPTED,
    gateway_before,
)
from tests.unit.gateway.recorded_heads import record_heads
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.errors import SettingsError
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill
from treadle.domain.model_access import (
    Endpoint,
    Login,
    ModelService,
    PlaceholderSecret,
    StaticSecret,
)
from treadle.domain.usage import Usage
from treadle.gateway.model_gateway import Gateway
from treadle.gateway.sockets import SocketDirectory, remove_stale_directories

WORDS = Login(
    secrets=(
        PlaceholderSecret(b"word-1", StaticSecret(b"s3cret-1")),
        PlaceholderSecret(b"word-2", StaticSecret(b"s3cret-2")),
    ),
    headers=((b"x-team", b"7"),),
)


@asynccontextmanager
async def through(socket: Path, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client that asks at a socket, as an agent in a sandbox does."""
    way = httpx2.AsyncHTTPTransport(uds=str(socket), verify=UNENCRYPTED)
    async with httpx2.AsyncClient(
        transport=way, trust_env=False, headers=headers, base_url="http://gateway"
    ) as client:
        yield client


async def test_both_doors_of_a_session_lead_to_its_account() -> None:
    async with gateway_before("{text: hello, repeat: 2}") as harness:
        endpoint = harness.gateway.open(SESSION, RUN, PLENTY)
        harness.url = endpoint.url
        async with through(endpoint.socket, **KEY) as client:
            by_socket = await client.post("/v1/messages?beta=true", json=ASKED)
        by_address = await harness.ask()
        bill = await harness.close()

    assert (by_socket.status_code, by_address.status_code) == (200, 200)
    assert bill == Bill(2, 0.0016, Usage(200, 40))


async def test_each_session_has_a_socket_of_its_own() -> None:
    other = SessionId("session-2")
    async with gateway_before("{text: hello, repeat: 3}") as harness:
        first = harness.gateway.open(SESSION, RUN, PLENTY)
        second = harness.gateway.open(other, RunId("run-2"), PLENTY)
        async with through(first.socket) as one, through(second.socket) as two:
            for client in (one, two, two):
                await client.post("/v1/messages", json=ASKED)
        bills = [await harness.gateway.close(session) for session in (SESSION, other)]

    assert [bill.requests for bill in bills] == [1, 2]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/", 200),
        ("GET", "/api/hello", 200),
        ("GET", "/v1/models", 403),
        ("POST", "/v1/oauth/token", 403),
        ("POST", "/v1/messages/batches", 403),
    ],
)
async def test_what_is_no_message_never_reaches_the_service(
    method: str, path: str, status: int
) -> None:
    async with gateway_before("{text: unused}") as harness:
        endpoint = harness.gateway.open(SESSION, RUN, PLENTY)
        async with through(endpoint.socket) as client:
            answer = await client.request(method, path)

        assert (answer.status_code, harness.api.request_count) == (status, 0)


async def test_a_session_that_is_closed_has_no_socket_any_more() -> None:
    async with gateway_before("{text: hello, repeat: 2}") as harness:
        endpoint = harness.gateway.open(SESSION, RUN, PLENTY)
        async with through(endpoint.socket) as client:
            before = await client.post("/v1/messages", json=ASKED)
            await harness.close()
            kept = await client.post("/v1/messages", json=ASKED)  # over the same connection
        async with through(endpoint.socket) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.post("/v1/messages", json=ASKED)

        assert (before.status_code, kept.status_code) == (200, 403)
        assert not endpoint.socket.exists()


async def test_a_session_that_is_opened_anew_has_a_new_socket() -> None:
    async with gateway_before("{text: hello}") as harness:
        old = harness.gateway.open(SESSION, RUN, PLENTY)
        new = harness.gateway.open(SESSION, RUN, PLENTY)
        async with through(new.socket) as client:
            answer = await client.post("/v1/messages", json=ASKED)

        assert (answer.status_code, old.socket.exists()) == (200, False)


async def test_a_stream_passes_a_socket_part_by_part() -> None:
    async with gateway_before("{hang: middle, text: a long story, chunk: 1}") as harness:
        endpoint = harness.gateway.open(SESSION, RUN, PLENTY)
        async with (
            through(endpoint.socket) as client,
            client.stream("POST", "/v1/messages", json=ASKED) as response,
        ):
            async for line in response.aiter_lines():
                if "content_block_delta" in line:
                    break
        bill = await harness.close()

    assert (bill.requests, bill.estimated) == (1, True)


async def test_sockets_are_where_nobody_else_can_go_and_are_gone_with_their_gateway() -> None:
    async with gateway_before("{text: unused}") as harness:
        directory = harness.gateway.open(SESSION, RUN, PLENTY).socket.parent
        mode = stat.S_IMODE(directory.stat().st_mode)

    assert (mode, directory.exists()) == (0o700, False)


async def test_an_address_is_not_shown_since_it_opens_the_session() -> None:
    assert "t0ken" not in repr(Endpoint(Path("/tmp/1.sock"), "http://127.0.0.1:5/t0ken"))


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        ({"x-api-key": "word-1"}, {"x-api-key": "s3cret-1", "x-team": "7"}),
        (
            {"authorization": "Bearer word-2"},
            {"authorization": "Bearer s3cret-2", "x-team": "7"},
        ),
        ({"x-api-key": "guessed", "cookie": "a=b", "x-team": "8"}, {"x-team": "7"}),
    ],
)
async def test_the_service_gets_the_login_that_the_agent_never_had(
    sent: dict[str, str], received: dict[str, str]
) -> None:
    ledger = MemoryLedger()
    async with record_heads() as service:
        gateway = Gateway(
            ModelService(service.url),
            ledger,
            prices=VENDOR_PRICES,
            login=WORDS,
            now=lambda: NOON,
        )
        async with gateway:
            endpoint = gateway.open(SESSION, RUN, PLENTY)
            async with through(endpoint.socket, **sent) as client:
                by_socket = await client.post("/v1/messages", json=ASKED)
                by_address = await httpx_post(endpoint.url, sent)
            bill = await gateway.close(SESSION)

    assert service.of_each("x-api-key", "authorization", "cookie", "x-team") == [received] * 2
    assert "s3cret" not in by_socket.text + str(by_socket.headers) + by_address.text
    assert bill.usage == Usage(10, 12)


async def httpx_post(url: str, headers: dict[str, str]) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, verify=UNENCRYPTED, headers=headers) as client:
        return await client.post(f"{url}/v1/messages", json=ASKED)


def test_what_a_crash_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    held, other = SocketDirectory(tmp_path), tmp_path / "another"
    other.mkdir()
    left = tmp_path / "treadle-gateway-left"
    left.mkdir(mode=0o700)
    (left / "1.sock").touch()
    strange = tmp_path / "treadle-gateway-strange"  # nobody of ours makes it for all to enter
    strange.mkdir(mode=0o755)
    link = tmp_path / "treadle-gateway-link"
    link.symlink_to(other)

    remove_stale_directories(tmp_path)

    assert sorted(tmp_path.iterdir()) == sorted([held.path, other, strange, link])
    held.close()
    assert not held.path.exists()


def test_gateways_that_begin_at_once_do_not_sweep_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(SocketDirectory, [tmp_path] * 40))

    assert sorted(tmp_path.iterdir()) == sorted(each.path for each in made)
    for each in made:
        each.close()


def test_a_socket_directory_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot make a directory for sockets"):
        SocketDirectory(tmp_path / "absent")


def test_a_sockets_path_is_short_wherever_treadle_keeps_its_files() -> None:
    directory = SocketDirectory()
    path, listener = directory.listen()
    listener.close()
    directory.close()

    assert len(os.fsencode(path)) < 60
