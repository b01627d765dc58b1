"""The round that broke a check is found in few runs."""

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.workflows.deliver.regression import find_breaking_round


@given(st.integers(1, 200), st.data())
async def test_it_is_found_in_as_many_trials_as_halvings(rounds: int, data: st.DataObject) -> None:
    broke = data.draw(st.integers(0, rounds - 1))
    tried: list[str] = []

    async def is_green(commit: str) -> bool:
        tried.append(commit)
        return int(commit) < broke

    tips = [(number + 10, str(number)) for number in range(rounds)]

    assert await find_breaking_round(tips, is_green) == broke + 10
    assert len(tried) == len(set(tried)) <= ceil(log2(rounds)) + 1
    assert str(rounds - 1) not in tried  # known to be red


@pytest.mark.parametrize(
    ("tips", "red", "found"),
    [
        ([], set(), None),
        ([(3, "a")], {"a"}, 3),
        # A round that moved nothing broke nothing.
        ([(1, "a"), (2, "b"), (3, "b"), (4, "b")], {"b"}, 2),
        ([(1, "a"), (2, "a"), (3, "b")], {"a", "b"}, 1),
    ],
)
async def test_rounds_at_the_same_commit_count_once(
    tips: list[tuple[int, str]], red: set[str], found: int | None
) -> None:
    async def is_green(commit: str) -> bool:
        return commit not in red

    assert await find_breaking_round(tips, is_green) == found


async def test_without_a_result_no_round_is_blamed() -> None:
    async def is_green(commit: str) -> bool | None:
        return None

    assert await find_breaking_round([(1, "a"), (2, "b")], is_green) is None
