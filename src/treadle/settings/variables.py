"""Settings given by the environment: TREADLE_LAND, TREADLE_LIMITS__MAX_COST_USD. Pure."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from treadle.domain.errors import SettingsError
from treadle.settings.environment import DATABASE_URL, NO, YES
from treadle.settings.keys import Key, Misfit, advice, fit, known_keys, shown
from treadle.settings.nearest import nearest
from treadle.settings.origin import Origin, Valued

PREFIX = "TREADLE_"
# Not settings: read by `environment`.
# TREADLE_SESSION marks the processes of a session, a Treadle inside one among them.
RESERVED = frozenset({"TREADLE_ROOT", "TREADLE_NO_SANDBOX", "TREADLE_SESSION"})


def variable(key: Key) -> str | None:
    """The variable that gives the key; the version belongs to a file and has none."""
    return None if key.name == "version" else PREFIX + key.name.replace(".", "__").upper()


def values_of(environment: Mapping[str, str]) -> dict[str, Valued]:
    """Every setting that the environment gives; the first wrong one raises SettingsError."""
    known = {name: key for key in known_keys().values() if (name := variable(key))}
    known[DATABASE_URL] = known_keys()["database.url"]
    values: dict[str, Valued] = {}
    for name, text in _ours(environment):
        if key := known.get(name):
            if text or key.kind == "text":
                values[key.name] = _valued(key, name, text)
        else:
            _refuse_if_meant(name, known)
    return values


def from_text(key: Key, text: str) -> Any:
    """The value that a person wrote as plain text, or the `Misfit` that tells why it is none."""
    held = fit(key, _read(key, text))
    if isinstance(held, Misfit):
        hidden = key.kind == "tables" or key.rule == "address"
        return Misfit(held.expected, "something else" if hidden else shown(text))
    return held


def _ours(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in RESERVED:
            yield name, environment[name]


def _refuse_if_meant(name: str, known: Mapping[str, Key]) -> None:
    """A slip in the name of a ceiling must not leave the ceiling where it was."""
    close = nearest(name, known, cutoff=0.8)
    if close is None and "__" not in name:
        return  # somebody else's variable, or one of a newer Treadle
    hint = f"did you mean {close}?" if close else "`treadle config show` lists all settings"
    raise SettingsError(f"{name}: unknown setting in the environment", hint=hint)


def _valued(key: Key, name: str, text: str) -> Valued:
    held = from_text(key, text)
    if isinstance(held, Misfit):
        raise SettingsError(f"{name}: {held}", hint=advice(key))
    return Valued(held, Origin("environment", name))


def _read(key: Key, text: str) -> Any:
    """The text as the key's kind, or None where it is not of that kind."""
    match key.kind:
        case "text":
            return text
        case "choice":
            return text.strip().lower()
        case "flag":
            word = text.strip().lower()
            return word in YES if word in YES | NO else None
        case "whole" | "number" | "texts" | "tables" | "prices":
            try:
                return tomllib.loads(f"value = {text.strip()}").get("value")
            except (ValueError, RecursionError):
                return None
        case _:
            assert_never(key.kind)
