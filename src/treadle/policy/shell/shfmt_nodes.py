"""Reads raw nodes of shfmt's JSON: their position, and whether all their keys are known."""

from typing import Any, TypeAlias

from treadle.policy.shell.refusals import LineRefused

Json: TypeAlias = dict[str, Any]

POSITION_KEYS = frozenset(("Type", "Pos", "End", "Left", "Right", "Dollar", "Rbrace", "Last"))


def require_known_keys(node: Json, *known: str) -> None:
    """Refuse a node with an unknown key."""
    if any(value and key not in POSITION_KEYS and key not in known for key, value in node.items()):
        raise LineRefused("construct")


def span(node: Json) -> tuple[int, int]:
    return node["Pos"]["Offset"], node["End"]["Offset"]
