"""The table that `config show` prints: the settings in force, without secrets. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.storage import without_password
from treadle.settings.keys import SettingKey, expected_text, known_keys, toml_value
from treadle.settings.load import ResolvedSettings
from treadle.workflows.registry import WORKFLOWS, find_workflow

HIDDEN = "***"
# Every other key of a server may hold a token: variables, headers, arguments, address.
_PLAIN = frozenset({"type", "command"})


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its dotted key, its value without secrets, and the origin of the value."""

    key: str
    value: Any
    origin: str
    # The workflows that read another setting in its place, with the name of that one.
    replaced: tuple[tuple[str, str], ...] = ()


def setting_rows(
    resolved: ResolvedSettings, not_trusted: Collection[str] = ()
) -> tuple[SettingRow, ...]:
    """Every key in the order of the file; the origin says if a value is not trusted."""
    return tuple(
        SettingRow(
            name,
            _public_value(key, resolved.value(name)),
            f"{resolved.origins[name]}{' (not trusted)' if name in not_trusted else ''}",
            _replacements(name),
        )
        for name, key in known_keys().items()
    )


def _replacements(name: str) -> tuple[tuple[str, str], ...]:
    kinds = [find_workflow(each) for each in WORKFLOWS]
    return tuple((kind.name, kind.settings[name]) for kind in kinds if name in kind.settings)


def _public_value(key: SettingKey, value: Any) -> Any:
    if key.rule == "database_url":
        return without_password(value)
    return _public_servers(value) if key.kind == "tables" else value


def format_table(rows: tuple[SettingRow, ...]) -> str:
    """The rows in three aligned columns."""
    cells = [
        (row.key, "" if row.value is None else toml_value(row.value), _origin_cell(row))
        for row in rows
    ]
    first = max(len(key) for key, _, _ in cells)
    second = min(40, max(len(value) for _, value, _ in cells))
    lines = [f"{key:<{first}}  {value:<{second}}  {origin}" for key, value, origin in cells]
    return "\n".join(lines)


def _origin_cell(row: SettingRow) -> str:
    """The origin, and who reads something else: a value of `limits` is none of a task."""
    others = (f"{workflow}: {name}" for workflow, name in row.replaced)
    return "; ".join([row.origin, *others])


def format_row(row: SettingRow) -> str:
    """One setting with what it is for and what it takes."""
    key = known_keys()[row.key]
    value = "not set" if row.value is None else toml_value(row.value)
    lines = [f"{row.key} = {value}", f"  from: {row.origin}", f"  {key.help}"]
    lines.append(f"  takes: {expected_text(key)}")
    if key.default is not None:
        lines.append(f"  default: {toml_value(key.default)}")
    for workflow, name in row.replaced:
        lines.append(f"  `treadle {workflow}` takes {name} instead")
    return "\n".join([*lines, *(f"  {line}" for line in _NOTES.get(row.key, ()))])


# What one line of help cannot say.
_NOTES: Mapping[str, tuple[str, ...]] = {
    "execution.allowed_tools": (
        "It applies to the sessions of `treadle task` that carry the plan out. It only takes",
        "away: the policy still decides about what is on the list. Treadle's own tools stay.",
        "  Read                  the tool, for whatever the policy allows",
        "  Edit(src/**)          the tool, for these paths of the project",
        "  Bash(git *)           commands that begin with `git`; all commands of a line must match",
        "  Bash(npm test:*)      the same: `npm test` with any arguments, or none",
        "  Bash(make lint)       exactly this command",
        "  mcp__tickets          all tools of a server; mcp__tickets__search is one of them",
    ),
}


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
