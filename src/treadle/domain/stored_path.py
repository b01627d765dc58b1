"""Paths as texts that JSON and databases can store. Pure.

A path of this system is bytes. One that is not UTF-8 is stored as a `file:` address, which never
begins an absolute path.
"""

from pathlib import Path
from urllib.parse import unquote_to_bytes

_SCHEME = "file://"


def stored_path(path: Path) -> str:
    """The text of an absolute path."""
    text = str(path)
    return path.as_uri() if _has_other_bytes(text) else text


def path_from(stored: str) -> Path:
    """The path that a text of `stored_path` stands for."""
    if not stored.startswith(f"{_SCHEME}/"):
        return Path(stored)
    encoded = unquote_to_bytes(stored.removeprefix(_SCHEME))
    return Path(encoded.decode(errors="surrogateescape"))


def _has_other_bytes(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)
