"""Fences untrusted text in a prompt so that the text cannot close the fence. Pure."""

import re

_RUNS = re.compile("`+")


def in_fence(text: str) -> str:
    """The text between two fences that are longer than any inside."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
