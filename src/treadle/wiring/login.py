"""The agent's login: whether there is one, and how a private home comes to use it."""

from collections.abc import Mapping
from pathlib import Path
from sys import platform
from typing import Literal

from treadle.domain.errors import LoginMissing

Login = Literal["api key", "token", "subscription", "cloud provider", "keychain", "none"]

HOW_TO_LOG_IN = "set ANTHROPIC_API_KEY, or run Claude Code once by hand and log in with /login"
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
TOKENS = ("CLAUDE_CODE_OAUTH_TOKEN",)
CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


def credentials_file(home: Path) -> Path:
    return home / ".claude" / ".credentials.json"


def login_of(environment: Mapping[str, str], home: Path) -> Login:
    """Which kind of login the agent would use; never the login itself."""
    if any(environment.get(name) for name in KEYS):
        return "api key"
    if any(environment.get(name) for name in TOKENS):
        return "token"
    if any(environment.get(name) for name in CLOUDS):
        return "cloud provider"
    if credentials_file(home).is_file():
        return "subscription"
    # On a Mac the agent keeps its login in the keychain, where we do not look.
    return "keychain" if platform == "darwin" else "none"


def require_login(environment: Mapping[str, str], home: Path) -> Login:
    login = login_of(environment, home)
    if login == "none":
        raise LoginMissing(
            "Claude Code has no login",
            hint=HOW_TO_LOG_IN,
        )
    return login


def lend_login(login: Login, *, home: Path, private_home: Path) -> None:
    """Let the agent's private home use the user's own login file, which stays where it is."""
    if login != "subscription":
        return
    link = credentials_file(private_home)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(credentials_file(home))
