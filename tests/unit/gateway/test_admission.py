"""A request goes on while there is money for it and for all that is under way."""

from math import inf

import pytest

from treadle.gateway.admission import (
    Admission,
    Admit,
    Asked,
    Hold,
    Refuse,
    Standing,
    admit,
    asked,
    reservation,
)
from treadle.session.prices import LISTED


def session(spent: float, reserved: float = 0.0, under_way: int = 0) -> Standing:
    return Standing("session", 10.0, spent, reserved, under_way)


ADMIT = Admit()
HOLD = Hold("session", 10.0)
REFUSE = Refuse("session", 10.0)


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
    standing: Standing, reservation_usd: float, answer: Admission
) -> None:
    assert admit([standing], reservation_usd) == answer


@pytest.mark.parametrize(
    ("run", "day", "answer"),
    [
        (Standing("run", inf, 99, 0, 0), Standing("day", inf, 99, 0, 0), ADMIT),
        (Standing("run", 5, 5, 0, 0), Standing("day", 9, 0, 0, 0), Refuse("run", 5)),
        (Standing("run", 5, 4, 0, 0), Standing("day", 9, 9, 0, 0), Refuse("day", 9)),
        (Standing("run", 5, 4, 1, 1), Standing("day", 9, 9, 0, 0), Refuse("day", 9)),
        (Standing("run", 5, 4, 1, 1), Standing("day", 9, 8, 0, 0), Hold("run", 5)),
        (Standing("run", -1, 0, 0, 0), Standing("day", 9, 8, 0, 0), Refuse("run", -1)),
    ],
)
def test_every_budget_that_nests_around_a_session_holds(
    run: Standing, day: Standing, answer: Admission
) -> None:
    assert admit([session(0), run, day], 1) == answer


@pytest.mark.parametrize(
    ("request_", "size", "wanted"),
    [
        ({"model": "opus", "max_tokens": 64000}, 38, Asked("opus", 9, 64_000)),
        ({"model": 5, "max_tokens": "many"}, 33, Asked("", 8, 16_000)),
        ({}, 2, Asked("", 0, 16_000)),
        ({}, 4_000_000, Asked("", 200_000, 16_000)),
    ],
)
def test_a_request_says_how_large_it_is(
    request_: dict[str, object], size: int, wanted: Asked
) -> None:
    assert asked(request_, size) == wanted


@pytest.mark.parametrize(
    ("wanted", "usd"),
    [
        (Asked("opus", 100_000, 1_000), 0.42),
        (Asked("opus", 0, 128_000), 2.56),
        (Asked("gpt-9", 100_000, 0), 1.5),  # without a price: the dearest
    ],
)
def test_the_most_that_a_request_may_cost_is_put_aside(wanted: Asked, usd: float) -> None:
    assert reservation(wanted, LISTED) == pytest.approx(usd)
