"""Settings given by environment variables, such as TREADLE_LIMITS__MAX_COST_USD. Pure."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from treadle.domain.errors import SettingsError
from treadle.settings.environment import DATABASE_URL, NO, YES
from treadle.settings.keys import (
    InvalidValue,
    SettingKey,
    advice_for,
    check_value,
    known_keys,
    short_value,
)
from treadle.settings.name_suggestion import nearest_name
from treadle.settings.origin import SettingValue, ValueOrigin

PREFIX = "TREADLE_"
# Not settings. `environment` reads the first two; TREADLE_SESSION marks the processes of a session.
RESERVED = frozenset({"TREADLE_ROOT", "TREADLE_NO_SANDBOX", "TREADLE_SESSION"})


def variable_name(key: SettingKey) -> str | None:
    """The variable that sets the key; None for the version, which describes a file."""
    return None if key.name == "version" else PREFIX + key.name.replace(".", "__").upper()


def read_variables(environment: Mapping[str, str]) -> dict[str, SettingValue]:
    """Every setting that a variable gives; the first invalid one raises SettingsError."""
    known = {name: key for key in known_keys().values() if (name := variable_name(key))}
    known[DATABASE_URL] = known_keys()["database.url"]
    values: dict[str, SettingValue] = {}
    for name, text in _treadle_variables(environment):
        if key := known.get(name):
            if text or key.kind == "text":
                values[key.name] = _parse_variable(key, name, text)
        else:
            _refuse_misspelled(name, known)
    return values


def parse_text(key: SettingKey, text: str) -> Any:
    """The value that a person wrote as plain text, or the `InvalidValue` that says why not."""
    checked = check_value(key, _parse_kind(key, text))
    if isinstance(checked, InvalidValue):
        hidden = key.kind == "tables" or key.rule == "database_url"
        return InvalidValue(checked.expected, "something else" if hidden else short_value(text))
    return checked


def _treadle_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in RESERVED:
            yield name, environment[name]


def _refuse_misspelled(name: str, known: Mapping[str, SettingKey]) -> None:
    """Raises SettingsError: a limit must not stay as it was because of a misspelled name."""
    close = nearest_name(name, known, cutoff=0.8)
    if close is None and "__" not in name:
        return  # of another program, or of a newer Treadle
    hint = f"did you mean {close}?" if close else "`treadle config show` lists all settings"
    raise SettingsError(f"{name}: unknown setting in the environment", hint=hint)


def _parse_variable(key: SettingKey, name: str, text: str) -> SettingValue:
    value = parse_text(key, text)
    if isinstance(value, InvalidValue):
        raise SettingsError(f"{name}: {value}", hint=advice_for(key, text))
    return SettingValue(value, ValueOrigin("environment", name))


def _parse_kind(key: SettingKey, text: str) -> Any:
    """The text as a value of the key's kind, or None if it is none."""
    match key.kind:
        case "text":
            return text
        case "choice":
            return text.strip().lower()
        case "boolean":
            word = text.strip().lower()
            return word in YES if word in YES | NO else None
        case "integer" | "number" | "list" | "tables" | "prices":
            try:
                return tomllib.loads(f"value = {text.strip()}").get("value")
            except (ValueError, RecursionError):
                return None
        case _:
            assert_never(key.kind)
