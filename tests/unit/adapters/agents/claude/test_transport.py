"""The pipes of a process: what it prints line by line, and how it ends."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.transport import ProcessTransport, parse_message
from treadle.domain.sandbox import ConfinedCommand

WEATHER = {"type": "weather"}


@asynccontextmanager
async def running(
    script: str, place: Path, *, max_line: int = 1 << 20
) -> AsyncIterator[ProcessTransport]:
    transport = ProcessTransport(
        ConfinedCommand(
            ("/bin/sh", "-c", script),
            environment={"PATH": "/usr/bin:/bin", "PLACE": str(place)},
        ),
        directory=place,
        max_line=max_line,
    )
    await transport.connect()
    try:
        yield transport
    finally:
        await transport.close()


async def everything(transport: ProcessTransport) -> list[object]:
    return [message async for message in transport.read_messages()]


async def printed(content: bytes, place: Path, *, max_line: int = 1 << 20) -> list[object]:
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

    assert await printed(line + noise + line, tmp_path) == [WEATHER, WEATHER]


async def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    assert await printed(b'{"type": "weather"}', tmp_path) == [WEATHER]


async def test_a_line_of_three_megabytes_is_a_message(tmp_path: Path) -> None:
    large = {"type": "user", "text": "x" * 3_000_000}

    assert await printed(json.dumps(large).encode() + b"\n", tmp_path, max_line=4 << 20) == [large]


@pytest.mark.parametrize("size", [1_000, 10_000, 300_000])
async def test_a_line_over_the_limit_is_dropped_and_the_session_goes_on(
    size: int, tmp_path: Path
) -> None:
    line = json.dumps(WEATHER).encode() + b"\n"
    large = json.dumps({"type": "user", "text": "x" * size}).encode() + b"\n"

    assert await printed(line + large + line, tmp_path, max_line=500) == [WEATHER, WEATHER]


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

        assert transport.exit_code == 3


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
        assert await anext(reading) == {}
        following = asyncio.ensure_future(anext(reading, None))
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
