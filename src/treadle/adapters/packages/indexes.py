"""Defines how to ask package tools for their indexes, and parses the answers. Pure.

No address is defined here: the tools know their default index.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A tool's command that prints its indexes; `variable` sets the index in the sandbox."""

    profile: str
    command: tuple[str, ...]
    read: Callable[[str], list[str]]
    variable: str
    # The variable for further indexes, if the tool supports several.
    further: str = ""


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """The address of a package index, without a login."""

    url: str
    variable: str = ""
    # Found in a page of an index, not in the user's configuration.
    linked: bool = False

    @property
    def host(self) -> str:
        """Host and port, in the form of the filtering proxy."""
        parts = urlsplit(self.url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{name}:{parts.port or _PORTS[parts.scheme]}"


def _lines(output: str) -> list[str]:
    return output.splitlines()


def _comma_or_pipe(output: str) -> list[str]:
    return re.split(r"[,|\s]+", output)


def _npm(output: str) -> list[str]:
    """The default registry and the registries of scopes."""
    try:
        settings = json.loads(output)
    except ValueError:
        return []
    return [
        str(value)
        for name, value in (settings.items() if isinstance(settings, dict) else ())
        if name == "registry" or str(name).endswith(":registry")
    ]


# Lets pip resolve its configuration files, variables and defaults.
_PIP = """
from pip._internal.commands import create_command
options, _ = create_command("download").parser.parse_args([])
print(options.index_url, *options.extra_index_urls, sep="\\n")
"""

INDEX_QUERIES: tuple[IndexQuery, ...] = (
    IndexQuery(
        "python", ("python3", "-I", "-c", _PIP), _lines, "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"
    ),
    IndexQuery("node", ("npm", "config", "list", "--json"), _npm, "npm_config_registry"),
    IndexQuery("go", ("go", "env", "GOPROXY"), _comma_or_pipe, "GOPROXY"),
    IndexQuery("ruby", ("gem", "sources", "--list"), _lines, ""),
)


def parse_indexes(query: IndexQuery, output: str) -> list[PackageIndex]:
    """The indexes in the output of a tool; other text is skipped."""
    indexes = [
        PackageIndex(url, query.variable if number == 0 else query.further)
        for number, url in enumerate(filter(None, map(_without_login, query.read(output))))
    ]
    return list(dict.fromkeys(indexes))


def _without_login(text: str) -> str:
    """The address without its login; empty if the text is not an address."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host:
        return ""
    name = f"[{host}]" if ":" in host else host
    authority = name if port is None else f"{name}:{port}"
    return urlunsplit((parts.scheme, authority, parts.path, "", ""))


def index_variables(indexes: Sequence[PackageIndex]) -> Mapping[str, str]:
    """The variables that make tools in the sandbox use the same indexes."""
    variables: dict[str, str] = {}
    for index in indexes:
        if index.variable:
            variables[index.variable] = f"{variables.get(index.variable, '')} {index.url}".strip()
    # uv installs the same packages under its own variables.
    uv_names = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL": "UV_INDEX"}
    return variables | {
        uv_names[name]: value for name, value in variables.items() if name in uv_names
    }


def find_linked_hosts(page: str, index: PackageIndex) -> list[PackageIndex]:
    """Other hosts that a page of an index links to, because files may be on another host.

    The user did not configure these hosts, so they need HTTPS, unless the index itself uses HTTP
    on the same host.
    """
    links = (_without_login(link) for link in re.findall(r"""href=["']([^"'#?]+)""", page))
    origins = dict.fromkeys(PackageIndex(_origin(link), linked=True) for link in links if link)
    return [each for each in origins if each.host != index.host and _is_trustworthy(each, index)]


def _is_trustworthy(linked: PackageIndex, index: PackageIndex) -> bool:
    linked_url, index_url = urlsplit(linked.url), urlsplit(index.url)
    same = (linked_url.scheme, linked_url.hostname) == (index_url.scheme, index_url.hostname)
    return linked_url.scheme == "https" or same


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
