"""Checks and computes arithmetic on literal numbers; refuses any other. Pure."""

import re

from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shfmt_nodes import Json, require_known_keys, span

_NUMBER = re.compile(r"[0-9]{1,18}")
# Bash reads a zero before others as base eight.
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,8}")
_LARGEST = 10**9


def check_arithmetic(node: Json, source: bytes) -> None:
    """Only sums of literal numbers: a name in arithmetic may hold code that bash then runs."""
    require_known_keys(node, "X")
    waiting = [node["X"]] if node.get("X") else []
    while waiting:
        part = waiting.pop()
        if part["Type"] == "Word":
            start, end = span(part)
            if not _NUMBER.fullmatch(source[start:end].decode()):
                raise LineRefused("arithmetic")
        elif part["Type"] in {"BinaryArithm", "UnaryArithm", "ParenArithm"}:
            waiting.extend(part[key] for key in ("X", "Y") if part.get(key))
        else:
            raise LineRefused("arithmetic")


def compute(node: Json | None, source: bytes) -> int | None:
    """What sums, differences and products of small numbers come to; None if it is more than that.

    A number below zero begins with a dash, so it is left to be unknown.
    """
    if node is None:
        return None
    match node["Type"]:
        case "Word":
            start, end = span(node)
            raw = source[start:end].decode()
            return int(raw) if _DECIMAL.fullmatch(raw) else None
        case "ParenArithm":
            return compute(node["X"], source)
        case "BinaryArithm":
            return _compute_binary(node, source)
        case _:
            return None


def _compute_binary(node: Json, source: bytes) -> int | None:
    left, right = compute(node["X"], source), compute(node["Y"], source)
    if left is None or right is None:
        return None
    found = {"+": left + right, "-": left - right, "*": left * right}.get(node.get("Op", ""))
    return found if found is not None and 0 <= found < _LARGEST else None
