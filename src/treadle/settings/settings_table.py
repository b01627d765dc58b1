"""The table that `config show` prints: settings in force, secrets left out. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.storage import without_password
from treadle.settings.keys import SettingKey, known_keys, toml_value
from treadle.settings.load import ResolvedSettings

HIDDEN = "***"
# All else in a server's table may carry a token: its variables, headers, arguments and address.
_PLAIN = frozenset({"type", "command"})


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its dotted key, its value without secrets, and where that came from."""

    key: str
    value: Any
    origin: str


def setting_rows(
    resolved: ResolvedSettings, not_trusted: Collection[str] = ()
) -> tuple[SettingRow, ...]:
    """Every key in the order of the file; of those that are not trusted it is said."""
    return tuple(
        SettingRow(
            name,
            _public_value(key, resolved.value(name)),
            f"{resolved.origins[name]}{' (not trusted)' if name in not_trusted else ''}",
        )
        for name, key in known_keys().items()
    )


def _public_value(key: SettingKey, value: Any) -> Any:
    if key.rule == "address":
        return without_password(value)
    return _public_servers(value) if key.kind == "tables" else value


def format_table(given: tuple[SettingRow, ...]) -> str:
    """The rows in three aligned columns."""
    cells = [
        (row.key, "" if row.value is None else toml_value(row.value), row.origin) for row in given
    ]
    first = max(len(key) for key, _, _ in cells)
    second = min(40, max(len(value) for _, value, _ in cells))
    lines = [f"{key:<{first}}  {value:<{second}}  {origin}" for key, value, origin in cells]
    return "\n".join(lines)


def _public_servers(servers: Mapping[str, Mapping[str, Any]] | None) -> Any:
    if servers is None:
        return None
    return {
        name: {key: value if key in _PLAIN else _mask(value) for key, value in server.items()}
        for name, server in servers.items()
    }


def _mask(value: Any) -> Any:
    """The same shape with nothing in it."""
    if isinstance(value, Mapping):
        return {key: _mask(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_mask(each) for each in value]
    return HIDDEN
