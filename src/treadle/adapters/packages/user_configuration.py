"""What the user has configured on this machine: variables, files and the logins of netrc. Pure."""

import configparser
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import Node

from treadle.adapters.packages.index_urls import basic_authorization
from treadle.adapters.packages.package_sources import IndexLogin
from treadle.domain.package_index import IndexKind

# The tools of other languages do not read it.
_NETRC_KINDS: tuple[IndexKind, ...] = ("python", "go")


@dataclass(frozen=True, slots=True)
class UserConfiguration:
    """The variables and files of the user's tools; a file that cannot be read is empty."""

    variables: Mapping[str, str] = field(repr=False)
    read: Callable[[Path], str]

    @property
    def home(self) -> Path:
        return Path(self.variables.get("HOME") or "/nonexistent")

    @property
    def config_home(self) -> Path:
        """Where most tools keep their files."""
        return self._folder("XDG_CONFIG_HOME", ".config")

    @property
    def data_home(self) -> Path:
        return self._folder("XDG_DATA_HOME", ".local/share")

    def variable(self, name: str) -> str:
        """Empty if it is not set."""
        return self.variables.get(name, "").strip()

    def netrc_logins(self) -> tuple[IndexLogin, ...]:
        """The logins of ~/.netrc, or of the file that NETRC names."""
        named = self.variable("NETRC")
        paths = [Path(named)] if named else [self.home / ".netrc", self.home / "_netrc"]
        return next((found for path in paths if (found := parse_netrc(self.read(path)))), ())

    def _folder(self, variable: str, default: str) -> Path:
        return Path(self.variable(variable) or self.home / default)


def parse_netrc(text: str) -> tuple[IndexLogin, ...]:
    """The logins of machines; the `default` entry fits every host and is skipped."""
    logins = []
    for entry in _netrc_entries(text):
        machine, password = entry.get("machine", ""), entry.get("password", "")
        if machine and password:
            header = basic_authorization(entry.get("login", ""), password)
            logins += [IndexLogin(header, host=machine.lower(), kind=kind) for kind in _NETRC_KINDS]
    return tuple(logins)


def _netrc_entries(text: str) -> Iterator[dict[str, str]]:
    # A macro ends at an empty line.
    plain = "\n\n".join(
        part.partition("macdef ")[0] if "macdef " in part else part for part in text.split("\n\n")
    )
    lines = (line for line in plain.splitlines() if not line.lstrip().startswith("#"))
    tokens = iter(" ".join(lines).split())
    entry: dict[str, str] = {}
    for word in tokens:
        if word in ("machine", "default"):
            yield entry
            entry = {"machine": next(tokens, "")} if word == "machine" else {}
        elif word in ("login", "password", "account"):
            entry[word] = next(tokens, "").strip('"')
    yield entry


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML file; empty if it is not valid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases: with them, a small file can stand for endless content."""

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("alias")
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> dict[str, Any]:
    """The mapping of a YAML file; empty if it is not valid."""
    try:
        value = yaml.load(text, _PlainLoader)  # noqa: S506  # it is a safe loader
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def parse_ini(text: str) -> configparser.RawConfigParser:
    """An INI file, as pip reads it; empty if it is not valid."""
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def table(value: object, *keys: str) -> dict[str, Any]:
    """A table below some keys; empty if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """The texts of a list, or the one text."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]


def toml_text(content: Mapping[str, Any]) -> str:
    """A TOML file, or empty if there is nothing to say."""
    # Imported here: few users have such files.
    import tomlkit

    return tomlkit.dumps(content) if content else ""
