"""Values changed inside an existing TOML text that otherwise stays as its author wrote it. Pure."""

from collections.abc import Mapping

from treadle.domain.errors import SettingsError
from treadle.settings.file import FILE, parse_values
from treadle.settings.keys import SettingKey, known_keys, toml_value
from treadle.settings.scan import Entry, Header, Places, scan

SCHEMA_LINE = "#:schema"


def update(text: str, values: Mapping[str, object]) -> str:
    """The text with these dotted keys set; all else, comments and order included, is kept.

    A key that has its value already is left as it is written; one that is absent and given its
    default is left absent. So the same values twice give the same text.
    """
    for name, value in values.items():
        text = _set(text, known_keys()[name], value)
    _prove(text, values)
    return text


def commented(key: SettingKey) -> str:
    """The line that shows a key's default without setting it."""
    return f"# {key.leaf} = {toml_value(key.default)}"


def _set(text: str, key: SettingKey, value: object) -> str:
    present = parse_values(text)
    if key.name in present:
        if present[key.name].value == value:
            return text
        return _replaced(text, scan(text).entry(tuple(key.name.split("."))), toml_value(value))
    if value == key.default:
        return text
    return _added(text, key, toml_value(value))


def _replaced(text: str, entry: Entry | None, value: str) -> str:
    # None only for tables that are spread over headers, which nothing here sets.
    return text if entry is None else text[: entry.start] + value + text[entry.end :]


def _added(text: str, key: SettingKey, value: str) -> str:
    places = scan(text)
    start, end = _extent(text, places, key.section)
    line = f"{key.leaf} = {value}"
    if start is None:
        return _added_without_header(text, places, key, value)
    if (shown := _line_of(text, commented(key), start, end)) is not None:
        return text[:shown] + line + text[shown + len(commented(key)) :]
    return _inserted(text, _insertion(text, places, start, end), line)


def _extent(text: str, places: Places, section: str) -> tuple[int | None, int]:
    """Where the body of a section begins and ends; begins nowhere when it has no header."""
    starts = [each.start for each in places.headers]
    if not section:
        return 0, starts[0] if starts else len(text)
    header = places.header((section,))
    if header is None:
        return None, len(text)
    return _next_line(text, header.end), _after(starts, header, len(text))


def _after(starts: list[int], header: Header, otherwise: int) -> int:
    return next((start for start in starts if start > header.start), otherwise)


def _line_of(text: str, line: str, start: int, end: int) -> int | None:
    """Where a line that is exactly `line` begins between two places, strings left aside."""
    inside = [(entry.start, entry.end) for entry in scan(text).entries]
    place = text.find(line, start, end)
    while place >= 0:
        whole = (place == 0 or text[place - 1] == "\n") and _ends_line(text, place + len(line))
        if whole and not any(first <= place < last for first, last in inside):
            return place
        place = text.find(line, place + 1, end)
    return None


def _ends_line(text: str, place: int) -> bool:
    return text[place : place + 2].rstrip(" \t")[:1] in ("", "\n", "\r")


def _insertion(text: str, places: Places, start: int, end: int) -> int:
    """Behind the last entry between two places, else behind the line that names the schema."""
    ends = [each.end for each in places.entries if start <= each.start < end]
    if ends:
        return _next_line(text, max(ends))
    return _next_line(text, start) if text.startswith(SCHEMA_LINE, start) else start


def _added_without_header(text: str, places: Places, key: SettingKey, value: str) -> str:
    line = f"{key.leaf} = {value}"
    whole = places.entry((key.section,))
    if whole is not None:
        inner = text[whole.start + 1 : whole.end - 1].strip().rstrip(",")
        return _replaced(text, whole, f"{{ {inner}, {line} }}" if inner else f"{{ {line} }}")
    dotted = [each for each in places.entries if each.path[0] == key.section and not each.inline]
    if dotted:
        return _inserted(text, _next_line(text, dotted[-1].end), f"{key.section}.{line}")
    blank = "" if not text else _newline(text)
    return _inserted(text, len(text), f"[{key.section}]", line, before=blank)


def _inserted(text: str, place: int, *lines: str, before: str = "") -> str:
    newline = _newline(text)
    head = text[:place]
    if head and not head.endswith("\n"):
        head += newline
    return head + before + "".join(line + newline for line in lines) + text[place:]


def _next_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _prove(text: str, values: Mapping[str, object]) -> None:
    """An edit that does not read back as meant is refused, so that no file is ever spoilt."""
    try:
        present = parse_values(text)
    except SettingsError:
        present = {}
    for name, value in values.items():
        key = known_keys()[name]
        if (present[name].value if name in present else key.default) != value:
            raise SettingsError(
                f"{FILE}: {name} could not be changed without spoiling the file",
                hint=f"set it by hand: {name} = {toml_value(value)}",
            )
