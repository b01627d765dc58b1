"""Reads the front matter of an increment: known keys, no values are constructed. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

FENCE = "---"
# What people write at the top of a file; more is an attack or a mistake.
LONGEST = 16_384
MOST_DEPENDENCIES = 200


class FrontMatterError(Exception):
    """Why front matter cannot be read, in one line."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    depends_on: tuple[str, ...] = ()
    wip: int | None = None
    title: str = ""


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter, empty if there is none, and the rest of the text."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != FENCE:
        return "", "".join(lines)
    for at, line in enumerate(lines[1:], start=1):
        if line.rstrip() == FENCE:
            return "".join(lines[1:at]), "".join(lines[at + 1 :])
    raise FrontMatterError(f"its front matter has no end: close it with a line {FENCE}")


def read_front_matter(text: str) -> FrontMatter:
    """The keys that Treadle knows; others are the author's own."""
    if len(text) > LONGEST:
        raise FrontMatterError(f"its front matter has more than {LONGEST:,} characters")
    values = _values(text)
    wip = values.get("wip")
    return FrontMatter(
        tuple(dict.fromkeys(_names(values["depends_on"]))) if "depends_on" in values else (),
        None if wip is None or _is_empty(wip) else _wip(wip),
        _scalar(values["title"], "title") if "title" in values else "",
    )


def _values(text: str) -> dict[str, yaml.Node]:
    try:
        # Nodes alone: aliases are not expanded, and no tag makes an object.
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 2}: " if mark else ""
        raise FrontMatterError(f"{where}{error.problem or 'this is not YAML'}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise FrontMatterError("its front matter is not YAML that can be read") from None
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise FrontMatterError("its front matter must be keys with values, such as depends_on: []")
    values: dict[str, yaml.Node] = {}
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in values:
                line = key.start_mark.line + 2
                raise FrontMatterError(f"line {line}: {_short(key.value)!r} appears twice")
            values[key.value] = value
    return values


def _names(node: yaml.Node) -> Iterator[str]:
    if _is_empty(node):
        return
    if isinstance(node, yaml.ScalarNode):
        yield from (part.strip() for part in str(node.value).split(",") if part.strip())
        return
    if not isinstance(node, yaml.SequenceNode):
        raise FrontMatterError("depends_on must be a list of increments, such as [0001-login]")
    if len(node.value) > MOST_DEPENDENCIES:
        raise FrontMatterError(f"depends_on has more than {MOST_DEPENDENCIES} entries")
    for each in node.value:
        yield _scalar(each, "an entry of depends_on")


def _wip(node: yaml.Node) -> int:
    text = _scalar(node, "wip")
    if not text.isascii() or not text.isdecimal() or not 0 < len(text) < 4 or int(text) == 0:
        raise FrontMatterError(f"wip must be a number from 1 to 999, and is {_short(text)!r}")
    return int(text)


def _scalar(node: yaml.Node, label: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        raise FrontMatterError(f"{label} must be plain text")
    return str(node.value).strip()


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style is None and node.value in ("", "~")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
