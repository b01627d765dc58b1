"""The file in which Claude Code keeps the login of a subscription: where it is, what it says.

It is read where it lies and never written, copied, linked or mounted: Claude Code replaces it by
rename, and each refresh token in it is good once.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

FILE_NAME = ".credentials.json"
# Claude Code holds it while it renews the login.
LOCK_NAME = ".oauth_refresh.lock"
# The first that is set names the directory of the file.
DIRECTORY_VARIABLES = ("CLAUDE_SECURESTORAGE_CONFIG_DIR", "CLAUDE_CONFIG_DIR")
# The file also holds logins of MCP servers, but nothing large.
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredLogin:
    """A login as the file has it; `expires_at` is a Unix time."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: float


@dataclass(frozen=True, slots=True)
class LoginEnded:
    """The file is gone, or has no login: a person must log in."""


LoginState: TypeAlias = StoredLogin | LoginEnded


def credentials_directory(environment: Mapping[str, str], home: Path) -> Path:
    """The directory of the file; `environment` is the user's own."""
    given = next((environment[name] for name in DIRECTORY_VARIABLES if environment.get(name)), "")
    return Path(given) if given else home / ".claude"


def credentials_file(environment: Mapping[str, str], home: Path) -> Path:
    return credentials_directory(environment, home) / FILE_NAME


def parse_login(content: bytes) -> LoginState:
    """What the content of the file says. Claude Code empties the tokens of a login that ended."""
    try:
        parsed = json.loads(content)
    except ValueError:
        return LoginEnded()
    login = parsed.get("claudeAiOauth") if isinstance(parsed, dict) else None
    if not isinstance(login, dict):
        return LoginEnded()
    access, refresh = login.get("accessToken"), login.get("refreshToken")
    expires_at_ms = login.get("expiresAt")
    if not isinstance(access, str) or not access.isascii() or not access.strip():
        return LoginEnded()
    return StoredLogin(
        access.strip(),
        refresh if isinstance(refresh, str) else "",
        expires_at_ms / 1000 if isinstance(expires_at_ms, int | float) else 0.0,
    )


class SubscriptionFile:
    """Reads the file again whenever it is another one than before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: tuple[int, ...] | None = None
        self._login: LoginState = LoginEnded()

    @property
    def lock(self) -> Path:
        return self.path.with_name(LOCK_NAME)

    def read(self) -> LoginState:
        """The login of this moment."""
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                stamp = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)
                if stamp != self._stamp:
                    # The login first: another thread may read meanwhile.
                    self._login = parse_login(file.read(MOST_BYTES))
                    self._stamp = stamp
        except OSError:
            return LoginEnded()
        return self._login
