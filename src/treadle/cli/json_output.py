"""The JSON that commands print with --json: no character in it controls a terminal."""

import orjson

from treadle.views.safe_text import escape_json


def encode_json(document: object) -> bytes:
    """Indented, times in UTC ending in `Z`."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z
    return printable_json(orjson.dumps(document, option=options))


def printable_json(document: bytes) -> bytes:
    """The same with escapes, wherever it goes: what is in a file is often printed later."""
    if document.isascii() and b"\x7f" not in document:
        return document
    return escape_json(document.decode()).encode()
