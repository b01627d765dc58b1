"""Reads two manifests in TOML, and writes what a merge makes of them. Pure."""

import re
import tomllib
from collections.abc import Callable
from typing import Any

from treadle.verify.manifests.package_names import PlainVersion, Table

_FOREIGN = (
    *("path", "git", "url", "file", "develop", "editable", "source", "index", "registry"),
    *("package", "registry-index"),
)
_MOST_DOTS = 2_000
# A version from the registry: no path, no address, no other name.
PLAIN = PlainVersion(_FOREIGN, text=re.compile(r"[^:/\\@]*"))


def merge_toml(
    base: bytes | None, work: bytes, merge: Callable[[Table, Table], dict[str, Any]]
) -> bytes | None:
    """The merged text, with the bytes of a side that it equals; None if one cannot be read."""
    before, after = ({} if base is None else _load(base)), _load(work)
    if before is None or after is None:
        return None
    merged = {
        name: value
        for name, value in merge(before, after).items()
        if value not in ({}, None) or after.get(name) == {}
    }
    if merged == after:
        return work
    if merged == before and base is not None:
        return base
    # Loaded here, because commands that only look something up do without it.
    import tomlkit

    return tomlkit.dumps(merged).encode()


def table(settings: Table, key: str) -> dict[str, Any]:
    """The table of this name; empty if there is none."""
    value = settings.get(key)
    return value if isinstance(value, dict) else {}


def items(settings: Table, key: str) -> list[Any]:
    """The list of this name; empty if there is none."""
    value = settings.get(key)
    return value if isinstance(value, list) else []


def _load(content: bytes) -> dict[str, Any] | None:
    # The reader of TOML takes the square of the parts of a key.
    if any(line.count(b".") > _MOST_DOTS for line in content.splitlines()):
        return None
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return None
