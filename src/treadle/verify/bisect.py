"""Finds the round that broke a check, by bisection."""

from collections.abc import Awaitable, Callable, Sequence


async def find_breaking_round(
    tips: Sequence[tuple[int, str]], is_green: Callable[[str], Awaitable[bool | None]]
) -> int | None:
    """The first round whose commit is red; None if that cannot be told.

    `tips` are rounds with the commits that they ended at, oldest first. What was before them is
    green, and the last one is red: neither is tried. `is_green` answers None where nothing was
    found out. Rounds that ended at the commit of the round before changed nothing.
    """
    moved = _without_repeats(tips)
    if not moved:
        return None
    green, red = -1, len(moved) - 1
    while red - green > 1:
        middle = (green + red) // 2
        answer = await is_green(moved[middle][1])
        if answer is None:
            return None
        if answer:
            green = middle
        else:
            red = middle
    return moved[red][0]


def _without_repeats(tips: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    moved: list[tuple[int, str]] = []
    for number, commit in tips:
        if not moved or moved[-1][1] != commit:
            moved.append((number, commit))
    return moved
