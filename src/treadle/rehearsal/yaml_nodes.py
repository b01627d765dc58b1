"""Reads YAML with line numbers, so that errors name the line to correct."""

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

import yaml

from treadle.domain.errors import UsageError

REFERENCE = "docs/reference/rehearsal-scripts.md"

_T = TypeVar("_T")
_TAG = "tag:yaml.org,2002:"
_INTEGER = r"-?(?:0|[1-9][0-9]{0,14})"
_FLOAT = r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]+(?:[eE][-+]?[0-9]{1,2})?"


def _plain_scalars() -> dict[str | None, list[tuple[str, re.Pattern[str]]]]:
    """Resolvers by first character: true, false, null and decimal numbers; the rest is text.

    YAML 1.1 would also convert `no`, `on`, `012` and dates, which authors of scripts do not
    expect.
    """
    boolean = (f"{_TAG}bool", re.compile(r"^(?:true|false)$"))
    null = (f"{_TAG}null", re.compile(r"^(?:null|~|)$"))
    integer = (f"{_TAG}int", re.compile(f"^{_INTEGER}$"))
    decimal = (f"{_TAG}float", re.compile(f"^{_FLOAT}$"))
    resolvers: dict[str | None, list[tuple[str, re.Pattern[str]]]] = {"": [null], "~": [null]}
    resolvers |= {"t": [boolean], "f": [boolean], "n": [null]}
    return resolvers | {character: [integer, decimal] for character in "-0123456789"}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _plain_scalars()


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A node of the document, with the label that errors use for it."""

    node: yaml.Node
    source: str
    label: str

    @property
    def line(self) -> int:
        return int(self.node.start_mark.line) + 1

    def error(self, message: str, *, hint: str = "") -> UsageError:
        return UsageError(f"{self.source}:{self.line}: {message}", hint=hint or f"see {REFERENCE}")

    def child(self, node: yaml.Node, label: str) -> "YamlNode":
        return YamlNode(node, self.source, label)

    def with_label(self, label: str) -> "YamlNode":
        return YamlNode(self.node, self.source, label)

    def fields(self, known: Collection[str]) -> dict[str, "YamlNode"]:
        """The values by key, in their order; an unknown key is an error."""
        values = self.pairs()
        for key, value in values.items():
            if key not in known:
                raise self._unknown_key(key, known, value)
        return values

    def pairs(self) -> dict[str, "YamlNode"]:
        """The values by key, for any keys."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(f"{self.label} must be a mapping of keys to values")
        values: dict[str, YamlNode] = {}
        for key_node, value_node in self.node.value:
            key = self.child(key_node, f"a key of {self.label}")
            if not isinstance(key_node, yaml.ScalarNode):
                raise key.error(f"{key.label} must be plain text")
            name = str(key_node.value)
            if name in values:
                raise key.error(f"key {name!r} appears twice in {self.label}")
            values[name] = self.child(value_node, f"{name!r}")
        return values

    def _unknown_key(self, key: str, known: Collection[str], value: "YamlNode") -> UsageError:
        near = difflib.get_close_matches(key, sorted(known), n=1, cutoff=0.5)
        suggestion = f"; did you mean {near[0]!r}?" if near else ""
        hint = "known keys: " + ", ".join(sorted(known))
        return value.error(f"unknown key {key!r} in {self.label}{suggestion}", hint=hint)

    def items(self, label: str) -> tuple["YamlNode", ...]:
        """The entries of a list, which must not be empty."""
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            raise self.error(f"{self.label} must be a list with at least one entry")
        return tuple(self.child(node, label) for node in self.node.value)

    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    def text(self) -> str:
        value = self.value()
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and isinstance(self.node, yaml.ScalarNode):
            return str(self.node.value)  # `text: 12` is text that looks like a number
        raise self.error(f"{self.label} must be text")

    def non_empty_text(self) -> str:
        """Text, stripped, which must not be empty."""
        if text := self.text().strip():
            return text
        raise self.error(f"{self.label} must not be empty")

    def integer(self, *, minimum: int, maximum: int | None = None) -> int:
        value = self.value()
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= minimum
        if fits and (maximum is None or value <= maximum):
            return cast(int, value)
        bound = f"{minimum} or more" if maximum is None else f"from {minimum} to {maximum}"
        raise self.error(f"{self.label} must be a whole number, {bound}")

    def seconds(self) -> float:
        value = self.value()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value)
        raise self.error(f"{self.label} must be a number of seconds, 0 or more")

    def fraction(self) -> float:
        value = self.value()
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        raise self.error(f"{self.label} must be a number from 0 to 1")

    def flag(self) -> bool:
        value = self.value()
        if isinstance(value, bool):
            return value
        raise self.error(f"{self.label} must be true or false")

    def choice(self, literal: type[_T] | Any) -> _T:
        """One of the values of a `Literal`."""
        options = [str(option) for option in get_args(literal)]
        value = self.value()
        if isinstance(value, str) and value in options:
            return cast(_T, value)
        near = difflib.get_close_matches(str(value), options, n=1, cutoff=0.5)
        suggestion = f"; did you mean {near[0]!r}?" if near else ""
        raise self.error(f"{self.label} must be one of {', '.join(options)}{suggestion}")

    def value(self) -> Any:
        """The node as plain JSON-like values."""
        return self._plain_value(self.node, ())

    def _plain_value(self, node: yaml.Node, ancestors: tuple[int, ...]) -> Any:
        child = self.child(node, self.label)
        if id(node) in ancestors:
            raise child.error(f"{self.label} contains itself")
        path = (*ancestors, id(node))
        if isinstance(node, yaml.MappingNode):
            return {key: self._plain_value(p.node, path) for key, p in child.pairs().items()}
        if isinstance(node, yaml.SequenceNode):
            return [self._plain_value(member, path) for member in node.value]
        return child.scalar()

    def scalar(self) -> Any:
        """A single JSON value; other YAML tags are errors."""
        text = str(self.node.value)
        match self.node.tag.removeprefix(_TAG):
            case "str":
                return text
            case "null":
                return None
            case "bool" if text in ("true", "false"):
                return text == "true"
            case "int" if re.fullmatch(_INTEGER, text):
                return int(text)
            case "float" if re.fullmatch(_FLOAT, text):
                return float(text)
            case tag:
                raise self.error(f"{self.label} has the tag {tag!r}, which does not fit it")


def parse_yaml(text: str, *, source: str) -> YamlNode:
    """The root of the document; text that is not one YAML document is an error."""
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(
            f"{source}:{line}: not valid YAML: {error.problem or error.context}",
            hint="check indentation and quotes near that line",
        ) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UsageError(
            f"{source}:{line}: there is a character here that YAML does not allow",
            hint="write it as an escape in double quotes",
        ) from error
    except RecursionError as error:
        raise UsageError(f"{source}: nested too deeply", hint=f"see {REFERENCE}") from error
    if node is None:
        raise UsageError(f"{source}:1: the script is empty", hint=f"see {REFERENCE}")
    return YamlNode(node, source, "the script")


def parse_headers(node: YamlNode) -> Mapping[str, str]:
    """Parse headers: names in lower case, values as text."""
    pairs: dict[str, str] = {}
    for key, value in node.pairs().items():
        text = value.text()
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", key) or not (
            text.isascii() and text.isprintable()
        ):
            raise value.error(f"{key!r} is not a header that HTTP can carry")
        if key.lower() in ("content-length", "transfer-encoding", "connection"):
            raise value.error(f"header {key!r} is set by the server itself")
        pairs[key.lower()] = text
    return pairs
