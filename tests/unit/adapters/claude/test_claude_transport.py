"""The pipe: what a process prints line by line, what of it the SDK is given, and how it ends."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from treadle.adapters.agents.claude.transport import (
    ProcessTransport,
    is_control_message,
    parse_message,
)
from treadle.domain.agent import Tool, ToolReply
from treadle.domain.sandbox import ConfinedCommand

WEATHER = {"type": "weather"}


@asynccontextmanager
async def running(
    script: str, place: Path, *, max_line: int = 1 << 20, tools: tuple[Tool, ...] = ()
) -> AsyncIterator[ProcessTransport]:
    transport = ProcessTransport(
        ConfinedCommand(
            ("/bin/sh", "-c", script),
            environment={"PATH": "/usr/bin:/bin", "PLACE": str(place)},
        ),
        directory=place,
        tools=tools,
        max_line=max_line,
    )
    await transport.connect()
    try:
        yield transport
    finally:
        await transport.close()


async def everything(transport: ProcessTransport) -> tuple[list[object], list[object]]:
    """What the SDK was given, and what went to the parser."""
    given: list[object] = [message async for message in transport.read_messages()]
    kept: list[object] = []
    while not transport.messages.empty():
        kept.append(transport.messages.get_nowait())
    return given, kept


async def printed(
    content: bytes, place: Path, *, max_line: int = 1 << 20
) -> tuple[list[object], list[object]]:
    (place / "printed").write_bytes(content)
    async with running('cat "$PLACE/printed"', place, max_line=max_line) as transport:
        return await everything(transport)


@pytest.mark.parametrize(
    "noise",
    [
        b"",
        b"Warning: something about node\n",
        b"[1, 2]\n",
        b'"text"\n',
        b"null\n",
        b"{\n",
        b'{"type": "weather"\n',
        b'{"type": "\xff\xfe"}\n',
        b"\x00\x01\x02\n",
        b"\r\n\n   \n",
        b'{"a":' * 100_000 + b"\n",
        b'{"a": ' + b"9" * 5000 + b"}\n",
    ],
    ids=[
        "nothing",
        "words",
        "list",
        "string",
        "null",
        "brace",
        "unfinished",
        "broken UTF-8",
        "bytes",
        "blank",
        "nested without end",
        "number without end",
    ],
)
async def test_a_line_that_is_no_object_is_passed_over(noise: bytes, tmp_path: Path) -> None:
    line = json.dumps(WEATHER).encode() + b"\n"

    assert await printed(line + noise + line, tmp_path) == ([], [WEATHER, WEATHER, None])


async def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    assert await printed(b'{"type": "weather"}', tmp_path) == ([], [WEATHER, None])


async def test_a_line_of_three_megabytes_is_a_message(tmp_path: Path) -> None:
    large = {"type": "user", "text": "x" * 3_000_000}

    assert await printed(json.dumps(large).encode() + b"\n", tmp_path, max_line=4 << 20) == (
        [],
        [large, None],
    )


@pytest.mark.parametrize("size", [1_000, 10_000, 300_000])
async def test_a_line_over_the_limit_is_dropped_and_the_session_goes_on(
    size: int, tmp_path: Path
) -> None:
    line = json.dumps(WEATHER).encode() + b"\n"
    large = json.dumps({"type": "user", "text": "x" * size}).encode() + b"\n"

    assert await printed(line + large + line, tmp_path, max_line=500) == (
        [],
        [WEATHER, WEATHER, None],
    )


REQUEST = {"type": "control_request", "request_id": "r", "request": {"subtype": "hook_callback"}}
RESPONSE = {"type": "control_response", "response": {"request_id": "r", "subtype": "success"}}
CANCEL = {"type": "control_cancel_request", "request_id": "r"}


@pytest.mark.parametrize(
    ("message", "control"),
    [
        (REQUEST, True),
        (RESPONSE, True),
        (CANCEL, True),
        ({**REQUEST, "request_id": 5}, False),
        ({**REQUEST, "request": "x"}, False),
        ({**REQUEST, "request": {}}, False),
        ({**RESPONSE, "response": None}, False),
        ({**RESPONSE, "response": {"request_id": []}}, False),
        ({"type": "control_cancel_request"}, False),
        ({"type": "control_weather"}, False),
        ({"type": ["control_request"]}, False),
        ({"type": "result"}, False),
        ({"type": "assistant"}, False),
        ({}, False),
    ],
)
def test_only_well_formed_control_messages_are_for_the_sdk(
    message: dict[str, Any], control: bool
) -> None:
    assert is_control_message(message) is control


async def test_the_sdk_is_given_the_control_protocol_and_nothing_else(tmp_path: Path) -> None:
    lines = [WEATHER, REQUEST, {"type": "control_response"}, CANCEL]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()

    assert await printed(content, tmp_path) == (
        [REQUEST, CANCEL],
        [WEATHER, {"type": "control_response"}, None],
    )


def test_a_message_is_an_object_with_spaces_around_it_or_not() -> None:
    assert [parse_message(b' {"a": 1} \r\n'), parse_message(b"[]"), parse_message(b"")] == [
        {"a": 1},
        None,
        None,
    ]


async def test_writing_to_a_process_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    async with running("exit 3", tmp_path, max_line=100) as transport:
        await everything(transport)
        await transport.wait_for_exit()
        await transport.write("x" * 1_000_000)

        assert (transport.exit_code, transport.is_ready()) == (3, False)


async def test_the_last_words_on_stderr_are_kept_and_bounded(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo line $i >&2; done"
    async with running(script, tmp_path, max_line=100) as transport:
        await everything(transport)
        await transport.wait_for_exit()
        await transport.close()

        assert transport.stderr_tail().splitlines() == [f"line {n}" for n in range(481, 501)]


async def test_closing_ends_a_process_that_ignores_the_end_of_its_input(tmp_path: Path) -> None:
    async with running("echo '{}'; exec tail -f /dev/null", tmp_path, max_line=100) as transport:
        reading = aiter(transport.read_messages())
        following = asyncio.ensure_future(anext(reading, None))
        assert await transport.messages.get() == {}
        await transport.close()
        pid = transport.pid or 0

        assert await following is None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_a_transport_that_never_connected_closes_quietly(tmp_path: Path) -> None:
    transport = ProcessTransport(ConfinedCommand(("nothing",), {}), directory=tmp_path)
    await transport.wait_for_exit()
    await transport.end_input()
    await transport.close()

    assert (transport.pid, transport.exit_code, transport.stderr_tail()) == (None, None, "")


def asked(method: str, **params: str) -> str:
    """A request for our tools as an agent prints it."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = {"subtype": "mcp_message", "server_name": "treadle", "message": message}
    return json.dumps({"type": "control_request", "request_id": "r", "request": request})


