"""Defines how to ask package tools for their indexes, and parses the answers. Pure.

No index has its address here: the tools know the one they use when the user has named none.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A tool's own command that tells its indexes; `variable` tells the same tool inside."""

    profile: str
    command: tuple[str, ...]
    read: Callable[[str], list[str]]
    variable: str
    # For the ones after the first, if the tool takes several.
    further: str = ""


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """Where packages come from: an address without a login, as tools are told it."""

    url: str
    variable: str = ""
    # By a page of an index, not by the user's configuration.
    linked: bool = False

    @property
    def host(self) -> str:
        """As the filtering proxy names it."""
        parts = urlsplit(self.url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{name}:{parts.port or _PORTS[parts.scheme]}"


def _lines(said: str) -> list[str]:
    return said.splitlines()


def _comma_or_pipe(said: str) -> list[str]:
    return re.split(r"[,|\s]+", said)


def _npm(said: str) -> list[str]:
    """The default registry, and those of single scopes."""
    try:
        told = json.loads(said)
    except ValueError:
        return []
    return [
        str(value)
        for name, value in (told.items() if isinstance(told, dict) else ())
        if name == "registry" or str(name).endswith(":registry")
    ]


# Pip's own way to its configuration: files, variables and what it takes when there are none.
_PIP = """
from pip._internal.commands import create_command
told, _ = create_command("download").parser.parse_args([])
print(told.index_url, *told.extra_index_urls, sep="\\n")
"""

INDEX_QUERIES: tuple[IndexQuery, ...] = (
    IndexQuery(
        "python", ("python3", "-I", "-c", _PIP), _lines, "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"
    ),
    IndexQuery("node", ("npm", "config", "list", "--json"), _npm, "npm_config_registry"),
    IndexQuery("go", ("go", "env", "GOPROXY"), _comma_or_pipe, "GOPROXY"),
    IndexQuery("ruby", ("gem", "sources", "--list"), _lines, ""),
)


def parse_indexes(question: IndexQuery, said: str) -> list[PackageIndex]:
    """The indexes in an answer; what is no address of one is passed over."""
    found = [
        PackageIndex(plain, question.variable if number == 0 else question.further)
        for number, plain in enumerate(filter(None, map(_without_login, question.read(said))))
    ]
    return list(dict.fromkeys(found))


def _without_login(text: str) -> str:
    """An address without the login that may stand in it; empty if it is none."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host:
        return ""
    name = f"[{host}]" if ":" in host else host
    place = name if port is None else f"{name}:{port}"
    return urlunsplit((parts.scheme, place, parts.path, "", ""))


def index_variables(found: Sequence[PackageIndex]) -> Mapping[str, str]:
    """What tells the tools inside to use the same indexes as those outside."""
    told: dict[str, str] = {}
    for index in found:
        if index.variable:
            told[index.variable] = f"{told.get(index.variable, '')} {index.url}".strip()
    # The other installer of the same packages.
    same = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL": "UV_INDEX"}
    return told | {same[name]: value for name, value in told.items() if name in same}


def find_linked_hosts(page: str, index: PackageIndex) -> list[PackageIndex]:
    """Other hosts that a page of an index links to: files need not lie where the list does.

    The page is not the user's word: what it names is spoken to encrypted, unless the index itself
    is not and has the same name.
    """
    found = (_without_login(link) for link in re.findall(r"""href=["']([^"'#?]+)""", page))
    origins = dict.fromkeys(PackageIndex(_origin(link), linked=True) for link in found if link)
    return [each for each in origins if each.host != index.host and _is_trustworthy(each, index)]


def _is_trustworthy(linked: PackageIndex, index: PackageIndex) -> bool:
    there, here = urlsplit(linked.url), urlsplit(index.url)
    same = (there.scheme, there.hostname) == (here.scheme, here.hostname)
    return there.scheme == "https" or same


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
