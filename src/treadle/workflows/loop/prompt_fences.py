"""Puts text of others into a prompt between fences that it cannot close. Pure."""

import re

_RUNS = re.compile("`+")


def in_fence(text: str) -> str:
    """The text between two fences longer than any inside."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
