"""Reads and checks `treadle.toml` key by key; every error names file, line and key."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import VERSION
from treadle.settings.keys import (
    InvalidValue,
    advice_for,
    check_value,
    known_keys,
    sections,
    short_value,
)
from treadle.settings.name_suggestion import hint_for
from treadle.settings.origin import SettingValue, ValueOrigin
from treadle.settings.toml_lines import KeyLine, KeyPath, find_key_lines
from treadle.workspace.project_root import SETTINGS_FILE

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_AT_END = " (at end of document)"
# Sections of later versions: no other meaning may be given to them.
RESERVED = ("triggers", "notifications")


def read_file(project: Path) -> str | None:
    """The text of the project's settings file with its line ends; None if there is no file."""
    try:
        return (project / SETTINGS_FILE).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{SETTINGS_FILE}: is not UTF-8 text (byte {error.start})",
            hint=f"save {SETTINGS_FILE} as UTF-8",
        ) from None
    except OSError as error:
        raise SettingsError(
            f"{SETTINGS_FILE}: cannot be read: {error.strerror}",
            hint=f"make {SETTINGS_FILE} a file that you may read, or remove it",
        ) from None


def parse_values(text: str) -> dict[str, SettingValue]:
    """Every key that the text sets, checked; the first invalid one raises SettingsError."""
    table, lines = _parse(text)
    _check_version(table, lines)
    return dict(_check_table(table, lines))


def _parse(text: str) -> tuple[dict[str, Any], Sequence[KeyLine]]:
    try:
        return tomllib.loads(text), find_key_lines(text)
    except RecursionError:
        raise SettingsError(
            f"{SETTINGS_FILE}: is nested too deeply", hint="no setting needs so many brackets"
        ) from None
    except ValueError as error:
        raise _toml_error(str(error), text) from None


def _toml_error(message: str, text: str) -> SettingsError:
    if position := _AT_LINE.search(message):
        line, message = int(position.group(1)), message[: position.start()]
    else:
        line, message = len(text.splitlines()) or 1, message.removesuffix(_AT_END)
    return SettingsError(
        f"{SETTINGS_FILE}:{line}: is not valid TOML: {message}",
        hint='put texts in quotes and write each key once, as in: land = "auto"',
    )


def _check_version(table: Mapping[str, Any], lines: Sequence[KeyLine]) -> None:
    version = table.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise SettingsError(
            f"{_location(lines, ('version',))}: version: written by a newer Treadle "
            f"(format {version}, this one reads {VERSION})",
            hint="update Treadle",
        )


def _check_table(
    table: Mapping[str, Any], lines: Sequence[KeyLine]
) -> Iterator[tuple[str, SettingValue]]:
    for name, value in table.items():
        if name in known_keys() and "." not in name:
            yield name, _check_key((name,), value, lines)
        elif name not in sections():
            raise _unknown_key_error((name,), lines)
        elif isinstance(value, Mapping):
            yield from _check_section(name, value, lines)
        else:
            raise SettingsError(
                f"{_location(lines, (name,))}: {name}: expected a table, got {short_value(value)}",
                hint=f"write [{name}] on a line of its own and its keys below",
            )


def _check_section(
    name: str, table: Mapping[str, Any], lines: Sequence[KeyLine]
) -> Iterator[tuple[str, SettingValue]]:
    for leaf, value in table.items():
        if f"{name}.{leaf}" not in known_keys():
            raise _unknown_key_error((name, leaf), lines)
        yield f"{name}.{leaf}", _check_key((name, leaf), value, lines)


def _check_key(path: KeyPath, value: object, lines: Sequence[KeyLine]) -> SettingValue:
    key = known_keys()[".".join(path)]
    location = _location(lines, path)
    checked = check_value(key, value)
    if isinstance(checked, InvalidValue):
        raise SettingsError(f"{location}: {key.name}: {checked}", hint=advice_for(key, value))
    return SettingValue(checked, ValueOrigin("file", location))


def _unknown_key_error(path: KeyPath, lines: Sequence[KeyLine]) -> SettingsError:
    name = ".".join(path)
    if name in known_keys():
        return SettingsError(
            f'{_location(lines, path)}: "{name}": the quotes make this one name with a dot in it',
            hint=f"write {name} without quotes",
        )
    if path[0] in RESERVED:
        return SettingsError(
            f"{_location(lines, path)}: {name}: reserved for a later version",
            hint=f"remove [{path[0]}]: this version has no such settings",
        )
    is_key = any(each.path == path and each.has_value for each in lines)
    what = "unknown key" if is_key else "unknown section"
    return SettingsError(f"{_location(lines, path)}: {name}: {what}", hint=hint_for(name))


def _location(lines: Sequence[KeyLine], path: KeyPath) -> str:
    """The file and the line of a key; of a table, the first line that gives a part of it."""
    line = next((each.line for each in lines if each.path[: len(path)] == path), None)
    return SETTINGS_FILE if line is None else f"{SETTINGS_FILE}:{line}"
