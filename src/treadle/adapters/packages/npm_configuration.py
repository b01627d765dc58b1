"""Reads the files and variables of npm, which pnpm and yarn read, too. Pure."""

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from treadle.adapters.packages.index_urls import basic_authorization, without_login
from treadle.adapters.packages.package_sources import IndexLogin

_VARIABLE = re.compile(r"(?<!\\)(\\*)\$\{([^${}?]+)\??\}")
_LOGIN_KEYS = ("_authToken", "_auth", "_password", "username")


@dataclass(frozen=True, slots=True)
class NpmFile:
    """The settings of one file, with its variables filled in."""

    settings: Mapping[str, str] = field(repr=False)
    # The variables that logins of this file are taken from.
    login_variables: tuple[str, ...] = ()


def parse_npmrc(text: str, variables: Mapping[str, str]) -> NpmFile:
    """The settings of an `.npmrc`; an unknown variable stays as it is."""
    settings: dict[str, str] = {}
    login_variables: list[str] = []
    for line in text.splitlines():
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or key.startswith((";", "#", "[")):
            continue
        if is_login_key(key):
            login_variables += [match.group(2) for match in _VARIABLE.finditer(value)]
        settings[fill_in(key, variables)] = fill_in(_unquoted(value), variables)
    return NpmFile(settings, tuple(dict.fromkeys(login_variables)))


def fill_in(text: str, variables: Mapping[str, str]) -> str:
    """The text with `${NAME}` replaced by variables that are set."""
    return _VARIABLE.sub(lambda match: variables.get(match.group(2), match.group(0)), text)


def variable_settings(variables: Mapping[str, str]) -> dict[str, str]:
    """The settings of variables such as `npm_config_registry`."""
    settings = {}
    for name, value in variables.items():
        if name.lower().startswith("npm_config_") and value:
            key = name[len("npm_config_") :]
            # A leading _ belongs to the key; the address of a login or a scope stays as it is.
            plain = key[:1].lower() + key[1:].lower().replace("_", "-")
            settings[key if key.startswith(("//", "@")) else plain] = value
    return settings


def registry_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """The addresses of the default registry and of those of scopes, without logins."""
    return {
        key: url
        for key, value in settings.items()
        if key == "registry" or re.fullmatch(r"@[^:/]+:registry", key)
        if (url := without_login(value))
    }


def is_login_key(key: str) -> bool:
    """Whether a setting is a part of a login."""
    return key.rpartition(":")[2] in _LOGIN_KEYS


def npm_logins(settings: Mapping[str, str]) -> tuple[IndexLogin, ...]:
    """The logins of addresses such as `//packages.example/:_authToken`."""
    addresses = dict.fromkeys(
        key.rpartition(":")[0] for key in settings if key.startswith("//") and is_login_key(key)
    )
    logins = []
    for address in addresses:
        header = _authorization(
            {name: settings.get(f"{address}:{name}", "") for name in _LOGIN_KEYS}
        )
        if header:
            logins.append(IndexLogin(header, url=address, kind="node"))
    return tuple(logins)


def old_login(settings: Mapping[str, str]) -> str | None:
    """The login of the default registry in files without addresses, as pnpm and yarn read them."""
    return _authorization({name: settings.get(name, "") for name in _LOGIN_KEYS})


def npmrc_text(settings: Mapping[str, str]) -> str:
    """A file with these settings."""
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _authorization(parts: Mapping[str, str]) -> str | None:
    if any("${" in value for value in parts.values()):
        return None
    if parts["_authToken"]:
        return f"Bearer {parts['_authToken']}"
    if parts["_auth"]:
        return f"Basic {parts['_auth']}"
    if parts["username"] and parts["_password"]:
        try:
            password = b64decode(parts["_password"], validate=True).decode()
        except ValueError:
            return None
        return basic_authorization(parts["username"], password)
    return None


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def merge_settings(layers: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The settings of several files; those of the first win."""
    merged: dict[str, str] = {}
    for layer in layers:
        merged = {**layer, **merged}
    return merged
