"""What a session cost is what the ledger says; a refusal of ours is a budget, not an error."""

from dataclasses import replace

import pytest

from tests.builders import FAULTS, VENDOR_PRICES
from tests.unit.session.driver_harness import SESSION, make_driver_harness
from treadle.domain.agent import AgentEnded, Fault, ResponseUsed
from treadle.domain.events.oversight import BillDiffered
from treadle.domain.ids import SessionId
from treadle.domain.ledger import Bill
from treadle.domain.price import Price
from treadle.domain.session import BudgetExceeded, Completed, ExecutionError, SessionResult
from treadle.domain.usage import Usage
from treadle.session.budget_refusal import budget_refusal_message, parse_budget_refusal
from treadle.session.cost_meter import PriorSpending
from treadle.session.driver import SessionDriver
from treadle.session.price_list import PriceList

TOLD = ResponseUsed("sonnet", Usage(1_000_000))  # two dollars
END = AgentEnded(Completed("done"), cost_usd=2.0, usage=Usage(1_000_000), turns=1)
BILL = Bill(requests=3, cost_usd=2.0, usage=Usage(1_000_000, 5))


async def settled(
    end: AgentEnded, bill: Bill | None, *, spent: PriorSpending | None = None
) -> tuple[SessionResult, list[BillDiffered]]:
    """A session with one response and this end, and what the ledger is asked about it."""
    harness = make_driver_harness(TOLD, end)

    async def bill_of(session: SessionId) -> Bill | None:
        assert (session, harness.agent.closed) == (SESSION, 1)  # all of it is over
        return bill

    driver = SessionDriver(
        harness.agent,
        harness.clock,
        harness.events.append,
        harness.stop,
        FAULTS,
        VENDOR_PRICES,
        bill=bill_of,
    )
    result = await driver.run(harness.brief, harness.limits, spent=spent)
    return result, [event for event in harness.events if isinstance(event, BillDiffered)]


async def test_the_ledger_is_the_truth_for_cost_usage_and_whether_it_is_priced() -> None:
    result, differed = await settled(END, replace(BILL, priced=False))

    assert result == SessionResult(
        SESSION, Completed("done"), 2.0, Usage(1_000_000, 5), 1, 0.0, priced=False
    )
    assert differed == []


@pytest.mark.parametrize(
    ("ledger_usd", "agent_usd", "differs"),
    [
        (2.0, 2.0, False),
        (2.0, 2.015, False),  # a cent and a half, but less than one per cent
        (2.0, 2.05, True),
        (2.05, 2.0, True),
        (0.001, 0.009, False),  # nine times as much, but less than a cent
        (0.001, 0.012, True),
        (5.0, 0.0, True),  # the agent books an interrupted response at nought
    ],
)
async def test_an_agent_that_reports_another_figure_is_warned_about(
    ledger_usd: float, agent_usd: float, differs: bool
) -> None:
    end, bill = replace(END, cost_usd=agent_usd), replace(BILL, cost_usd=ledger_usd)

    result, differed = await settled(end, bill)

    assert result.cost_usd == ledger_usd
    assert differed == [BillDiffered(SESSION, ledger_usd, agent_usd)] * differs


async def test_an_agent_that_says_no_figure_says_no_other_one() -> None:
    result, differed = await settled(replace(END, cost_usd=None), replace(BILL, cost_usd=9.0))

    assert (result.cost_usd, differed) == (9.0, [])


async def test_a_ledger_that_saw_nothing_was_gone_around() -> None:
    result, differed = await settled(END, Bill())

    assert (result.cost_usd, result.usage) == (2.0, Usage(1_000_000))
    assert differed == [BillDiffered(SESSION, 0.0, 2.0)]


@pytest.mark.parametrize(
    ("bill", "cost_usd", "usage"),
    [
        (BILL, 2.0, BILL.usage),  # the ledger knows the part before, too
        (None, 2.75, Usage(1_000_007)),
    ],
)
async def test_what_was_used_before_a_session_was_cut_off_counts_once(
    bill: Bill | None, cost_usd: float, usage: Usage
) -> None:
    before = PriorSpending(cost_usd=0.75, usage=Usage(7), seconds=60.0)

    result, _ = await settled(END, bill, spent=before)

    assert (result.cost_usd, result.usage, result.duration_s) == (cost_usd, usage, 60.0)


async def test_the_figure_of_a_resumed_agent_is_compared_with_all_of_the_session() -> None:
    before = PriorSpending(cost_usd=0.75)

    _, differed = await settled(replace(END, cost_usd=1.25), BILL, spent=before)

    assert differed == []


@pytest.mark.parametrize("before", ["", "API Error: 402 ", "Prompt is too long · compaction: "])
async def test_a_request_that_we_refuse_ends_a_session_by_its_budget(before: str) -> None:
    fault = Fault(
        before + budget_refusal_message("session", 12.5), api_status=402, error="billing_error"
    )

    result, _ = await settled(AgentEnded(fault), BILL)

    assert result.outcome == BudgetExceeded(12.5)


async def test_a_bill_that_somebody_else_did_not_pay_is_an_error() -> None:
    fault = Fault("API Error: 402 your credit is used up", api_status=402, error="billing_error")

    result, _ = await settled(AgentEnded(fault), BILL)

    assert isinstance(result.outcome, ExecutionError)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Treadle: the session had $1.2.3 left to spend",
        "x" * 600 + budget_refusal_message("day", 1.0),
    ],
)
def test_other_words_are_no_refusal_of_ours(message: str) -> None:
    assert parse_budget_refusal(message) is None


async def test_prices_of_the_users_own_count_while_a_session_runs() -> None:
    harness = make_driver_harness(TOLD, END)
    prices = PriceList(VENDOR_PRICES.vendor, {"claude-sonnet-5-5": Price(100, 0, 0, 0, 0)})
    driver = SessionDriver(
        harness.agent, harness.clock, harness.events.append, harness.stop, FAULTS, prices
    )

    result = await driver.run(harness.brief, harness.limits)

    assert result.outcome == BudgetExceeded(harness.limits.max_cost_usd)
