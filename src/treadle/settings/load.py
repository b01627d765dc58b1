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
        value: Any = self.settings
        for part in name.split("."):
            value = getattr(value, part)
        return value


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
    """As `load_settings`, from the text of the file; None when there is no file."""
    values = file.parse_values(text) if text is not None else {}
    values |= environment_values.read_variables(environment or {})
    values |= _flag_values(flags or {})
    return ResolvedSettings(
        _build_settings({name: each.value for name, each in values.items()}),
        {name: values[name].origin if name in values else DEFAULT for name in known_keys()},
    )


def _flag_values(flags: Mapping[str, object]) -> dict[str, SettingValue]:
    values: dict[str, SettingValue] = {}
    for name, value in flags.items():
        if value is None:
            continue
        key = known_keys()[name]
        checked = check_value(key, value)
        if isinstance(checked, InvalidValue):
            raise SettingsError(
                f"{name} on the command line: {checked}", hint=advice_for(key, value)
            )
        values[name] = SettingValue(checked, FLAG)
    return values


def _build_settings(values: Mapping[str, Any]) -> Settings:
    top_level = {name: value for name, value in values.items() if "." not in name}
    by_section = {name: cls(**_section_values(values, name)) for name, cls in sections().items()}
    return replace(Settings(), **top_level, **by_section)


def _section_values(values: Mapping[str, Any], section: str) -> dict[str, Any]:
    return {
        name.removeprefix(f"{section}."): value
        for name, value in values.items()
        if name.startswith(f"{section}.")
    }
