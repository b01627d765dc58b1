"""The registries of npm and pnpm, from their files, variables and answers. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from treadle.adapters.packages.index_urls import is_below, parse_address
from treadle.adapters.packages.npm_configuration import (
    merge_settings,
    npm_logins,
    npmrc_text,
    old_login,
    parse_npmrc,
    registry_settings,
    variable_settings,
)
from treadle.adapters.packages.package_sources import IndexLogin, ToolSources
from treadle.adapters.packages.user_configuration import UserConfiguration
from treadle.domain.package_index import PackageIndex

# Besides the registries, these decide what a manifest and a lock file say.
_LOCK_OPTIONS = frozenset(
    {
        *("omit-lockfile-registry-resolved", "replace-registry-host", "lockfile-version"),
        *("package-lock", "save-exact", "save-prefix", "legacy-peer-deps", "strict-peer-deps"),
        *("install-links", "install-strategy", "prefer-dedupe", "before", "min-release-age"),
        *("tag", "auto-install-peers", "lockfile-include-tarball-url", "minimum-release-age"),
        *("resolution-mode", "node-linker"),
    }
)
_PNPM_FILES = ("rc", "auth.ini")


@dataclass(frozen=True, slots=True)
class NpmAnswer:
    """What npm or pnpm says about its configuration; addresses may hold logins."""

    registries: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_file: str = ""
    global_file: str = ""
    certificate: str = ""


def parse_npm_answer(output: str) -> NpmAnswer | None:
    """The answer to `config list --json`; None for other output."""
    try:
        answer = json.loads(output)
    except ValueError:
        return None
    if not isinstance(answer, dict):
        return None
    texts = {key: value for key, value in answer.items() if isinstance(value, str)}
    return NpmAnswer(
        registries={
            key: value
            for key, value in texts.items()
            if key == "registry" or key.endswith(":registry")
        },
        user_file=texts.get("userconfig", ""),
        global_file=texts.get("globalconfig", ""),
        certificate=texts.get("cafile", ""),
    )


def npm_sources(
    configuration: UserConfiguration, answer: NpmAnswer, *, builtin_file: Path | None
) -> ToolSources:
    """npm's registries. Without npm, `answer` is empty, but pnpm and yarn read its files."""
    user_file = Path(answer.user_file or configuration.home / ".npmrc")
    paths = [user_file, Path(answer.global_file) if answer.global_file else None, builtin_file]
    files = merge_settings(
        parse_npmrc(configuration.read(path), configuration.variables).settings
        for path in paths
        if path
    )
    settings = merge_settings((variable_settings(configuration.variables), files))
    inside = {
        **registry_settings(files),
        **{key: value for key, value in files.items() if key in _LOCK_OPTIONS},
    }
    return ToolSources(
        indexes=_indexes({**answer.registries, **settings}),
        logins=_logins(settings, answer.registries),
        variables=_variables(configuration.variables),
        home_files={".npmrc": npmrc_text(inside)} if inside else {},
        authorities=tuple(filter(None, [answer.certificate, settings.get("cafile", "")])),
    )


def pnpm_sources(configuration: UserConfiguration, answer: NpmAnswer) -> ToolSources:
    """pnpm's registries: those it knows itself, and those of its own files."""
    files = {
        name: parse_npmrc(
            configuration.read(configuration.config_home / "pnpm" / name), configuration.variables
        ).settings
        for name in _PNPM_FILES
    }
    settings = merge_settings(files.values())
    inside = {
        f".config/pnpm/{name}": npmrc_text(registries)
        for name, content in files.items()
        if (registries := registry_settings(content))
    }
    return ToolSources(
        indexes=_indexes({**answer.registries, **settings}),
        logins=_logins(settings, answer.registries),
        home_files=inside,
    )


def _indexes(settings: Mapping[str, str]) -> tuple[PackageIndex, ...]:
    """The registries, and the addresses that the user has a login for: which packages come from
    there may stand in the project."""
    addresses = [
        address
        for key, value in settings.items()
        if key == "registry" or key.endswith(":registry")
        if (address := parse_address(value))
    ]
    return tuple(
        dict.fromkeys(
            [
                *(PackageIndex("node", each.url, each.authorization) for each in addresses),
                *(
                    PackageIndex("node", address.url, login.authorization)
                    for login in npm_logins(settings)
                    if not any(is_below(each.url, login.url) for each in addresses)
                    if (address := parse_address(f"https:{login.url}"))
                ),
            ]
        )
    )


def _logins(settings: Mapping[str, str], registries: Mapping[str, str]) -> tuple[IndexLogin, ...]:
    default = parse_address(settings.get("registry") or registries.get("registry", ""))
    header = old_login(settings)
    old = IndexLogin(header, url=default.url, kind="node") if default and header else None
    return (*npm_logins(settings), *([old] if old else []))


def _variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The user's own variables, without logins."""
    inside = {}
    for name, value in variables.items():
        (key, text), *_ = (*variable_settings({name: value}).items(), ("", ""))
        if key in _LOCK_OPTIONS:
            inside[name] = text
        elif url := registry_settings({key: text}).get(key):
            inside[name] = url
    return inside
