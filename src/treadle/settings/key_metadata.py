"""The metadata of a key of `treadle.toml`: its help and its bounds."""

from typing import Any


def key(
    text: str, *, above: float | None = None, least: float | None = None, rule: str = ""
) -> dict[str, Any]:
    """The metadata of one key; `rule` is "some" (a text, not empty) or "inside" (a path there)."""
    return {"help": text, "above": above, "least": least, "rule": rule}
