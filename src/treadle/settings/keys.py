"""The known keys of `treadle.toml`: what each one takes, and whether a value is valid."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from treadle.domain.check import RequiredGrade
from treadle.domain.increment import FailurePolicy
from treadle.domain.review import Severity
from treadle.domain.run import CommitStrategy, LandingMode
from treadle.domain.sandbox import IndexMode, Network
from treadle.policy.modes import PolicyMode
from treadle.settings.definitions import LARGEST_NUMBER, AgentKindName, Settings
from treadle.settings.setting_field import Rule

Kind: TypeAlias = Literal[
    "text", "choice", "boolean", "integer", "number", "list", "tables", "prices"
]

_KINDS: dict[Any, Kind] = {
    str: "text",
    AgentKindName: "choice",
    LandingMode: "choice",
    CommitStrategy: "choice",
    FailurePolicy: "choice",
    RequiredGrade: "choice",
    Network: "choice",
    IndexMode: "choice",
    PolicyMode: "choice",
    Severity: "choice",
    bool: "boolean",
    int: "integer",
    float: "number",
    tuple[str, ...]: "list",
    Mapping[str, Mapping[str, Any]] | None: "tables",
    Mapping[str, Mapping[str, float]]: "prices",
}
_RULES = {
    "database_url": "an address such as postgresql://user@host/name",
    "project_path": "a path inside the project, written without ..",
    "not_empty": "a string that is not empty",
}
# These kinds have no default to show, so an example is shown.
EXAMPLES: dict[Kind, str] = {
    "tables": "[mcp_servers.browser]",
    "prices": "[prices.claude-opus-5-5]",
}
PRICE_NAMES = frozenset({"input", "output", "cache_write", "cache_read", "cache_write_1h"})
_WORDS: dict[Kind, str] = {
    "text": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "list": "a list of strings",
    "tables": "a table for each",
    "prices": "for each model a table with input and output, numbers from 0",
}
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class SettingKey:
    """One setting: its dotted name, and what the file, the schema and the docs say about it."""

    name: str
    kind: Kind
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    rule: Rule = ""

    @property
    def section(self) -> str:
        """The table of the key; empty at the top level."""
        return self.name.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class InvalidValue:
    """Why a value is invalid; as text, the end of an error message."""

    expected: str
    got: str

    def __str__(self) -> str:
        return f"expected {self.expected}, got {self.got}"


@cache
def known_keys() -> Mapping[str, SettingKey]:
    """Every key by its dotted name, in the order of the file."""
    keys: dict[str, SettingKey] = {}
    for outer, hint in _fields_of(Settings):
        if is_dataclass(hint) and isinstance(hint, type):
            for inner, inner_hint in _fields_of(hint):
                name = f"{outer.name}.{inner.name}"
                keys[name] = _key(name, inner, inner_hint)
        else:
            keys[outer.name] = _key(outer.name, outer, hint)
    return keys


@cache
def sections() -> Mapping[str, type]:
    """The sections that have fixed keys, in the order of the file."""
    return {
        outer.name: hint
        for outer, hint in _fields_of(Settings)
        if is_dataclass(hint) and isinstance(hint, type)
    }


def check_value(key: SettingKey, value: Any) -> Any:
    """The value as the settings hold it, or the `InvalidValue` that says why not."""
    expected = _kind_problem(key, value) or _rule_problem(key, value)
    if expected:
        return InvalidValue(expected, short_value(value, key))
    if key.kind == "list":
        return tuple(value)
    return float(value) if key.kind == "number" else value


def expected_text(key: SettingKey) -> str:
    """The kind of value that the key takes, in words for people."""
    if key.kind == "choice":
        return " or ".join(toml_value(choice) for choice in key.choices)
    return _WORDS[key.kind]


def advice_for(key: SettingKey, value: object) -> str:
    """The hint for a person who gave this invalid value."""
    close = get_close_matches(str(value).lower(), key.choices, n=1, cutoff=0.7)
    if close:
        return f"did you mean {toml_value(close[0])}?"
    if key.kind in EXAMPLES:
        return f"{key.help} For example: {EXAMPLES[key.kind]}"
    return f"{key.help} The default is {toml_value(key.default)}."


def short_value(value: object, key: SettingKey | None = None) -> str:
    """The value for an error message: short, and without possible secrets."""
    if key is not None and (key.kind == "tables" or key.rule == "database_url"):
        return "something else"
    if isinstance(value, Mapping):
        return "a table"
    text = toml_value(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


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


def _kind_problem(key: SettingKey, value: Any) -> str | None:
    """What is expected instead of a value of another kind."""
    fits = _is_choice(key, value) if key.kind == "choice" else _KIND_CHECKS[key.kind](value)
    return None if fits else expected_text(key)


def _rule_problem(key: SettingKey, value: Any) -> str | None:
    """What is expected instead of a value of the right kind that breaks the key's rule."""
    if isinstance(value, str):
        return None if _keeps_rule(key, value) else _RULES[key.rule]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if math.isnan(value):
        return expected_text(key)
    if value > LARGEST_NUMBER:
        return f"{expected_text(key)} of at most {LARGEST_NUMBER}"
    if key.above is not None and value <= key.above:
        return f"{expected_text(key)} above {key.above:g}"
    if key.least is not None and value < key.least:
        return f"{expected_text(key)} of at least {key.least:g}"
    return None


def _fields_of(cls: type) -> list[tuple[Field[Any], Any]]:
    hints = get_type_hints(cls)
    return [(each, hints[each.name]) for each in fields(cls)]


def _key(name: str, each: Field[Any], hint: Any) -> SettingKey:
    return SettingKey(
        name=name,
        kind=_KINDS[hint],
        default=each.default if each.default is not MISSING else None,
        choices=get_args(hint) if _KINDS[hint] == "choice" else (),
        **each.metadata,
    )


def _keeps_rule(key: SettingKey, value: str) -> bool:
    if key.rule == "not_empty":
        return bool(value.strip())
    if key.rule == "database_url":
        return not value or value.startswith(("postgresql://", "postgres://"))
    if key.rule == "project_path":
        path = PurePosixPath(value)
        parts = path.parts
        outside = path.is_absolute() or ".." in parts or value.startswith("~") or "\0" in value
        return bool(parts) and not outside and parts[0] != ".git"
    return True


def _is_choice(key: SettingKey, value: Any) -> bool:
    return isinstance(value, str) and value in key.choices


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_price(value: Any) -> bool:
    """Whether a table has a price for input and output, and only known names."""
    return (
        _is_table(value)
        and {"input", "output"} <= set(value) <= PRICE_NAMES
        and all(_is_amount(each) for each in value.values())
    )


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= LARGEST_NUMBER


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


_KIND_CHECKS: dict[Kind, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "list": lambda value: _is_list(value) and all(isinstance(each, str) for each in value),
    "tables": lambda value: _is_table(value) and all(map(_is_table, value.values())),
    "prices": lambda value: _is_table(value) and all(map(_is_price, value.values())),
}
