"""The indexes that files of a project name. Pure.

A stranger may have written these files. So an index counts only if the user's tools know it, too,
or if the user allows its host. No variable is filled in where it could get into an address.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from treadle.adapters.packages.index_urls import parse_address
from treadle.adapters.packages.npm_configuration import npm_logins, parse_npmrc, registry_settings
from treadle.adapters.packages.package_sources import PLACEHOLDER, IndexLogin, ProjectIndex
from treadle.adapters.packages.rust_sources import cargo_index, cargo_registries
from treadle.adapters.packages.user_configuration import parse_toml, strings, table
from treadle.adapters.packages.yarn_sources import (
    berry_logins,
    berry_servers,
    login_variables,
    parse_berry_file,
)
from treadle.domain.package_index import IndexKind, PackageIndex

_OPTION = re.compile(r"^[^\S\n]*(?:-i|--index-url|--extra-index-url)[\s=]+(\S+)", re.MULTILINE)

# A variable with any other name is no login of a registry, whatever the project says.
_LOGIN_VARIABLE = re.compile(r"NPM_TOKEN|NODE_AUTH_TOKEN|YARN_NPM_\w+")
# Variables that get a text that stands for a login inside.
_PLACEHOLDER_VARIABLE = re.compile(r"\w*(?:NPM|YARN|REGISTRY|TOKEN|AUTH|PASSWORD)\w*")
_OTHER_LOGINS = ("ANTHROPIC", "CLAUDE", "TREADLE", "AWS", "GOOGLE", "AZURE", "OPENAI")


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """What the files of a project name."""

    indexes: tuple[ProjectIndex, ...] = ()
    logins: tuple[IndexLogin, ...] = ()
    # Stand for variables of logins in these files, without which yarn refuses to start.
    variables: Mapping[str, str] = field(default_factory=dict)


def parse_project_files(read: Callable[[str], str], variables: Mapping[str, str]) -> ProjectNames:
    """The indexes of all files; a login in them may be taken from a variable of the user."""
    known = {name: value for name, value in variables.items() if _LOGIN_VARIABLE.fullmatch(name)}
    npm = parse_npmrc(read(".npmrc"), known)
    berry = parse_berry_file(read(".yarnrc.yml"), known)
    npm_servers = registry_settings(parse_npmrc(read(".npmrc"), {}).settings).values()
    yarn_servers = berry_servers(parse_berry_file(read(".yarnrc.yml"), {})).values()
    names = (*npm.login_variables, *login_variables(read(".yarnrc.yml")))
    return ProjectNames(
        indexes=(
            *_python_indexes(read),
            *_indexes("node", ".npmrc", npm_servers),
            *_indexes("node", ".yarnrc.yml", yarn_servers),
            *_cargo_indexes(read),
        ),
        logins=(*npm_logins(npm.settings), *berry_logins(berry, "")),
        variables={name: PLACEHOLDER for name in names if _is_replaced(name)},
    )


def _is_replaced(name: str) -> bool:
    return bool(_PLACEHOLDER_VARIABLE.fullmatch(name)) and not name.startswith(_OTHER_LOGINS)


def _python_indexes(read: Callable[[str], str]) -> list[ProjectIndex]:
    pyproject = parse_toml(read("pyproject.toml"))
    tool = table(pyproject, "tool")
    return [
        *_indexes("python", "pyproject.toml", _uv_tables(table(tool, "uv"))),
        *_indexes("python", "pyproject.toml", _tables(table(tool, "poetry").get("source"))),
        *_indexes("python", "pyproject.toml", _tables(table(tool, "pdm").get("source"))),
        *_indexes("python", "uv.toml", _uv_tables(parse_toml(read("uv.toml")))),
        *_indexes("python", "Pipfile", _tables(parse_toml(read("Pipfile")).get("source"))),
        *(
            each
            for file in ("requirements.txt", "requirements-dev.txt")
            for each in _indexes("python", file, _OPTION.findall(read(file)))
        ),
    ]


def _uv_tables(content: Mapping[str, Any]) -> list[str]:
    urls = [*strings(content.get("index-url")), *strings(content.get("extra-index-url"))]
    return [*_tables(content.get("index")), *urls]


def _tables(value: object) -> list[str]:
    entries = [table(each) for each in value] if isinstance(value, list) else []
    return [str(entry.get("url", "")) for entry in entries]


def _cargo_indexes(read: Callable[[str], str]) -> list[ProjectIndex]:
    files = (".cargo/config.toml", ".cargo/config")
    return [
        ProjectIndex(replace(index, authorization=None), file)
        for file in files
        for name, text in cargo_registries(parse_toml(read(file))).items()
        if (index := cargo_index(name, text, ()))
    ]


def _indexes(kind: IndexKind, file: str, urls: Iterable[str]) -> list[ProjectIndex]:
    return [
        ProjectIndex(PackageIndex(kind, address.url), file)
        for text in urls
        if "${" not in text and (address := parse_address(text))
    ]
