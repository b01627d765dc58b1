"""A login whose secret changes: what the service gets, and what the agent learns of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
import pytest

from tests.builders import RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    ASKED,
    IMPATIENT,
    KEY,
    PLENTY,
    SESSION,
    UNENCRYPTED,
    gateway_before,
)
from tests.unit.gateway.recorded_heads import REFUSAL, RecordedHeads, record_heads
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.model_access import Login, ModelService, PlaceholderSecret, SecretMissing
from treadle.gateway.model_gateway import Gateway

WORD = b"a key"


@dataclass
class ListedSecrets:
    """The `SecretSource` of a test: after each refusal it has the next of its secrets."""

    secrets: list[bytes]
    refused: list[bytes] = field(default_factory=list)

    async def current(self) -> bytes | SecretMissing:
        return self.secrets[0]

    async def replace_refused(self, secret: bytes) -> bool:
        self.refused.append(secret)
        if len(self.secrets) == 1:
            return False
        self.secrets.pop(0)
        return True


@dataclass
class NoSecret:
    missing: SecretMissing

    async def current(self) -> bytes | SecretMissing:
        return self.missing

    async def replace_refused(self, secret: bytes) -> bool:
        raise AssertionError(secret)


def login_by(source: ListedSecrets | NoSecret) -> Login:
    return Login((PlaceholderSecret(WORD, source),))


@asynccontextmanager
async def asked_with(
    source: ListedSecrets, service: RecordedHeads, ledger: MemoryLedger
) -> AsyncIterator[tuple[httpx2.AsyncClient, Gateway]]:
    """A client of a gateway that has its secret from this source."""
    gateway = Gateway(
        ModelService(service.url),
        ledger,
        prices=VENDOR_PRICES,
        login=login_by(source),
        rules=IMPATIENT,
    )
    async with gateway:
        endpoint = gateway.open(SESSION, RUN, PLENTY)
        async with httpx2.AsyncClient(
            trust_env=False, verify=UNENCRYPTED, headers=KEY, base_url=endpoint.url
        ) as client:
            yield client, gateway


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
async def test_a_request_with_a_refused_secret_is_sent_again_with_the_next_one(
    path: str, status: str
) -> None:
    source = ListedSecrets([b"old", b"new"])

    async with (
        record_heads(["old"], status) as service,
        asked_with(source, service, MemoryLedger()) as (client, gateway),
    ):
        answer = await client.post(path, json=ASKED)
        bill = await gateway.close(SESSION)

    assert (answer.status_code, source.refused) == (200, [b"old"])
    assert service.of_each("x-api-key") == [{"x-api-key": "old"}, {"x-api-key": "new"}]
    assert bill.requests == (1 if path == "/v1/messages" else 0)


@pytest.mark.parametrize(
    ("secrets", "sent"),
    [([b"1"], ["1"]), ([b"1", b"2", b"3", b"4"], ["1", "2", "3"])],
    ids=["there is no other", "the third is refused as well"],
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
async def test_the_agent_gets_the_last_refusal(
    path: str, secrets: list[bytes], sent: list[str]
) -> None:
    ledger = MemoryLedger()

    async with (
        record_heads(["1", "2", "3"]) as service,
        asked_with(ListedSecrets([*secrets]), service, ledger) as (client, gateway),
    ):
        answer = await client.post(path, json=ASKED)
        await gateway.close(SESSION)

    assert (answer.status_code, answer.content) == (401, REFUSAL)
    assert [head["x-api-key"] for head in service.headers] == sent
    assert ledger.entries == ()


@pytest.mark.parametrize(
    ("missing", "status", "retried"),
    [
        (SecretMissing("login", "log in"), 401, "false"),
        (SecretMissing("service", "try later"), 529, None),
    ],
)
async def test_without_a_secret_nothing_is_sent(
    missing: SecretMissing, status: int, retried: str | None
) -> None:
    async with gateway_before("{text: hello}", login=login_by(NoSecret(missing))) as harness:
        answer = await harness.ask()

    assert (answer.status_code, answer.headers.get("x-should-retry")) == (status, retried)
    assert answer.json()["error"]["message"] == f"Treadle: {missing.message}"
    assert (harness.api.request_count, harness.entries) == (0, ())
