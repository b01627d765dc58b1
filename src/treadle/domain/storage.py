"""Where runs are stored: files below a directory, rows in a database."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

# The last @ ends a password, which may hold one that should have been written as %40.
_PASSWORD = re.compile(r"(?<=//)([^:@/?#]*):(.*)@|(?<=[?&])(password|sslpassword)=([^&#]*)")


@dataclass(frozen=True, slots=True)
class Storage:
    """Clones and locks are files of one machine; the database may be shared by several."""

    root: Path
    # A postgresql:// address; empty for the SQLite file below the root. It may hold a password.
    database_url: str = field(default="", repr=False)


def without_password(url: str) -> str:
    """The address of a database, fit to be shown."""
    return _PASSWORD.sub(_mask, url)


def passwords_in(url: str) -> list[str]:
    """The secrets in the address of a database, as they are written there and as they are meant."""
    written = [found[2] or found[4] or "" for found in _PASSWORD.finditer(url)]
    return [text for each in written if each for text in dict.fromkeys((each, unquote(each)))]


def _mask(found: re.Match[str]) -> str:
    return f"{found[3]}=***" if found[3] else f"{found[1]}:***@"
