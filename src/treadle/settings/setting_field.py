"""A field of a section of `treadle.toml`, with its help, its bounds and its rule."""

from dataclasses import field
from typing import Any, Literal, TypeAlias, TypeVar

Rule: TypeAlias = Literal["", "not_empty", "project_path", "database_url"]

T = TypeVar("T")


def setting(
    text: str,
    default: T,
    *,
    above: float | None = None,
    least: float | None = None,
    rule: Rule = "",
) -> T:
    """A key with its help, its default, its bounds (`above`, or at `least`) and its rule."""
    return field(default=default, metadata=metadata(text, above, least, rule))


def metadata(
    text: str, above: float | None = None, least: float | None = None, rule: Rule = ""
) -> dict[str, Any]:
    """The help, the bounds and the rule, for a field that has its own default."""
    return {"help": text, "above": above, "least": least, "rule": rule}
