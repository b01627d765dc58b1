"""Defines how to ask package tools for their indexes, and parses the answers. Pure.

No address is defined here: the tools know their default index.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from treadle.domain.package_index import IndexKind, PackageIndex

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A tool's command that prints its indexes."""

    kind: IndexKind
    command: tuple[str, ...]
    read: Callable[[str], list[str]]


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
    IndexQuery("python", ("python3", "-I", "-c", _PIP), _lines),
    IndexQuery("node", ("npm", "config", "list", "--json"), _npm),
    IndexQuery("go", ("go", "env", "GOPROXY"), _comma_or_pipe),
    IndexQuery("ruby", ("gem", "sources", "--list"), _lines),
)

# The variables that set the first index of a kind, and all further ones.
_FIRST: Mapping[IndexKind, tuple[str, ...]] = {
    "python": ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"),
    "node": ("npm_config_registry",),
    "go": ("GOPROXY",),
}
_FURTHER: Mapping[IndexKind, tuple[str, ...]] = {"python": ("PIP_EXTRA_INDEX_URL", "UV_INDEX")}


def parse_indexes(query: IndexQuery, output: str) -> list[PackageIndex]:
    """The indexes in the output of a tool; other text is skipped."""
    urls = filter(None, map(_without_login, query.read(output)))
    return list(dict.fromkeys(PackageIndex(query.kind, url) for url in urls))


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
    for kind in _FIRST:
        first, *further = [index.url for index in indexes if index.kind == kind] or [""]
        variables |= dict.fromkeys(_FIRST[kind], first)
        variables |= dict.fromkeys(_FURTHER.get(kind, ()), " ".join(further))
    return {name: value for name, value in variables.items() if value}


def find_linked_hosts(page: str, index: PackageIndex) -> list[PackageIndex]:
    """Other hosts that a page of an index links to, because files may be on another host.

    The user did not configure these hosts, so they need HTTPS, unless the index itself uses HTTP
    on the same host.
    """
    links = (_without_login(link) for link in re.findall(r"""href=["']([^"'#?]+)""", page))
    origins = dict.fromkeys(
        PackageIndex("files", _origin(link), linked=True) for link in links if link
    )
    return [each for each in origins if each.host != index.host and _is_trustworthy(each, index)]


def _is_trustworthy(linked: PackageIndex, index: PackageIndex) -> bool:
    linked_url, index_url = urlsplit(linked.url), urlsplit(index.url)
    same = (linked_url.scheme, linked_url.hostname) == (index_url.scheme, index_url.hostname)
    return linked_url.scheme == "https" or same


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
