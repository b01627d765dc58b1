"""How a gateway begins and ends when files are not as they should be: told, and nothing dropped."""

import asyncio
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import MODEL, SESSION, FailingLedger, gateway_before
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.errors import SettingsError, StoreError
from treadle.domain.ledger import LedgerEntry
from treadle.domain.model_access import ModelService
from treadle.domain.usage import Usage
from treadle.gateway.ledger_writer import LedgerWriter
from treadle.gateway.model_gateway import Gateway


async def test_what_could_not_be_written_down_is_tried_once_more_at_the_end() -> None:
    ledger = FailingLedger()
    async with gateway_before("{text: hello, delay: 0.01}", ledger=ledger) as harness:
        asking = asyncio.ensure_future(harness.ask())
        await harness.api.wait_for_requests(1)
        ledger.full = True
        await asking
        with pytest.raises(StoreError):
            await harness.close()
        ledger.full = False

    assert [entry.estimated for entry in harness.entries] == [False]


def test_what_can_never_be_written_down_is_reported_at_the_end() -> None:
    ledger = FailingLedger()
    ledger.full = True
    writer = LedgerWriter(ledger)
    writer.put(LedgerEntry("1", RUN, SESSION, NOON, MODEL, Usage(1), 1.0))

    with pytest.raises(StoreError, match="no space left"):
        writer.close()


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "authorities.pem"
    if content is not None:
        path.write_text(content)
    service = ModelService("https://api.example.com", authorities=(str(path),))
    own = ModelService("https://api.example.com", certificate=(str(path), str(path), ""))

    for each in (service, own):
        with pytest.raises(SettingsError, match=f"cannot use the certificate {path}: "):
            Gateway(each, MemoryLedger(), prices=VENDOR_PRICES).__enter__()
