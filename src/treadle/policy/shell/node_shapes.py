"""Nodes of shfmt's tree as they come: where they stand, and that nothing in them is unknown."""

from typing import Any, TypeAlias

from treadle.policy.shell.refusals import Refused

Json: TypeAlias = dict[str, Any]

PLACES = frozenset(("Type", "Pos", "End", "Left", "Right", "Dollar", "Rbrace", "Last"))


def only(node: Json, *known: str) -> None:
    """Refuses a node that says something we have no word for."""
    if any(value and key not in PLACES and key not in known for key, value in node.items()):
        raise Refused("construct")


def span(node: Json) -> tuple[int, int]:
    return node["Pos"]["Offset"], node["End"]["Offset"]
