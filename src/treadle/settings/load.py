"""Loads settings: defaults < file < environment < flags, each value with its origin."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treadle.domain.errors import SettingsError
from treadle.settings import environment_values, file
from treadle.settings.definitions import Settings
from treadle.settings.keys import InvalidValue, advice_for, check_value, known_keys, sections
from treadle.settings.origin import DEFAULT, FLAG, SettingValue, ValueOrigin


@dataclass(frozen=True, slots=True)
class ResolvedSettings:
    """The settings in force, and for every dotted key where its value came from."""

    settings: Settings
    origins: Mapping[str, ValueOrigin]

    def value(self, name: str) -> Any:
        """The value of a dotted key."""
        held: Any = self.settings
        for part in name.split("."):
            held = getattr(held, part)
        return held


def load_settings(
    project: Path,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> ResolvedSettings:
    """The settings of a project; a flag of None counts as not given."""
    return resolve_settings(file.read_file(project), environment=environment, flags=flags)


def resolve_settings(
    text: str | None,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> ResolvedSettings:
    """As `load`, from the text of the file; None when there is no file."""
    given = file.parse_values(text) if text is not None else {}
    given |= environment_values.read_variables(environment or {})
    given |= _flag_values(flags or {})
    return ResolvedSettings(
        _build_settings({name: valued.value for name, valued in given.items()}),
        {name: given[name].origin if name in given else DEFAULT for name in known_keys()},
    )


def _flag_values(flags: Mapping[str, object]) -> dict[str, SettingValue]:
    values: dict[str, SettingValue] = {}
    for name, value in flags.items():
        if value is None:
            continue
        key = known_keys()[name]
        held = check_value(key, value)
        if isinstance(held, InvalidValue):
            raise SettingsError(f"{name} on the command line: {held}", hint=advice_for(key))
        values[name] = SettingValue(held, FLAG)
    return values


def _build_settings(values: Mapping[str, Any]) -> Settings:
    tops = {name: value for name, value in values.items() if "." not in name}
    parts = {section: cls(**_leaves(values, section)) for section, cls in sections().items()}
    return replace(Settings(), **tops, **parts)


def _leaves(values: Mapping[str, Any], section: str) -> dict[str, Any]:
    return {
        name.removeprefix(f"{section}."): value
        for name, value in values.items()
        if name.startswith(f"{section}.")
    }
