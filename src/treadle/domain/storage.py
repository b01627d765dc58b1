"""Where runs are stored: files below a directory, rows in a database."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

# The last @ ends a password, which may contain one that should be %40.
_PASSWORD = re.compile(r"(?<=//)([^:@/?#]*):(.*)@|(?<=[?&])(password|sslpassword)=([^&#]*)")


@dataclass(frozen=True, slots=True)
class Storage:
    """Clones and locks are files of one machine; several machines may share the database."""

    root: Path
    # A postgresql:// URL, which may hold a password; empty for the SQLite file below the root.
    database_url: str = field(default="", repr=False)


def without_password(url: str) -> str:
    """The URL of a database with its passwords masked."""
    return _PASSWORD.sub(_mask, url)


def passwords_in(url: str) -> list[str]:
    """The passwords in the URL of a database, as written and decoded."""
    passwords = [match[2] or match[4] or "" for match in _PASSWORD.finditer(url)]
    return [text for each in passwords if each for text in dict.fromkeys((each, unquote(each)))]


def _mask(match: re.Match[str]) -> str:
    return f"{match[3]}=***" if match[3] else f"{match[1]}:***@"
