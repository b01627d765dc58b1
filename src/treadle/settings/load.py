"""Settings put together: defaults < file < environment < flags, each value with its origin."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treadle.domain.errors import SettingsError
from treadle.settings import file, variables
from treadle.settings.definitions import Settings
from treadle.settings.keys import Misfit, advice, fit, known_keys, sections
from treadle.settings.origin import DEFAULT, FLAG, Origin, Valued


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force, and for every dotted key where its value came from."""

    settings: Settings
    origins: Mapping[str, Origin]

    def value(self, name: str) -> Any:
        """The value of a dotted key."""
        held: Any = self.settings
        for part in name.split("."):
            held = getattr(held, part)
        return held


def load(
    project: Path,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Resolved:
    """The settings of a project; a flag of None counts as not given."""
    return resolve(file.read_file(project), environment=environment, flags=flags)


def resolve(
    text: str | None,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Resolved:
    """As `load`, from the text of the file; None when there is no file."""
    given = file.values_of(text) if text is not None else {}
    given |= variables.values_of(environment or {})
    given |= _flag_values(flags or {})
    return Resolved(
        _built({name: valued.value for name, valued in given.items()}),
        {name: given[name].origin if name in given else DEFAULT for name in known_keys()},
    )


def _flag_values(flags: Mapping[str, object]) -> dict[str, Valued]:
    values: dict[str, Valued] = {}
    for name, value in flags.items():
        if value is None:
            continue
        key = known_keys()[name]
        held = fit(key, value)
        if isinstance(held, Misfit):
            raise SettingsError(f"{name} on the command line: {held}", hint=advice(key))
        values[name] = Valued(held, FLAG)
    return values


def _built(values: Mapping[str, Any]) -> Settings:
    tops = {name: value for name, value in values.items() if "." not in name}
    parts = {section: cls(**_leaves(values, section)) for section, cls in sections().items()}
    return replace(Settings(), **tops, **parts)


def _leaves(values: Mapping[str, Any], section: str) -> dict[str, Any]:
    return {
        name.removeprefix(f"{section}."): value
        for name, value in values.items()
        if name.startswith(f"{section}.")
    }
