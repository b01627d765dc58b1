"""Changes values in the text of a `treadle.toml`; the rest stays as its author wrote it. Pure."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Comment, InlineTable, Item, Key, SingleKey, Table

from treadle.domain.errors import SettingsError
from treadle.settings.file import parse_values
from treadle.settings.keys import SettingKey, known_keys, toml_value
from treadle.workspace.project_root import SETTINGS_FILE

SCHEMA_LINE = "#:schema"


def update(text: str, values: Mapping[str, object]) -> str:
    """The text with these dotted keys set; everything else keeps its layout, comments included.

    A key that already has its value is not touched, and a default is not added. So the same
    values twice give the same text.
    """
    for name, value in values.items():
        text = _set(text, known_keys()[name], value)
    return text


def commented(key: SettingKey) -> str:
    """The line that shows a key's default without setting it."""
    return f"# {key.leaf} = {toml_value(key.default)}"


def _set(text: str, key: SettingKey, value: object) -> str:
    before = _all_values(text)
    if before[key.name] == value:
        return text
    try:
        edited = _edit(text, key, toml_value(value))
        after = _all_values(edited)
    except (TOMLKitError, SettingsError, RecursionError):
        after = {}
    if after != {**before, key.name: value}:
        raise SettingsError(
            f"{SETTINGS_FILE}: {key.name} could not be changed without breaking the file",
            hint=f"set it by hand: {key.name} = {toml_value(value)}",
        )
    return edited


def _all_values(text: str) -> dict[str, Any]:
    values = parse_values(text)
    return {
        name: values[name].value if name in values else key.default
        for name, key in known_keys().items()
    }


def _edit(text: str, key: SettingKey, value: str) -> str:
    if key.name in parse_values(text):
        document = _parse(text)
        table = document[key.section] if key.section else document
        table[key.leaf] = tomlkit.value(value)
        return document.as_string()
    newline = "\r\n" if "\r\n" in text else "\n"
    ended = text if not text or text.endswith("\n") else text + newline
    line = f"{key.leaf} = {value}{newline}"
    edited = _add(ended, key, value, newline)
    # A text without a last newline gets one only behind the new line.
    return edited if ended == text or edited.endswith(line) else edited.removesuffix(newline)


def _add(text: str, key: SettingKey, value: str, newline: str) -> str:
    document = _parse(text)
    section = _find_section(document, key.section)
    match section:
        case None:
            blank = newline if text else ""
            return f"{text}{blank}[{key.section}]{newline}{key.leaf} = {value}{newline}"
        case InlineTable():
            pairs = section.as_string()[1:-1].strip().rstrip(",")
            pairs = f"{pairs}, {key.leaf} = {value}" if pairs else f"{key.leaf} = {value}"
            document[key.section] = tomlkit.value(f"{{ {pairs} }}")
        case Table():
            _add_line(section.value, key, value, newline)
        case _:
            _add_line(document, key, value, newline)
    return document.as_string()


def _parse(text: str) -> tomlkit.TOMLDocument:
    document = tomlkit.parse(text)
    if document.as_string() != text:
        raise TOMLKitError("the document differs from its text")
    return document


def _find_section(document: tomlkit.TOMLDocument, name: str) -> Item | Container | None:
    """The table of a section, or the last of its dotted keys; of no section, the document."""
    if not name:
        return document
    tables = [item for key, item in document.body if key is not None and key.key == name]
    return tables[-1] if tables else None


def _add_line(container: Container, key: SettingKey, value: str, newline: str) -> None:
    """Replaces the comment that shows the default, or inserts a line behind the last key.

    This changes the body without tomlkit's index of keys, as the document is only written after.
    """
    body = container.body
    added = tomlkit.value(value)
    added.trivia.trail = newline
    for index, (_, item) in enumerate(body):
        if isinstance(item, Comment) and item.as_string().strip() == commented(key):
            added.trivia.indent = item.trivia.indent
            body[index] = (SingleKey(key.leaf), added)
            return
    body.insert(_end_of_keys(body), (SingleKey(key.leaf), added))


def _end_of_keys(body: list[tuple[Key | None, Item]]) -> int:
    """The index behind the last key before any header, else behind the schema line."""
    for index, (key, item) in reversed(list(enumerate(body, start=1))):
        if key is not None and (key.is_dotted() or not isinstance(item, Table | AoT)):
            return index
    return int(bool(body) and body[0][1].as_string().startswith(SCHEMA_LINE))
