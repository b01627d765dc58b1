"""A client that speaks HTTP to the scripted API by hand, so that a test sees every byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi


@dataclass(frozen=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def said(self) -> str:
        """The text of a streamed answer."""
        return "".join(
            event["delta"]["text"] for event in self.events() if "text" in event.get("delta", {})
        )

    def events(self) -> list[dict[str, Any]]:
        lines = self.body.decode().split("\n")
        return [json.loads(line[len("data: ") :]) for line in lines if line.startswith("data: ")]

    @property
    def error(self) -> str:
        return str(json.loads(self.body)["error"]["message"])


class Client:
    """One connection, spoken to by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def ask(self, session: str = "s", *, stream: bool = True, **headers: str) -> None:
        body = json.dumps({"model": "m", "stream": stream, "messages": []}).encode()
        named = {f"x-{name.replace('_', '-')}": value for name, value in headers.items()}
        self.post(body, {"x-claude-code-session-id": session} | named)

    def post(
        self, body: bytes, headers: Mapping[str, str], path: str = "/v1/messages?beta=true"
    ) -> None:
        lines = [f"POST {path} HTTP/1.1", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)

    async def answer(self, *, head_only: bool = False) -> Answered:
        raw = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(": ") for line in raw[1:] if line)
        headers = {name: value for name, _, value in pairs}
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            while size := int(await self.reader.readline(), 16):
                body += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        elif not head_only:
            body = await self.reader.readexactly(int(headers["content-length"]))
        return Answered(int(raw[0].split()[1]), headers, body)

    async def said(self, session: str = "s", **headers: str) -> str:
        self.ask(session, stream=True, **headers)
        return (await self.answer()).said


@asynccontextmanager
async def client_of(api: ScriptedApi) -> AsyncIterator[Client]:
    url = urlsplit(api.base_url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        await writer.wait_closed()


def api_of(*sessions: str) -> ScriptedApi:
    listed = ", ".join(f"{{turns: [{turns}]}}" for turns in sessions)
    return ScriptedApi(parse_script(f"{{version: 1, sessions: [{listed}]}}", source="s.yaml"))
