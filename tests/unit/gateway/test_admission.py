"""A request goes on while there is money for it and for all that is under way."""

from math import inf

import pytest

from treadle.gateway.admission import (
    Admission,
    AdmitRequest,
    AskedReservation,
    BudgetState,
    HoldRequest,
    RefuseRequest,
    admit,
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
    assert admit([standing], AskedReservation(reservation_usd)) == answer


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
    assert admit([session(0), run, day], AskedReservation(1)) == answer


@pytest.mark.parametrize(
    ("unsized_requests", "asked", "answer"),
    [
        (0, AskedReservation(1, unsized=True), ADMIT),
        (1, AskedReservation(1), ADMIT),  # it has a known size, and fits
        (1, AskedReservation(1, unsized=True), HOLD),
        (1, AskedReservation(9), HOLD),
    ],
)
def test_of_requests_without_a_known_size_there_is_one_at_a_time(
    unsized_requests: int, asked: AskedReservation, answer: Admission
) -> None:
    state = BudgetState("session", 10.0, 1.0, 2.0, 1, unsized_requests)

    assert admit([state], asked) == answer


@pytest.mark.parametrize(
    ("spent", "elsewhere", "answer"),
    [
        (10.0, 0.0, RefuseRequest("day", 10.0)),
        (7.0, 3.0, HoldRequest("day", 10.0)),
        (7.0, 2.0, ADMIT),
        (7.0, 2.5, HoldRequest("day", 10.0)),
        (10.0 - 1e-12, 0.0, RefuseRequest("day", 10.0)),  # sums are not exact
    ],
)
def test_what_others_may_still_give_back_is_waited_for(
    spent: float, elsewhere: float, answer: Admission
) -> None:
    state = BudgetState("day", 10.0, spent, 0.0, 0, elsewhere_usd=elsewhere)

    assert admit([state], AskedReservation(1.0)) == answer
