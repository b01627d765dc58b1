"""A run's gateway listens from its first session until a while after its last."""

import asyncio
from pathlib import Path

import httpx2
import pytest

from tests.builders import RUN, VENDOR_PRICES
from tests.unit.gateway.test_metered_agent import SESSION, ask, ledger_in, metering
from treadle.domain.errors import StoreError
from treadle.domain.ids import SessionId
from treadle.domain.ledger import Bill
from treadle.domain.model_access import ModelService
from treadle.domain.usage import Usage
from treadle.gateway.metered_agent import Metering, MeterRules
from treadle.rehearsal.fixtures import Rehearse


async def test_the_gateway_stays_from_one_session_to_the_next(tmp_path: Path) -> None:
    meter = metering("http://127.0.0.1:9", tmp_path)
    first = meter.endpoint(SESSION, 1.0).url
    await meter.bill(SESSION)
    second = meter.endpoint(SessionId("another"), 1.0).url

    assert first.rpartition("/")[0] == second.rpartition("/")[0]
    assert (await ask(first), await ask(second)) == (403, 502)
    meter.close()


async def turns_of_the_loop() -> None:
    """Until a timer that was due has rung."""
    rung = asyncio.Event()
    asyncio.get_running_loop().call_later(0.001, rung.set)
    await rung.wait()


async def test_two_sessions_that_end_together_leave_the_next_one_its_gateway(
    tmp_path: Path,
) -> None:
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, linger_s=0.0)
    meter = Metering(ModelService("http://127.0.0.1:9"), ledger_in(tmp_path), terms)
    one, other, third = SessionId("one"), SessionId("other"), SessionId("third")
    meter.endpoint(one, 1.0), meter.endpoint(other, 1.0)
    await asyncio.gather(meter.bill(one), meter.bill(other))
    address = meter.endpoint(third, 1.0).url
    await turns_of_the_loop()

    assert await ask(address) == 502
    assert await meter.bill(third) == Bill(0, 0.0, Usage())
    meter.close()


def remove_the_database(root: Path) -> None:
    for file in root.glob("events.db*"):
        file.unlink()


async def test_a_ledger_that_fails_unnoticed_is_reported_to_the_next_caller(
    tmp_path: Path, rehearse: Rehearse
) -> None:
    api = rehearse("{version: 1, sessions: [{turns: [{text: hello, delay: 0.05}]}]}")
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, linger_s=0.0)
    meter = Metering(ModelService(api.base_url), ledger_in(tmp_path), terms)
    address = meter.endpoint(SESSION, 1.0).url
    asking = asyncio.ensure_future(ask(address))
    await api.wait_for_requests(1)
    remove_the_database(tmp_path)
    status = await asking
    with pytest.raises(StoreError, match="was removed"):
        await meter.bill(SESSION)
    await turns_of_the_loop()

    assert status == 200
    with pytest.raises(StoreError, match="was removed"):
        meter.endpoint(SessionId("another"), 1.0)
    meter.close()


async def test_a_waiting_run_holds_no_gateway(tmp_path: Path) -> None:
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, linger_s=0.0)
    meter = Metering(ModelService("http://127.0.0.1:9"), ledger_in(tmp_path), terms)
    address = meter.endpoint(SESSION, 1.0).url
    await meter.bill(SESSION)
    await turns_of_the_loop()

    with pytest.raises(httpx2.ConnectError):
        await ask(address)
    meter.close()
