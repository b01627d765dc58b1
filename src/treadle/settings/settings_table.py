"""The table that `config show` prints: the settings in force, without secrets. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.storage import without_password
from treadle.settings.keys import SettingKey, known_keys, toml_value
from treadle.settings.load import ResolvedSettings

HIDDEN = "***"
# Every other key of a server may hold a token: variables, headers, arguments, address.
_PLAIN = frozenset({"type", "command"})


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its dotted key, its value without secrets, and the origin of the value."""

    key: str
    value: Any
    origin: str


def setting_rows(
    resolved: ResolvedSettings, not_trusted: Collection[str] = ()
) -> tuple[SettingRow, ...]:
    """Every key in the order of the file; the origin says if a value is not trusted."""
    return tuple(
        SettingRow(
            name,
            _public_value(key, resolved.value(name)),
            f"{resolved.origins[name]}{' (not trusted)' if name in not_trusted else ''}",
        )
        for name, key in known_keys().items()
    )


def _public_value(key: SettingKey, value: Any) -> Any:
    if key.rule == "database_url":
        return without_password(value)
    return _public_servers(value) if key.kind == "tables" else value


def format_table(rows: tuple[SettingRow, ...]) -> str:
    """The rows in three aligned columns."""
    cells = [
        (row.key, "" if row.value is None else toml_value(row.value), row.origin) for row in rows
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
    """The same structure with every value hidden."""
    if isinstance(value, Mapping):
        return {key: _mask(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_mask(each) for each in value]
    return HIDDEN
