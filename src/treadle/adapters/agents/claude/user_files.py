"""Reads the user's own files of Claude Code that say how it logs in. Writes none of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.adapters.agents.claude.subscription_file import (
    MOST_BYTES,
    StoredLogin,
    credentials_file,
    parse_login,
)

CONFIG_DIRECTORY = "CLAUDE_CONFIG_DIR"
GOOGLE_KEY_FILE = "GOOGLE_APPLICATION_CREDENTIALS"
# A login without it cannot ask a model.
INFERENCE = "user:inference"


@dataclass(frozen=True, slots=True)
class UserFiles:
    """What the files say; empty values where they say nothing that Claude Code would take."""

    settings: Path
    # `env` of the settings, as variables.
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_helper: str = field(default="", repr=False)
    console: Path = Path()
    console_key: str = field(default="", repr=False)
    credentials: Path = Path()
    subscription: StoredLogin | None = None
    # The type of the credentials that `GOOGLE_APPLICATION_CREDENTIALS` names.
    google_key_type: str = ""


def read_user_files(environment: Mapping[str, str], home: Path) -> UserFiles:
    """All of them; `environment` is the user's own. A project's settings are not among them."""
    settings_path = _config_directory(environment, home) / "settings.json"
    settings = _read_object(settings_path)
    console = console_file(environment, home)
    helper, key = settings.get("apiKeyHelper"), _read_object(console).get("primaryApiKey")
    credentials = credentials_file(environment, home)
    google = _read_object(Path(environment.get(GOOGLE_KEY_FILE) or "/dev/null")).get("type")
    return UserFiles(
        settings=settings_path,
        variables=_variables(settings.get("env")),
        key_helper=helper if isinstance(helper, str) else "",
        console=console,
        console_key=key if isinstance(key, str) else "",
        credentials=credentials,
        subscription=_subscription(credentials),
        google_key_type=google if isinstance(google, str) else "",
    )


def read_settings_variables(environment: Mapping[str, str], home: Path) -> Mapping[str, str]:
    """The variables that the user's settings set for Claude Code."""
    return _variables(
        _read_object(_config_directory(environment, home) / "settings.json").get("env")
    )


def console_file(environment: Mapping[str, str], home: Path) -> Path:
    """Where a login at the Console is kept; early versions had it in another place, which counts
    if it is there."""
    early = _config_directory(environment, home) / ".config.json"
    if early.is_file():
        return early
    return Path(environment.get(CONFIG_DIRECTORY) or home) / ".claude.json"


def _config_directory(environment: Mapping[str, str], home: Path) -> Path:
    return Path(environment.get(CONFIG_DIRECTORY) or home / ".claude")


def _variables(env: object) -> dict[str, str]:
    """As Claude Code exports them: numbers and truth values become text."""
    if not isinstance(env, dict):
        return {}
    return {
        str(name): value if isinstance(value, str) else json.dumps(value)
        for name, value in env.items()
        if isinstance(value, str | int | float)
    }


def _subscription(file: Path) -> StoredLogin | None:
    content = _read(file)
    login = parse_login(content)
    if not isinstance(login, StoredLogin):
        return None
    scopes = json.loads(content)["claudeAiOauth"].get("scopes")
    return login if isinstance(scopes, list) and INFERENCE in scopes else None


def _read_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_read(path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16 * MOST_BYTES)
    except OSError:
        return b""
