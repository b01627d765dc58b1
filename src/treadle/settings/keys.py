"""The known keys of `treadle.toml` as values: what each one takes, and whether a value fits."""

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Literal, TypeAlias, assert_never, get_args, get_type_hints

from treadle.domain.run import Landing
from treadle.settings.definitions import MOST, Settings

Kind: TypeAlias = Literal["text", "choice", "flag", "whole", "number", "texts", "tables"]

_KINDS: dict[Any, Kind] = {
    str: "text",
    Landing: "choice",
    bool: "flag",
    int: "whole",
    float: "number",
    tuple[str, ...]: "texts",
    Mapping[str, Mapping[str, Any]] | None: "tables",
}
_RULES = {
    "inside": "a path inside the project, written without ..",
    "some": "a text that is not empty",
}
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: its dotted name and all that the file, the schema and the docs say of it."""

    name: str
    kind: Kind
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    rule: str = ""

    @property
    def section(self) -> str:
        """The table the key stands in; empty at the top level."""
        return self.name.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value is not taken, as the end of a sentence that begins with where it stands."""

    expected: str
    got: str

    def __str__(self) -> str:
        return f"expected {self.expected}, got {self.got}"


@cache
def known_keys() -> Mapping[str, Key]:
    """Every key by its dotted name, in the order of the file."""
    found: dict[str, Key] = {}
    for outer, hint in _fields_of(Settings):
        if is_dataclass(hint) and isinstance(hint, type):
            for inner, inner_hint in _fields_of(hint):
                name = f"{outer.name}.{inner.name}"
                found[name] = _key(name, inner, inner_hint)
        else:
            found[outer.name] = _key(outer.name, outer, hint)
    return found


@cache
def sections() -> Mapping[str, type]:
    """The sections that have fixed keys, in the order of the file."""
    return {
        outer.name: hint
        for outer, hint in _fields_of(Settings)
        if is_dataclass(hint) and isinstance(hint, type)
    }


def fit(key: Key, value: Any) -> Any:
    """The value as the settings hold it, or the `Misfit` that tells why it is not taken."""
    wanted = _unlike(key, value) or _beyond(key, value)
    if wanted:
        return Misfit(wanted, shown(value, key))
    if key.kind == "texts":
        return tuple(value)
    return float(value) if key.kind == "number" else value


def expected(key: Key) -> str:
    """The kind of value that the key takes, in words."""
    match key.kind:
        case "text":
            return "a text"
        case "choice":
            return " or ".join(toml_value(choice) for choice in key.choices)
        case "flag":
            return "true or false"
        case "whole":
            return "a whole number"
        case "number":
            return "a number"
        case "texts":
            return "a list of texts"
        case "tables":
            return "a table for each"
        case _:
            assert_never(key.kind)


def advice(key: Key) -> str:
    """What a person who gave a wrong value should know."""
    if key.kind == "tables":
        return f"{key.help} For example: [{key.name}.browser]"
    return f"{key.help} The default is {toml_value(key.default)}."


def shown(value: object, key: Key | None = None) -> str:
    """The value for an error line, short; tables only by their name, since they hold secrets."""
    if key is not None and key.kind == "tables":
        return "something else"
    if isinstance(value, Mapping):
        return "a table"
    text = toml_value(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def toml_value(value: object) -> str:
    """The value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(each) for each in value) + "]"
    if isinstance(value, Mapping):
        pairs = ", ".join(
            f"{toml_value(name)} = {toml_value(each)}" for name, each in value.items()
        )
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(value)


def _unlike(key: Key, value: Any) -> str | None:
    """What is expected instead of a value of another kind."""
    match key.kind:
        case "text":
            like = isinstance(value, str)
        case "choice":
            like = isinstance(value, str) and value in key.choices
        case "flag":
            like = isinstance(value, bool)
        case "whole":
            like = isinstance(value, int) and not isinstance(value, bool)
        case "number":
            like = isinstance(value, int | float) and not isinstance(value, bool)
        case "texts":
            like = _is_list(value) and all(isinstance(each, str) for each in value)
        case "tables":
            like = _is_table(value) and all(_is_table(each) for each in value.values())
        case _:
            assert_never(key.kind)
    return None if like else expected(key)


def _beyond(key: Key, value: Any) -> str | None:
    """What is expected instead of a value of the right kind that breaks the key's rule."""
    if isinstance(value, str):
        return None if _keeps_rule(key, value) else _RULES[key.rule]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if math.isnan(value):
        return expected(key)
    if value > MOST:
        return f"{expected(key)} of at most {MOST}"
    if key.above is not None and value <= key.above:
        return f"{expected(key)} above {key.above:g}"
    if key.least is not None and value < key.least:
        return f"{expected(key)} of at least {key.least:g}"
    return None


def _fields_of(cls: type) -> list[tuple[Field[Any], Any]]:
    hints = get_type_hints(cls)
    return [(each, hints[each.name]) for each in fields(cls)]


def _key(name: str, each: Field[Any], hint: Any) -> Key:
    return Key(
        name=name,
        kind=_KINDS[hint],
        default=each.default if each.default is not MISSING else None,
        choices=get_args(hint) if _KINDS[hint] == "choice" else (),
        **each.metadata,
    )


def _keeps_rule(key: Key, value: str) -> bool:
    if key.rule == "some":
        return bool(value.strip())
    if key.rule == "inside":
        path = PurePosixPath(value)
        parts = path.parts
        outside = path.is_absolute() or ".." in parts or value.startswith("~") or "\0" in value
        return bool(parts) and not outside and parts[0] != ".git"
    return True


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)
