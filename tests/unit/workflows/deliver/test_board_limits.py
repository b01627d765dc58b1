"""What agents may put on the board has bounds."""

import pytest

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, RejectedChange
from treadle.workflows.deliver.board_limits import (
    LONGEST_ID,
    LONGEST_TEXT,
    MOST_CRITERIA,
    MOST_DELIVERABLES,
    find_excess,
)


def one(
    name: str = "DL-1", description: str = "It works.", *criteria: str, command: str = "true"
) -> Deliverable:
    texts = criteria or ("It runs.",)
    return Deliverable(name, description, texts, checks=(Check(texts[0], command),))


MANY = tuple(one(f"DL-{number}") for number in range(MOST_DELIVERABLES))
LONG = tuple(one(f"L-{number}", "x" * LONGEST_TEXT) for number in range(80))


@pytest.mark.parametrize(
    ("present", "new"),
    [
        pytest.param((), MANY, id="as many as possible"),
        pytest.param(MANY[1:], (one(),), id="the last one"),
        pytest.param((), (one("x" * LONGEST_ID, "x" * LONGEST_TEXT),), id="long texts"),
        pytest.param((), (one("DL", "x", *["y"] * MOST_CRITERIA),), id="many criteria"),
    ],
)
def test_an_ordinary_board_is_taken(
    present: tuple[Deliverable, ...], new: tuple[Deliverable, ...]
) -> None:
    assert find_excess(present, new) is None


@pytest.mark.parametrize(
    ("present", "new", "told"),
    [
        pytest.param(MANY, (one("one more"),), "at most 300 are possible", id="one more"),
        pytest.param((), (*MANY, one("one more")), "at most 300 are possible", id="all at once"),
        pytest.param((), (one("x" * 101),), "its id may have 100", id="id"),
        pytest.param((), (one("DL", "x" * 4001),), "may have 4,000", id="description"),
        pytest.param((), (one("DL", "x", "y" * 4001),), "may have 4,000", id="criterion"),
        pytest.param((), (one("DL", command="z" * 4001),), "may have 4,000", id="command"),
        pytest.param((), (one("DL", "x", *["y"] * 51),), "may have 50 criteria", id="criteria"),
        pytest.param(LONG[1:], LONG[:1], "together may have 250,000", id="in sum"),
    ],
)
def test_too_much_is_refused_with_what_to_do(
    present: tuple[Deliverable, ...], new: tuple[Deliverable, ...], told: str
) -> None:
    refused = find_excess(present, new)

    assert isinstance(refused, RejectedChange)
    assert told in refused.reason
    assert len(refused.reason) < 300
