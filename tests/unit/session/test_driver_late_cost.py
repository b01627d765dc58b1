"""A session that is cut short pays for the response it was cut in."""

import asyncio
from typing import Any

import pytest

from tests.unit.session.driver_harness import FINE, FOREVER, make_driver_harness, said
from treadle.adapters.agents.replay.agent import ReplayStep, ResponseUnderway
from treadle.domain.agent import AgentEnded, ResponseStarted, ResponseUsed
from treadle.domain.events.agent import UsageReported
from treadle.domain.session import Completed
from treadle.domain.usage import Usage

PART = ResponseUsed("sonnet", Usage(300_000, 10))
WHOLE = ResponseUsed("sonnet", Usage(300_000, 20))
CUT = (ResponseStarted(), ResponseUnderway(PART))
PAID = UsageReported("sonnet", PART.usage, 0.6001)


@pytest.mark.parametrize(
    ("moves", "limits", "paid"),
    [
        ((*CUT, *said("<DONE>built</DONE>"), FOREVER), {}, [PAID]),
        ((*CUT, FOREVER), {"idle_s": 0.01}, [PAID]),
        ((*CUT, FOREVER), {"wall_s": 0.01}, [PAID]),
        ((*CUT, WHOLE, FINE), {}, [UsageReported("sonnet", WHOLE.usage, 0.6002)]),
        (
            (*CUT, WHOLE, FOREVER),
            {"max_cost_usd": 0.5},
            [UsageReported("sonnet", WHOLE.usage, 0.6002)],
        ),
    ],
    ids=["signal", "idle", "wall", "whole", "budget"],
)
async def test_what_is_paid_for(
    moves: tuple[ReplayStep, ...], limits: dict[str, Any], paid: list[UsageReported]
) -> None:
    harness = make_driver_harness(*moves, **limits)
    result = await harness.run()

    assert [event for event in harness.recorded if isinstance(event, UsageReported)] == paid
    assert (result.cost_usd, result.usage, result.turns) == (paid[0].cost_usd, paid[0].usage, 1)


async def test_a_person_who_stops_the_run_pays_for_what_was_under_way() -> None:
    harness = make_driver_harness(*CUT, FOREVER)
    asyncio.get_running_loop().call_later(0.01, harness.stop.set)

    assert (await harness.run()).cost_usd == 0.6001


async def test_an_agent_that_ended_by_itself_is_not_asked_again() -> None:
    harness = make_driver_harness(*CUT, AgentEnded(Completed("over"), cost_usd=0.25))

    assert (await harness.run()).cost_usd == 0.25
