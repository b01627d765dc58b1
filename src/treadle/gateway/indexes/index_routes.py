"""Decides whether a request for a package index may pass, and with which login. Pure, apart from
the links that it has learned from the indexes' own answers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

from treadle.domain.errors import SettingsError
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import parse_entries
from treadle.gateway.indexes.index_links import IndexLinks
from treadle.gateway.indexes.index_paths import (
    PathUse,
    download_pattern,
    is_file_path,
    is_linked_file,
    is_plain,
    use_of_path,
)

READ_METHODS = frozenset({"GET", "HEAD"})
# An index that links to more is no index.
MAX_LINKED_HOSTS = 64
MAX_LINKED_FILES = 50_000
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Origin:
    """A scheme, a host in its usual form, and a port."""

    scheme: str
    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{host}" + ("" if self.port == default else f":{self.port}")

    @property
    def is_loopback(self) -> bool:
        return self.host in _LOOPBACK


@dataclass(frozen=True, slots=True)
class IndexRoute:
    """A request that may pass."""

    url: str
    use: PathUse
    # The index that the request belongs to, or that links to it.
    index: PackageIndex
    # Whether the host was found in an answer of the index.
    linked: bool = False
    authorization: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class IndexRefused:
    """The request does not pass; the process gets the reason."""

    reason: str


RouteDecision: TypeAlias = IndexRoute | IndexRefused


def origin_of(url: str) -> Origin | None:
    """None for an address without a usual host and port."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        (entry,) = parse_entries([f"{host}:{port}"])
    except (ValueError, KeyError, SettingsError):
        return None
    return Origin(parts.scheme, entry.host, entry.port)


class IndexRoutes:
    """The indexes of the user's tools, and what their answers link to."""

    def __init__(self, indexes: Iterable[PackageIndex]) -> None:
        self.indexes: dict[Origin, tuple[PackageIndex, ...]] = {}
        # The index that links to a host, to a file on its own host, and to files by a template.
        self._hosts: dict[Origin, PackageIndex] = {}
        self._files: dict[str, PackageIndex] = {}
        self._templates: dict[re.Pattern[str], PackageIndex] = {}
        for index in indexes:
            origin = origin_of(index.url)
            if origin is None or (index.linked and origin.scheme != "https"):
                continue
            if index.linked or index.kind == "files":
                self._hosts[origin] = index
            else:
                self.indexes[origin] = (*self.indexes.get(origin, ()), index)

    def knows(self, origin: Origin) -> bool:
        return origin in self.indexes or origin in self._hosts

    def all_indexes(self) -> Iterator[PackageIndex]:
        """Without the hosts that they link to."""
        for indexes in self.indexes.values():
            yield from indexes

    def decide(self, method: str, origin: Origin, target: str) -> RouteDecision:
        """Whether a request to a known host may pass."""
        if method not in READ_METHODS:
            return IndexRefused(f"{method} is not passed on: package indexes are read-only here")
        own = self._own_route(origin, target)
        if own is not None:
            return own
        url = origin.url + target
        if is_plain(target) and (index := self._linked_by(url)):
            return _linked_route(origin, url, index)
        if is_file_path(target):
            # Without a login, because the index does not say that the file is its own.
            index = self._hosts.get(origin) or self.indexes[origin][0]
            return IndexRoute(url, "file", index, linked=origin not in self.indexes)
        return IndexRefused(
            f"{origin.host} is open for package files only, and this path is not one"
        )

    def learn(self, index: PackageIndex, origin: Origin, links: IndexLinks) -> None:
        """Open what an answer of an index links to; `origin` is where the answer came from."""
        for url in links.files:
            if _is_at(origin, url):
                self._learn_file(index, origin, url)
            else:
                self._learn_host(index, origin, url)
        for template in links.templates:
            if _is_at(origin, template) or self._learn_host(index, origin, template):
                self._templates[download_pattern(template)] = index

    def _learn_file(self, index: PackageIndex, origin: Origin, url: str) -> None:
        target = url[len(origin.url) :]
        is_new = use_of_path(index, target) is None and is_linked_file(index.kind, target)
        if is_new and len(self._files) < MAX_LINKED_FILES:
            self._files[url] = index

    def _learn_host(self, index: PackageIndex, origin: Origin, url: str) -> bool:
        """Whether a link to another host is one that may be followed."""
        linked = origin_of(url)
        if linked is None or not may_lead_to(origin, linked):
            return False
        if not self.knows(linked) and len(self._hosts) < MAX_LINKED_HOSTS:
            self._hosts[linked] = index
        return self.knows(linked)

    def _own_route(self, origin: Origin, target: str) -> IndexRoute | None:
        """The route of the index whose path is the longest."""
        matches: Sequence[tuple[PackageIndex, PathUse]] = [
            (index, use)
            for index in self.indexes.get(origin, ())
            if (use := use_of_path(index, target)) is not None
        ]
        if not matches:
            return None
        index, use = max(matches, key=lambda match: len(match[0].url))
        return IndexRoute(origin.url + target, use, index, authorization=index.authorization)

    def _linked_by(self, url: str) -> PackageIndex | None:
        if url in self._files:
            return self._files[url]
        return next((index for each, index in self._templates.items() if each.fullmatch(url)), None)


def may_lead_to(origin: Origin, target: Origin) -> bool:
    """Whether an index may lead to another host: by HTTPS, never to another port of loopback."""
    return target == origin or (target.scheme == "https" and not target.is_loopback)


def _linked_route(origin: Origin, url: str, index: PackageIndex) -> IndexRoute:
    """The login goes to the host of the index alone."""
    is_own_host = origin_of(index.url) == origin
    return IndexRoute(
        url,
        "file",
        index,
        linked=not is_own_host,
        authorization=index.authorization if is_own_host else None,
    )


def _is_at(origin: Origin, url: str) -> bool:
    return url.startswith(f"{origin.url}/")
