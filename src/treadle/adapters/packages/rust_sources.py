"""The registries of cargo, from its files, variables and a failed search. Pure."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treadle.adapters.packages.index_urls import parse_address, without_login
from treadle.adapters.packages.package_sources import (
    PLACEHOLDER,
    IndexLogin,
    ToolSources,
    UnsupportedIndex,
)
from treadle.adapters.packages.python_sources import login_name
from treadle.adapters.packages.user_configuration import (
    UserConfiguration,
    parse_toml,
    table,
    toml_text,
)
from treadle.domain.package_index import PackageIndex

# Cargo prints its default index only when it asks it. These variables let it fail at once, without
# a connection, and print the address.
CARGO_QUESTION = ("search", "--limit", "1", "cargo")
CARGO_VARIABLES: Mapping[str, str] = {
    **{"CARGO_HTTP_PROXY": "http://127.0.0.1:1", "CARGO_NET_RETRY": "0", "NO_PROXY": ""},
    **{"no_proxy": "", "CARGO_LOG": "network=debug", "CARGO_TERM_COLOR": "never"},
}
_FETCHED = re.compile(r"(https?://[^\s\"'`]+/)config\.json")
_INDEX = re.compile(r"CARGO_REGISTRIES_(\w+)_INDEX")
_TOKEN = re.compile(r"CARGO_REGISTRIES_(\w+)_TOKEN")
_GIT_INDEX = re.compile(r"/crates\.\w+-index\b")
_SPARSE = "sparse+"
_DEFAULT_SOURCE = "crates-io"
_GIT = "it is a git repository; use its sparse index (`sparse+https://…`) to reach it in a sandbox"


def parse_cargo_default(output: str) -> str:
    """Cargo's default index, from the output of CARGO_QUESTION; empty if it is not there."""
    match = _FETCHED.search(output)
    return match.group(1) if match else ""


def is_git_index(output: str) -> bool:
    """Whether this cargo has tried to download its index with git, as before version 1.70."""
    return _GIT_INDEX.search(output) is not None


def cargo_sources(configuration: UserConfiguration, default: str) -> ToolSources:
    """Cargo's registries: those of its files and variables, and its default index unless it is
    replaced."""
    folder = Path(configuration.variable("CARGO_HOME") or configuration.home / ".cargo")
    content = _read_toml(configuration, folder, "config")
    logins = (
        *_stored_logins(content),
        *_stored_logins(_read_toml(configuration, folder, "credentials")),
        *_variable_logins(configuration.variables),
    )
    addresses = [
        *cargo_registries(content).items(),
        *(
            (match.group(1), value)
            for name, value in configuration.variables.items()
            if (match := _INDEX.fullmatch(name)) and value
        ),
    ]
    if default and "replace-with" not in table(content, "source", _DEFAULT_SOURCE):
        addresses.insert(0, ("", f"{_SPARSE}{default}"))
    inside = toml_text(_without_logins(content))
    return ToolSources(
        indexes=tuple(
            dict.fromkeys(
                index for name, text in addresses if (index := cargo_index(name, text, logins))
            )
        ),
        logins=logins,
        variables=_variables(configuration.variables, logins),
        home_files={".cargo/config.toml": inside} if inside else {},
        authorities=tuple(
            filter(
                None,
                [
                    configuration.variable("CARGO_HTTP_CAINFO"),
                    str(table(content, "http").get("cainfo", "")),
                ],
            )
        ),
        unsupported=tuple(
            UnsupportedIndex("cargo", without_login(text), _GIT)
            for _, text in addresses
            if without_login(text)
        ),
    )


def cargo_registries(content: Mapping[str, Any]) -> dict[str, str]:
    """The indexes of a configuration file, by their names: registries and replaced sources."""
    found = {
        name: table(content, "registries", name).get("index")
        for name in table(content, "registries")
    } | {name: table(content, "source", name).get("registry") for name in table(content, "source")}
    return {name: value for name, value in found.items() if isinstance(value, str) and value}


def cargo_index(name: str, text: str, logins: Sequence[IndexLogin]) -> PackageIndex | None:
    """A sparse index; None for a git repository."""
    address = parse_address(text.removeprefix(_SPARSE))
    if not text.startswith(_SPARSE) or address is None:
        return None
    tokens = {login.name: login.authorization for login in logins}
    return PackageIndex("rust", address.url, address.authorization or tokens.get(login_name(name)))


def _read_toml(configuration: UserConfiguration, folder: Path, name: str) -> dict[str, Any]:
    # Without an extension, as older versions wrote it, the file wins.
    texts = [configuration.read(folder / each) for each in (name, f"{name}.toml")]
    return parse_toml(next(filter(None, texts), ""))


def _stored_logins(content: Mapping[str, Any]) -> list[IndexLogin]:
    registries = table(content, "registries")
    return [
        IndexLogin(token, name=login_name(name), kind="rust")
        for name in registries
        if isinstance(token := table(registries, name).get("token"), str) and token
    ]


def _variable_logins(variables: Mapping[str, str]) -> list[IndexLogin]:
    return [
        IndexLogin(value, name=match.group(1), kind="rust")
        for name, value in variables.items()
        if (match := _TOKEN.fullmatch(name)) and value
    ]


def _variables(variables: Mapping[str, str], logins: Sequence[IndexLogin]) -> dict[str, str]:
    """The user's own variables, without logins; cargo asks no private registry without a token."""
    inside = {}
    for name, value in variables.items():
        if _INDEX.fullmatch(name) and (address := _address_inside(value)):
            inside[name] = address
    for login in logins:
        inside[f"CARGO_REGISTRIES_{login.name}_TOKEN"] = PLACEHOLDER
        inside["CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS"] = "cargo:token"
    return inside


def _without_logins(content: Mapping[str, Any]) -> dict[str, Any]:
    """What the file inside says: registries, replaced sources and the default registry."""
    inside: dict[str, dict[str, Any]] = {}
    for name, text in cargo_registries({"registries": content.get("registries")}).items():
        if address := _address_inside(text):
            inside.setdefault("registries", {})[name] = {"index": address}
    for name in table(content, "source"):
        source = table(content, "source", name)
        kept = {key: source[key] for key in ("replace-with",) if key in source}
        if address := _address_inside(str(source.get("registry", ""))):
            kept["registry"] = address
        if kept:
            inside.setdefault("source", {})[name] = kept
    default = table(content, "registry").get("default")
    return {**inside, "registry": {"default": default}} if default else inside


def _address_inside(text: str) -> str:
    """The address without its login; empty if it is not of HTTP or HTTPS."""
    url = without_login(text.removeprefix(_SPARSE))
    return f"{_SPARSE}{url}" if url and text.startswith(_SPARSE) else url
