"""A request that went out costs what was reserved for it until its usage is known."""

import asyncio
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import VENDOR_PRICES
from tests.unit.gateway.cut_connections import (
    Cut,
    ask_and_leave,
    close,
    end_sending,
    linger,
    reset,
)
from tests.unit.gateway.gateway_harness import SESSION, GatewayHarness, gateway_before
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.ledger import Budget
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.gateway.model_gateway import GatewayRules
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

# 32 cents and a bit for each: 16,000 tokens of output, of which hardly any is shown.
HIDDEN = "usage: {input: 1000, output: 16000}, repeat: 40, optional: true"
OMITTED = {"type": "adaptive", "display": "omitted"}
LARGE = {"max_tokens": 16_000}
ONE_USD = 0.324


def billed_usd(harness: GatewayHarness) -> float:
    """What the service bills, by its own book."""
    answers = harness.api.bill
    return sum(VENDOR_PRICES.estimate(each.usage, each.model).cost_usd for each in answers)


@pytest.mark.parametrize(
    ("turn", "cut", "changes"),
    [
        ("{hang: middle, text: a, %s}", Cut(b"", close), {"stream": False}),
        ("{hang: middle, text: a, %s}", Cut(b"", reset), {"stream": False}),
        ("{hang: middle, text: a, %s}", Cut(b"", close), {}),
        ("{hang: middle, text: a, %s}", Cut(b"message_start", close), {"thinking": OMITTED}),
        ("{hang: middle, text: a, %s}", Cut(b"message_start", linger), {}),
        ("{hang: middle, text: a, %s}", Cut(b"message_start", end_sending), {}),
        ("{drop: middle, text: a, %s}", Cut(b"message_start", close), {"thinking": OMITTED}),
        ("{drop: middle, text: a, %s}", Cut(b"\r\n\r\n", close), {"stream": False}),
        ("{text: a, chunk: 1, delay_between: 0.01, %s}", Cut(b"message_start", reset), {}),
    ],
    ids=[
        "not streamed, left before the answer",
        "not streamed, reset",
        "streamed, left before the answer",
        "hidden thinking, left before the usage",
        "left with a reset in the middle",
        "half closed",
        "hidden thinking, cut by the service",
        "not streamed, cut by the service",
        "an answer that goes on",
    ],
)
async def test_twenty_cut_connections_stay_within_the_budget_and_one_answer(
    turn: str, cut: Cut, changes: dict[str, object]
) -> None:
    async with gateway_before(turn % HIDDEN, budget=Budget(1.0)) as harness:
        for _ in range(20):
            if await ask_and_leave(harness, cut, **LARGE, **changes) == 402:
                break
        bill = await harness.close()

    assert billed_usd(harness) <= 1.0 + ONE_USD
    assert bill.cost_usd >= billed_usd(harness)
    assert bill.requests == len(harness.api.bill)


async def test_an_answer_is_read_to_its_end_after_its_reader_has_left() -> None:
    rules = GatewayRules(read_on_s=60.0, closing_s=60.0, silent_s=30.0)
    turn = "{text: a long story, chunk: 1, delay_between: 0.005}"
    async with gateway_before(turn, rules=rules) as harness:
        await ask_and_leave(harness, Cut(b"message_start", close), **LARGE)
        bill = await harness.close()

    assert (bill.usage, bill.estimated) == (Usage(100, 20), False)


@pytest.mark.parametrize("turn", ["{drop: before}", "{hang: before}"])
async def test_a_request_without_an_answer_is_a_row_of_what_it_may_have_cost(turn: str) -> None:
    async with gateway_before(turn) as harness:
        await ask_and_leave(harness, Cut(b"", close), **LARGE)
        bill = await harness.close()

    assert (bill.requests, bill.estimated) == (1, True)
    assert bill.cost_usd == pytest.approx(0.32, abs=0.01)


async def test_an_answer_that_shows_everything_costs_what_was_seen_of_it() -> None:
    turn = "{drop: middle, text: " + "x" * 300 + ", usage: {input: 100, output: 100}}"
    async with gateway_before(turn) as harness:
        await ask_and_leave(harness, Cut(b"message_start", close), **LARGE)
        bill = await harness.close()

    assert (bill.usage, bill.estimated) == (Usage(100, 100), True)


async def test_what_the_service_refuses_is_no_row_and_gives_back_what_was_reserved() -> None:
    turns = "{error: 529, repeat: 20}, {text: hello}"
    async with gateway_before(turns, budget=Budget(0.33)) as harness:
        statuses = [(await harness.ask(**LARGE)).status_code for _ in range(21)]
        bill = await harness.close()

    assert statuses == [529] * 20 + [200]
    assert (bill.requests, bill.usage) == (1, Usage(100, 20))


async def test_an_answer_that_tells_no_usage_costs_what_was_reserved_for_it() -> None:
    async with gateway_before("{body: no answer at all, repeat: 3}") as harness:
        answers = [await harness.ask(**LARGE) for _ in range(3)]
        bill = await harness.close()

    assert [answer.text for answer in answers] == ["no answer at all"] * 3
    assert (bill.requests, bill.estimated, len(bill.warnings)) == (3, True, 1)
    assert bill.cost_usd == pytest.approx(0.96, abs=0.03)


KILLED = """
import asyncio, httpx2, ssl, sys
from pathlib import Path
from tests.builders import RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import ASKED, PLENTY, SESSION, UNENCRYPTED
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.model_access import ModelService
from treadle.domain.storage import Storage
from treadle.gateway.model_gateway import Gateway

async def main():
    ledger = DatabaseLedger(open_database(Storage(Path(sys.argv[2]))))
    with Gateway(ModelService(sys.argv[1]), ledger, prices=VENDOR_PRICES) as gateway:
        url = gateway.open(SESSION, RUN, PLENTY).url + "/v1/messages"
        async with httpx2.AsyncClient(trust_env=False, verify=UNENCRYPTED) as client:
            await client.post(url, json=ASKED | {"max_tokens": 16000}, timeout=None)

asyncio.run(main())
"""


async def test_a_request_under_way_is_in_the_ledger_after_kill_9(tmp_path: Path) -> None:
    script = parse_script(
        "{version: 1, sessions: [{turns: [{hang: before}]}]}", source="killed.yaml"
    )
    async with ScriptedApi(script) as api:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KILLED, api.base_url, str(tmp_path)
        )
        await api.wait_for_requests(1)
        process.send_signal(signal.SIGKILL)
        await process.wait()

    with closing(open_database(Storage(tmp_path))) as database:
        bill = DatabaseLedger(database).bill(SESSION)
    assert (bill.requests, bill.estimated) == (1, True)
    assert bill.cost_usd == pytest.approx(0.32, abs=0.01)
