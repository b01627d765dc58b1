"""Changes values in the text of a `treadle.toml`; the rest stays as its author wrote it. Pure."""

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Comment, InlineTable, Item, Key, SingleKey, Table

from treadle.domain.errors import SettingsError
from treadle.settings.file import FILE, parse_values
from treadle.settings.keys import SettingKey, known_keys, toml_value

SCHEMA_LINE = "#:schema"


def update(text: str, values: Mapping[str, object]) -> str:
    """The text with these dotted keys set; all else, comments and order included, is kept.

    A key that has its value already is left as it is written; one that is absent and given its
    default is left absent. So the same values twice give the same text.
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
            f"{FILE}: {key.name} could not be changed without spoiling the file",
            hint=f"set it by hand: {key.name} = {toml_value(value)}",
        )
    return edited


def _all_values(text: str) -> dict[str, Any]:
    given = parse_values(text)
    return {
        name: given[name].value if name in given else key.default
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
    # A text without a last newline gets one only if the new line stands there.
    return edited if ended == text or edited.endswith(line) else edited.removesuffix(newline)


def _add(text: str, key: SettingKey, value: str, newline: str) -> str:
    document = _parse(text)
    found = _find_section(document, key.section)
    match found:
        case None:
            blank = newline if text else ""
            return f"{text}{blank}[{key.section}]{newline}{key.leaf} = {value}{newline}"
        case InlineTable():
            inside = found.as_string()[1:-1].strip().rstrip(",")
            pairs = ", ".join(part for part in (inside, f"{key.leaf} = {value}") if part)
            document[key.section] = tomlkit.value(f"{{ {pairs} }}")
        case Table():
            _add_line(found.value, key, value, newline)
        case _:
            _add_line(document, key, value, newline)
    return document.as_string()


def _parse(text: str) -> tomlkit.TOMLDocument:
    document = tomlkit.parse(text)
    if document.as_string() != text:
        raise TOMLKitError("the text is not kept as it is")
    return document


def _find_section(document: tomlkit.TOMLDocument, name: str) -> Item | Container | None:
    """Where the keys of a section stand: its table, or the last of its dotted keys."""
    if not name:
        return document
    found = [item for key, item in document.body if key is not None and key.key == name]
    return found[-1] if found else None


def _add_line(container: Container, key: SettingKey, value: str, newline: str) -> None:
    """Instead of the comment that shows the default, else behind the last key.

    This edits the list of a document that is only written afterwards: tomlkit's own methods append
    at the end, and know nothing of the comment.
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
    """The index behind the last key before any header, else behind the line of the schema."""
    for index, (key, item) in reversed(list(enumerate(body, start=1))):
        if key is not None and (key.is_dotted() or not isinstance(item, Table | AoT)):
            return index
    return int(bool(body) and body[0][1].as_string().startswith(SCHEMA_LINE))
