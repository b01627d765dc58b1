"""A gateway before a scripted model, with a ledger to look into and clients to ask with."""

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2

from tests.builders import NOON, RUN, VENDOR_PRICES
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, Budget, CostSoFar, Ledger, LedgerEntry
from treadle.domain.model_access import PASS_THROUGH_LOGIN, Login, ModelService
from treadle.gateway.model_gateway import Gateway, GatewayRules
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

SESSION = SessionId("session-1")
MODEL = "claude-opus-5-5"
PLENTY = Budget(1000.0)
KEY = {"x-api-key": "a key"}
# Trusts nobody, and is made in no time.
UNENCRYPTED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
# Answers that hang would otherwise be waited for.
IMPATIENT = GatewayRules(read_on_s=0.1, closing_s=0.1, silent_s=0.1)
ASKED: dict[str, Any] = {"model": MODEL, "max_tokens": 100, "stream": True, "messages": []}


@dataclass
class GatewayHarness:
    api: ScriptedApi
    gateway: Gateway
    client: httpx2.AsyncClient
    ledger: Ledger
    url: str
    socket: Path

    async def ask(self, **changes: Any) -> httpx2.Response:
        """One request for a message, answered to its end."""
        return await self.client.post(f"{self.url}/v1/messages?beta=true", json=ASKED | changes)

    @asynccontextmanager
    async def asking(self, **changes: Any) -> AsyncIterator[AsyncIterator[str]]:
        """One request whose answer is still on its way; its lines, one by one."""
        target = f"{self.url}/v1/messages"
        async with self.client.stream("POST", target, json=ASKED | changes) as response:
            yield response.aiter_lines()

    async def close(self) -> Bill:
        return await self.gateway.close(SESSION)

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        assert isinstance(self.ledger, MemoryLedger)
        return self.ledger.entries


class FailingLedger(MemoryLedger):
    """A ledger on a disk that is full as long as `full`."""

    full = False

    def put(self, entry: LedgerEntry) -> None:
        if self.full:
            raise StoreError("no space left to write events.db")
        super().put(entry)


class WatchedLedger(MemoryLedger):
    """Tells how often it was asked what was spent."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = threading.Semaphore(0)

    def spent(self, run: RunId, *, since: datetime, rehearsal: bool) -> CostSoFar:
        found = super().spent(run, since=since, rehearsal=rehearsal)
        self._asked.release()
        return found

    async def asked(self, times: int) -> None:
        for _ in range(times):
            await asyncio.to_thread(self._asked.acquire)


@asynccontextmanager
async def gateway_before(
    turns: str,
    *,
    budget: Budget = PLENTY,
    ledger: Ledger | None = None,
    login: Login = PASS_THROUGH_LOGIN,
    rules: GatewayRules = IMPATIENT,
    now: Callable[[], datetime] = lambda: NOON,
) -> AsyncIterator[GatewayHarness]:
    """A session whose model plays these turns."""
    script = parse_script(
        f"{{version: 1, sessions: [{{turns: [{turns}]}}]}}", source="gateway.yaml"
    )
    kept = ledger or MemoryLedger()
    async with (
        ScriptedApi(script, unix_time=NOON.timestamp) as api,
        Gateway(
            ModelService(api.base_url),
            kept,
            prices=VENDOR_PRICES,
            login=login,
            rules=rules,
            now=now,
        ) as gateway,
        httpx2.AsyncClient(trust_env=False, verify=UNENCRYPTED, headers=KEY) as client,
    ):
        endpoint = gateway.open(SESSION, RUN, budget)
        yield GatewayHarness(api, gateway, client, kept, endpoint.url, endpoint.socket)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port