async def test_what_is_asked_of_our_tools_is_answered_on_the_pipe_and_not_left_to_the_sdk(
    tmp_path: Path,
) -> None:
    script = f'echo \'{asked("ping")}\'; read -r reply; echo "$reply" > "$PLACE/reply"'
    async with running(script, tmp_path) as transport:
        assert await everything(transport) == ([], [None])

    reply = {"mcp_response": {"jsonrpc": "2.0", "id": 1, "result": {}}}
    response = {"subtype": "success", "request_id": "r", "response": reply}
    assert json.loads((tmp_path / "reply").read_text()) == {
        "type": "control_response",
        "response": response,
    }


async def test_a_tool_that_is_at_work_when_the_pipe_is_closed_has_ended_then(
    tmp_path: Path,
) -> None:
    began, ends = asyncio.Event(), []

    async def wait(_: Mapping[str, Any]) -> ToolReply:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("called off")
        raise AssertionError

    script = f"echo '{asked('tools/call', name='wait')}'; cat > /dev/null"
    tool = Tool("wait", "Waits.", {"type": "object"}, wait)
    async with running(script, tmp_path, tools=(tool,)) as transport:
        reading = asyncio.create_task(everything(transport))
        await began.wait()
        await transport.close()
        assert ends == ["called off"]
        await reading
