"""A request goes on while there is money for it and for all that is under way."""

from math import inf

import pytest

from tests.builders import VENDOR_PRICES
from treadle.gateway.admission import (
    Admission,
    AdmitRequest,
    BudgetState,
    HoldRequest,
    RefuseRequest,
    RequestSize,
    admit,
    measure,
    reservation,
)


def session(spent: float, reserved: float = 0.0, under_way: int = 0) -> BudgetState:
    return BudgetState("session", 10.0, spent, reserved, under_way)


ADMIT = AdmitRequest()
HOLD = HoldRequest("session", 10.0)
REFUSE = RefuseRequest("session", 10.0)


@pytest.mark.parametrize(
    ("standing", "reservation_usd", "answer"),
    [
        (session(0), 1, ADMIT),
        (session(9.99), 1, ADMIT),  # alone, as long as anything is left
        (session(9.99), 1000, ADMIT),
        (session(10), 0, REFUSE),
        (session(12), 1, REFUSE),
        (session(5, 3, 1), 2, ADMIT),  # fits exactly beside the other
        (session(5, 3, 1), 2.01, HOLD),
        (session(5, 0, 1), 6, HOLD),  # the other has spent what was put aside for it
        (session(10, 3, 1), 1, REFUSE),
    ],
)
def test_a_request_is_admitted_held_or_refused(
    standing: BudgetState, reservation_usd: float, answer: Admission
) -> None:
    assert admit([standing], reservation_usd) == answer


@pytest.mark.parametrize(
    ("run", "day", "answer"),
    [
        (BudgetState("run", inf, 99, 0, 0), BudgetState("day", inf, 99, 0, 0), ADMIT),
        (BudgetState("run", 5, 5, 0, 0), BudgetState("day", 9, 0, 0, 0), RefuseRequest("run", 5)),
        (BudgetState("run", 5, 4, 0, 0), BudgetState("day", 9, 9, 0, 0), RefuseRequest("day", 9)),
        (BudgetState("run", 5, 4, 1, 1), BudgetState("day", 9, 9, 0, 0), RefuseRequest("day", 9)),
        (BudgetState("run", 5, 4, 1, 1), BudgetState("day", 9, 8, 0, 0), HoldRequest("run", 5)),
        (BudgetState("run", -1, 0, 0, 0), BudgetState("day", 9, 8, 0, 0), RefuseRequest("run", -1)),
    ],
)
def test_every_budget_that_nests_around_a_session_holds(
    run: BudgetState, day: BudgetState, answer: Admission
) -> None:
    assert admit([session(0), run, day], 1) == answer


@pytest.mark.parametrize(
    ("request_", "size", "wanted"),
    [
        ({"model": "opus", "max_tokens": 64000}, 38, RequestSize("opus", 9, 64_000)),
        ({"model": 5, "max_tokens": "many"}, 33, RequestSize("", 8, 16_000)),
        ({}, 2, RequestSize("", 0, 16_000)),
        ({}, 4_000_000, RequestSize("", 200_000, 16_000)),
    ],
)
def test_a_request_says_how_large_it_is(
    request_: dict[str, object], size: int, wanted: RequestSize
) -> None:
    assert measure(request_, size) == wanted


@pytest.mark.parametrize(
    ("wanted", "usd"),
    [
        (RequestSize("opus", 100_000, 1_000), 0.42),
        (RequestSize("opus", 0, 128_000), 2.56),
        (RequestSize("gpt-9", 100_000, 0), 1.5),  # without a price: the dearest
    ],
)
def test_the_most_that_a_request_may_cost_is_put_aside(wanted: RequestSize, usd: float) -> None:
    assert reservation(wanted, VENDOR_PRICES) == pytest.approx(usd)
