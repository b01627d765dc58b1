"""The indexes of uv, from its files, variables and help. Pure."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treadle.adapters.packages.index_urls import basic_authorization, without_login
from treadle.adapters.packages.package_sources import PLACEHOLDER, IndexLogin, ToolSources
from treadle.adapters.packages.python_sources import (
    python_indexes,
    split_name,
    unsupported_directories,
    variable_logins,
)
from treadle.adapters.packages.user_configuration import (
    UserConfiguration,
    parse_toml,
    strings,
    table,
    toml_text,
)

# Besides the indexes, these decide what a lock file says.
_LOCK_OPTIONS = (
    *("index-strategy", "prerelease", "resolution", "fork-strategy", "exclude-newer"),
    *("exclude-newer-package", "no-index"),
)
_LOCK_VARIABLES = tuple(f"UV_{name.upper().replace('-', '_')}" for name in _LOCK_OPTIONS)
_DEFAULT_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
_FURTHER_VARIABLES = ("UV_INDEX", "UV_EXTRA_INDEX_URL")
_PASSWORD = re.compile(r"UV_INDEX_(\w+)_PASSWORD")
_INDEX_KEYS = ("name", "default", "explicit", "format")


def parse_uv_default(help_text: str) -> str:
    """uv's default index, from the help of `uv pip compile`; empty if it is not there."""
    match = re.search(r"by\s+default:\s+<(https?://[^>\s]+)>", help_text)
    return match.group(1) if match else ""


def uv_sources(configuration: UserConfiguration, default: str) -> ToolSources:
    """uv's indexes: those of its files and variables, and its default."""
    content = _merged_files(configuration)
    tables = _index_tables(content)
    candidates = [
        *(configuration.variable(name) for name in _DEFAULT_VARIABLES),
        *(str(each.get("url", "")) for each in tables if each.get("default") is True),
        *strings(content.get("index-url")),
        default,
    ]
    addresses = [
        next(filter(None, candidates), ""),
        *(each for name in _FURTHER_VARIABLES for each in configuration.variable(name).split()),
        *(f"{each.get('name', '')}={each.get('url', '')}" for each in tables),
        *strings(content.get("extra-index-url")),
    ]
    logins = variable_logins(configuration.variables, _PASSWORD)
    text = toml_text(_without_logins(content))
    return ToolSources(
        indexes=tuple(dict.fromkeys(python_indexes(addresses, logins))),
        logins=(*logins, *_stored_logins(configuration)),
        variables=_variables(configuration, logins),
        home_files={".config/uv/uv.toml": text} if text else {},
        authorities=tuple(filter(None, [configuration.variable("SSL_CERT_FILE")])),
        unsupported=unsupported_directories("uv", addresses),
    )


def _index_tables(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    value = content.get("index")
    return [table(each) for each in value] if isinstance(value, list) else []


def _merged_files(configuration: UserConfiguration) -> dict[str, Any]:
    """The user's file and the system's: the user's options win, lists are joined."""
    named = configuration.variable("UV_CONFIG_FILE")
    folders = configuration.variable("XDG_CONFIG_DIRS") or "/etc/xdg"
    system = [Path(folder) / "uv/uv.toml" for folder in (*folders.split(":"), "/etc")]
    user = configuration.config_home / "uv/uv.toml"
    texts = [configuration.read(path) for path in ([Path(named)] if named else [user, *system])]
    contents = [content for text in texts if (content := parse_toml(text))]
    # Of the system's files, the first counts.
    merged: dict[str, Any] = {}
    for content in contents[:2]:
        for key, value in content.items():
            if isinstance(value, list) and isinstance(merged.get(key), list):
                merged[key] = [*merged[key], *value]
            else:
                merged.setdefault(key, value)
    return merged


def _without_logins(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the file inside says: the indexes without logins, and the options of lock files."""
    inside = {key: content[key] for key in _LOCK_OPTIONS if key in content}
    for key in ("index-url", "extra-index-url"):
        urls = [url for text in strings(content.get(key)) if (url := without_login(text))]
        if urls:
            inside[key] = urls if key == "extra-index-url" else urls[0]
    indexes = [
        {**{key: each[key] for key in _INDEX_KEYS if key in each}, "url": url}
        for each in _index_tables(content)
        if (url := without_login(str(each.get("url"))))
    ]
    return {**inside, "index": indexes} if indexes else inside


def _variables(configuration: UserConfiguration, logins: tuple[IndexLogin, ...]) -> dict[str, str]:
    """The user's own variables, without logins."""
    variables = {name: value for name in _LOCK_VARIABLES if (value := configuration.variable(name))}
    for name in (*_DEFAULT_VARIABLES, *_FURTHER_VARIABLES):
        addresses = map(_named_without_login, configuration.variable(name).split())
        if value := " ".join(filter(None, addresses)):
            variables[name] = value
    for login in logins:
        # An index with `authenticate = "always"` is not asked without a login.
        for part in ("USERNAME", "PASSWORD"):
            variables[f"UV_INDEX_{login.name}_{part}"] = PLACEHOLDER
    return variables


def _named_without_login(text: str) -> str:
    name, address = split_name(text)
    url = without_login(address)
    return f"{name}={url}" if name and url else url


def _stored_logins(configuration: UserConfiguration) -> list[IndexLogin]:
    """The logins of `uv auth login`."""
    folder = configuration.variable("UV_CREDENTIALS_DIR") or (
        configuration.data_home / "uv/credentials"
    )
    entries = parse_toml(configuration.read(Path(folder) / "credentials.toml")).get("credential")
    logins = []
    for entry in map(table, entries if isinstance(entries, list) else []):
        service = without_login(str(entry.get("service", "")))
        if service and entry.get("scheme") == "bearer" and entry.get("token"):
            logins.append(IndexLogin(f"Bearer {entry['token']}", url=service, kind="python"))
        elif service and entry.get("password"):
            header = basic_authorization(str(entry.get("username", "")), str(entry["password"]))
            logins.append(IndexLogin(header, url=service, kind="python"))
    return logins
