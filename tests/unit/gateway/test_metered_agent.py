"""A session is billed from the ledger, and has what the run and the day have left."""

import ssl
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.session.driver_harness import brief_for
from treadle.adapters.agents.replay.agent import ReplayAgent
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, LedgerEntry
from treadle.domain.model_access import Endpoint, ModelService
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.gateway.metered_agent import (
    MeteredAgent,
    Metering,
    MeterRules,
    before_today_usd,
    others_today_usd,
)
from treadle.rehearsal.fixtures import Rehearse

SESSION = SessionId("session-1")


def ledger_in(root: Path) -> Callable[[], DatabaseLedger]:
    return lambda: DatabaseLedger(open_database(Storage(root)))


def metering(url: str, root: Path, day_cost_usd: float = 100.0) -> Metering:
    rules = MeterRules(RUN, day_cost_usd, VENDOR_PRICES, rehearsal=True)
    return Metering(ModelService(url), ledger_in(root), rules)


async def ask(address: str) -> int:
    trusting_nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx2.AsyncClient(trust_env=False, verify=trusting_nobody) as client:
        body = {"model": "opus", "max_tokens": 5, "messages": []}
        return (await client.post(f"{address}/v1/messages", json=body)).status_code


async def test_a_session_is_billed_from_the_database(tmp_path: Path, rehearse: Rehearse) -> None:
    api = rehearse("{version: 1, sessions: [{turns: [{text: hello}]}]}")
    meter = metering(api.base_url, tmp_path)

    status = await ask(meter.endpoint(SESSION, 1.0).url)
    bill = await meter.bill(SESSION)
    meter.close()

    assert (status, bill) == (200, Bill(1, 0.0008, Usage(100, 20)))
    with closing(open_database(Storage(tmp_path))) as database:
        assert DatabaseLedger(database).bill(SESSION) == bill


async def test_a_session_that_never_began_has_no_bill(tmp_path: Path) -> None:
    assert await metering("http://127.0.0.1:9", tmp_path).bill(SESSION) is None


async def test_what_is_spent_of_the_day_is_not_left_for_a_session(tmp_path: Path) -> None:
    entry = LedgerEntry(
        "1", RunId("other"), SESSION, datetime.now(UTC), "opus", Usage(1), 5.0, rehearsal=True
    )
    with closing(open_database(Storage(tmp_path))) as database:
        DatabaseLedger(database).put(entry)
    meter = metering("http://127.0.0.1:9", tmp_path, day_cost_usd=5.0)

    assert await ask(meter.endpoint(SessionId("another"), 1.0).url) == 402
    meter.close()


@pytest.mark.parametrize(
    ("session", "budget_usd", "counted_usd", "status"),
    [
        ("another", 9.0, None, 402),  # the run has spent its five dollars
        ("session-1", 2.0, 3.0, 402),  # the stream had seen three dollars of five
        ("session-1", 2.1, 3.0, 502),
        ("session-1", 5.0, 0.0, 402),  # the stream had seen nothing
    ],
)
async def test_what_the_ledger_has_is_not_left_for_a_session_or_its_run(
    tmp_path: Path, session: str, budget_usd: float, counted_usd: float | None, status: int
) -> None:
    entry = LedgerEntry("1", RUN, SESSION, datetime.now(UTC), "opus", Usage(1), 5.0, rehearsal=True)
    with closing(open_database(Storage(tmp_path))) as database:
        DatabaseLedger(database).put(entry)
    most = 5.0 if counted_usd is None else 50.0
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, max_cost_usd=most)
    meter = Metering(ModelService("http://127.0.0.1:9"), ledger_in(tmp_path), terms)

    endpoint = meter.endpoint(SessionId(session), budget_usd, counted_usd=counted_usd or 0.0)

    assert await ask(endpoint.url) == status
    meter.close()


async def test_a_session_that_begins_anew_under_its_id_has_only_what_the_ledger_left(
    tmp_path: Path,
) -> None:
    entry = LedgerEntry("1", RUN, SESSION, datetime.now(UTC), "opus", Usage(1), 5.0, rehearsal=True)
    with closing(open_database(Storage(tmp_path))) as database:
        DatabaseLedger(database).put(entry)
    meter = metering("http://127.0.0.1:9", tmp_path)
    endpoints: list[Endpoint] = []

    def reach(agent: ReplayAgent, endpoint: Endpoint) -> ReplayAgent:
        endpoints.append(endpoint)
        return agent

    # Its conversation is gone, so it is not resumed. The stream had seen two dollars of five.
    begun = replace(
        brief_for("implementer"), session=SESSION, max_cost_usd=3.0, cost_before_usd=2.0
    )
    await MeteredAgent(ReplayAgent([]), meter, reach).open(begun)

    assert [await ask(each.url) for each in endpoints] == [402]
    meter.close()


def test_what_others_spent_today_excludes_what_the_run_spent(tmp_path: Path) -> None:
    midnight = NOON.astimezone().replace(hour=0)
    rows = [
        ("own", RUN, NOON, 1.0),
        ("other", RunId("other"), NOON, 2.0),
        ("at midnight", RunId("other"), midnight, 4.0),
        ("yesterday", RunId("other"), midnight - timedelta(seconds=1), 8.0),
    ]
    with closing(open_database(Storage(tmp_path))) as database:
        ledger = DatabaseLedger(database)
        for name, run, at, cost in rows:
            ledger.put(LedgerEntry(name, run, SESSION, at, "opus", Usage(1), cost))

        assert others_today_usd(ledger, RUN, NOON, rehearsal=False) == 6.0
        assert others_today_usd(ledger, RUN, NOON, rehearsal=True) == 0.0


def test_what_a_run_spent_yesterday_is_not_todays(tmp_path: Path) -> None:
    with closing(open_database(Storage(tmp_path))) as database:
        ledger = DatabaseLedger(database)
        for name, days, cost in (("today", 0, 1.0), ("yesterday", 1, 2.0), ("before", 9, 4.0)):
            at = NOON - timedelta(days=days)
            ledger.put(LedgerEntry(name, RUN, SESSION, at, "opus", Usage(1), cost))

        assert before_today_usd(ledger, RUN, NOON, rehearsal=False) == 6.0
