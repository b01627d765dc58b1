"""The indexes that files of a project name. Pure.

A stranger may have written these files. So an index counts only if the user's tools know it, too,
or if the user allows its host.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.adapters.packages.index_urls import parse_address
from treadle.adapters.packages.npm_configuration import npm_logins, parse_npmrc, registry_settings
from treadle.adapters.packages.package_sources import PLACEHOLDER, IndexLogin, ProjectIndex
from treadle.adapters.packages.python_sources import login_name
from treadle.adapters.packages.rust_sources import cargo_index, cargo_registries
from treadle.adapters.packages.user_configuration import parse_toml, strings, table
from treadle.adapters.packages.yarn_sources import (
    berry_logins,
    berry_servers,
    login_variables,
    parse_berry_file,
)
from treadle.domain.package_index import IndexKind, PackageIndex

# Where pip, uv, poetry, pdm, npm, pnpm, yarn and cargo look.
PROJECT_FILES = (
    *("pyproject.toml", "uv.toml", "Pipfile", "requirements.txt", "requirements-dev.txt"),
    *(".npmrc", ".yarnrc.yml", ".cargo/config.toml", ".cargo/config"),
)
_OPTION = re.compile(r"^\s*(?:-i|--index-url|--extra-index-url)[\s=]+(\S+)", re.MULTILINE)

# A variable with any other name is no login of a registry, whatever the project says.
_LOGIN_VARIABLE = re.compile(r"\w*(?:NPM|YARN|REGISTRY|TOKEN|AUTH|PASSWORD)\w*")
_OTHER_LOGINS = ("ANTHROPIC", "CLAUDE", "TREADLE", "AWS", "GOOGLE", "AZURE", "OPENAI")

# Name and address.
_Named = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """What the files of a project name."""

    indexes: tuple[ProjectIndex, ...] = ()
    logins: tuple[IndexLogin, ...] = ()
    # Stand for variables of logins in these files, without which yarn refuses to start.
    variables: Mapping[str, str] = field(default_factory=dict)


def parse_project_files(read: Callable[[str], str], variables: Mapping[str, str]) -> ProjectNames:
    """The indexes of all files; a login in them may be taken from a variable of the user."""
    known = {name: value for name, value in variables.items() if _is_login_variable(name)}
    npm = parse_npmrc(read(".npmrc"), known)
    berry = parse_berry_file(read(".yarnrc.yml"), known)
    names = (*npm.login_variables, *login_variables(read(".yarnrc.yml")))
    return ProjectNames(
        indexes=(
            *_python_indexes(read),
            *_indexes("node", ".npmrc", _unnamed(registry_settings(npm.settings).values())),
            *_indexes("node", ".yarnrc.yml", _unnamed(berry_servers(berry).values())),
            *_cargo_indexes(read),
        ),
        logins=(*npm_logins(npm.settings), *berry_logins(berry, "")),
        variables={name: PLACEHOLDER for name in names if _is_login_variable(name)},
    )


def _is_login_variable(name: str) -> bool:
    return bool(_LOGIN_VARIABLE.fullmatch(name)) and not name.startswith(_OTHER_LOGINS)


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
            for each in _indexes("python", file, _unnamed(_OPTION.findall(read(file))))
        ),
    ]


def _uv_tables(content: Mapping[str, Any]) -> list[_Named]:
    urls = [*strings(content.get("index-url")), *strings(content.get("extra-index-url"))]
    return [*_tables(content.get("index")), *_unnamed(urls)]


def _tables(value: object) -> list[_Named]:
    entries = [table(each) for each in value] if isinstance(value, list) else []
    return [(str(entry.get("name", "")), str(entry.get("url", ""))) for entry in entries]


def _unnamed(urls: Iterable[str]) -> list[_Named]:
    return [("", url) for url in urls]


def _cargo_indexes(read: Callable[[str], str]) -> list[ProjectIndex]:
    files = (".cargo/config.toml", ".cargo/config")
    return [
        ProjectIndex(index, file, login_name(name))
        for file in files
        for name, text in cargo_registries(parse_toml(read(file))).items()
        if (index := cargo_index(name, text, ()))
    ]


def _indexes(kind: IndexKind, file: str, named: Iterable[_Named]) -> list[ProjectIndex]:
    return [
        ProjectIndex(PackageIndex(kind, address.url, address.authorization), file, login_name(name))
        for name, text in named
        if (address := parse_address(text))
    ]
