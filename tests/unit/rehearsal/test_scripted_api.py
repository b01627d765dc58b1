"""The scripted API speaks HTTP/1.1 to several clients at once and leaves nothing behind."""

import gc
import json
import socket
import threading
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import pytest

from tests.unit.rehearsal.raw_client import api_of, client_of
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import KEPT_REQUESTS, ScriptedApi


async def test_a_connection_serves_one_request_after_another() -> None:
    async with api_of("{text: a}, {text: b, chunk: 1}") as api, client_of(api) as client:
        said = [await client.said(), await client.said()]

    assert (said, api.problems()) == (["a", "b"], ())


async def test_a_client_that_closes_gets_its_answer_and_the_end() -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        client.post(b'{"stream": true}', {"connection": "close"})
        answered = await client.answer()

        assert (answered.said, answered.headers["connection"]) == ("a", "close")
        assert await client.reader.read() == b""


async def test_a_request_without_a_stream_gets_one_body() -> None:
    async with api_of("{text: a, headers: {x-one: 1}}") as api, client_of(api) as client:
        client.ask(stream=False)
        answered = await client.answer()

    body = json.loads(answered.body)
    assert (body["content"], body["model"]) == ([{"type": "text", "text": "a"}], "m")
    assert (answered.headers["content-type"], answered.headers["x-one"]) == (
        "application/json",
        "1",
    )


async def test_two_sessions_go_on_independently() -> None:
    async with (
        api_of("{text: 1a}, {text: 1b}", "{text: 2a}, {text: 2b}") as api,
        client_of(api) as one,
        client_of(api) as two,
    ):
        said = [await one.said("x"), await two.said("y"), await two.said("y"), await one.said("x")]

    assert (said, api.problems()) == (["1a", "2a", "2b", "1b"], ())


async def test_the_role_and_the_workspace_come_from_headers() -> None:
    script = parse_script(
        "{version: 1, sessions: [{turns: [{text: any}]}, {role: planner, turns: "
        "[{tool: Write, input: {file_path: '${workspace}/a'}}]}]}",
        source="s.yaml",
    )
    async with ScriptedApi(script) as api, client_of(api) as client:
        said = await client.said("x", treadle_role="implementer")
        client.ask("y", treadle_role="planner", treadle_workspace="/my%20work/%C3%BC")
        planned = await client.answer()

    assert said == "any"
    written = [
        e["delta"]["partial_json"] for e in planned.events() if "index" in e and "delta" in e
    ]
    assert json.loads("".join(written)) == {"file_path": "/my work/ü/a"}


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("HEAD / HTTP/1.1", 200),
        ("HEAD /api/hello HTTP/1.1", 200),
        ("GET /v1/models HTTP/1.1", 404),
        ("POST /v1/complete HTTP/1.1", 404),
        ("POST /v1/messages HTTP/1.1", 400),  # an empty body is no JSON
        ("hello", 400),
    ],
)
async def test_other_requests_use_up_no_turn(request_line: str, status: int) -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        client.writer.write(f"{request_line}\r\n\r\n".encode())
        answered = await client.answer(head_only=request_line.startswith("HEAD"))

    assert (answered.status, api.request_count) == (status, 0)


async def test_tokens_are_counted_without_a_turn() -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        client.post(b'{"messages": []}', {}, path="/v1/messages/count_tokens?beta=true")
        answered = await client.answer()

    assert (json.loads(answered.body), api.request_count) == ({"input_tokens": 4}, 0)


async def test_a_body_in_chunks_is_read() -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        head = b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n"
        client.writer.write(head + b"expect: 100-continue\r\n\r\n")
        goes_on = await client.reader.readuntil(b"\r\n\r\n")
        client.writer.write(b'8\r\n{"stream\r\n8;x=y\r\n": true}\r\n0\r\n\r\n')
        answered = await client.answer()

    assert (goes_on, answered.said) == (b"HTTP/1.1 100 Continue\r\n\r\n", "a")


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length: many\r\n\r\n",
        b"content-length: 99999999999\r\n\r\n",
        b"transfer-encoding: chunked\r\n\r\nzz\r\n",
        b"transfer-encoding: chunked\r\n\r\nfffffffff\r\n",
        b"x-long: " + b"x" * (1 << 20),
    ],
)
async def test_a_request_that_cannot_be_read_is_answered_and_closed(headers: bytes) -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        client.writer.write(b"POST /v1/messages HTTP/1.1\r\n" + headers)
        answered = await client.answer()

        assert (answered.status, answered.headers["connection"]) == (400, "close")


async def test_only_the_last_requests_are_kept_and_no_credential_with_them() -> None:
    async with api_of("{text: a, repeat: forever}") as api, client_of(api) as client:
        for _ in range(KEPT_REQUESTS + 3):
            await client.said(api_key="secret", claude_code_agent_id="sub")

    first, *_, last = api.requests
    assert (api.request_count, first.number, last.number) == (KEPT_REQUESTS + 3, 4, 67)
    assert (last.session, last.agent, last.json()["model"]) == ("s", "sub", "m")
    assert "secret" not in repr(api.requests)


async def test_waiting_for_requests_that_have_come_returns_at_once() -> None:
    async with api_of("{text: a}") as api, client_of(api) as client:
        await client.said()

        await api.wait_for_requests(1)


def ask_blocking(api: ScriptedApi) -> bytes:
    url = urlsplit(api.base_url)
    with socket.create_connection((url.hostname or "", url.port or 0)) as connection:
        connection.sendall(b"HEAD / HTTP/1.1\r\nconnection: close\r\n\r\n")
        return connection.makefile("rb").readline()


async def test_a_busy_caller_does_not_starve_the_server() -> None:
    async with api_of("{text: a}") as api:
        assert ask_blocking(api) == b"HTTP/1.1 200 OK\r\n"


def test_a_caller_without_an_event_loop_is_served_as_well() -> None:
    with api_of("{text: a}") as api:
        assert ask_blocking(api) == b"HTTP/1.1 200 OK\r\n"


async def test_leaving_ends_every_connection_and_the_thread() -> None:
    before = threading.active_count()
    api = api_of("{hang: true}, {text_of: {size: 20000000}}")
    async with AsyncExitStack() as clients, api:
        for number in (1, 2):
            client = await clients.enter_async_context(client_of(api))
            client.ask()
            await api.wait_for_requests(number)
    gc.collect()  # a socket left open would be reported here, and warnings are errors

    assert threading.active_count() == before


async def test_an_address_exists_only_once_entered() -> None:
    with pytest.raises(RuntimeError, match="before it is entered"):
        _ = api_of("{text: a}").base_url
