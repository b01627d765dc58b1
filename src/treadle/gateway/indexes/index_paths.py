"""Decides which paths of a package index may be read, by the kind of index. Pure.

Everything else is refused, because a path could carry data out or use a login for something else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from treadle.domain.package_index import IndexKind, PackageIndex

# A page changes with every release; a package file never changes.
PathUse = Literal["page", "file"]

MAX_TARGET = 1024
# One form for each path: no empty or dotted parts, and only the escapes that tools send. An escaped
# slash stands between the scope and the name of an npm package, and nowhere else.
_SCOPED = r"(?:@|%40)[A-Za-z0-9~][\w.~-]*%2[fF][A-Za-z0-9~][\w.~-]*"
_PART = r"(?!\.{1,2}(?:/|\Z))(?:[\w.~@+!$,:=-]|%(?:40|2[bB]|21))+"
_PLAIN = re.compile(rf"/|(?:/(?:{_SCOPED}|{_PART}))+/?", re.A)

_PYTHON_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?"
_PYTHON_FILE = (
    r"(?:\.whl|\.tar\.gz|\.zip|\.tgz|\.tar\.bz2|\.tar\.xz|\.egg)(?:\.metadata|\.asc|\.provenance)?"
)
_NODE_PART = r"[A-Za-z0-9~](?:[A-Za-z0-9._~-]{0,213})"
_NODE_NAME = rf"(?:(?:@|%40){_NODE_PART}(?:/|%2[fF]))?{_NODE_PART}"
_CRATE = r"[A-Za-z0-9_-]{1,64}"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9._+!~-]{0,200}"
# Anything else that go asks for, such as a branch, stands for another version tomorrow.
_GO_VERSION = r"v[0-9]+\.[0-9]+\.[0-9]+[A-Za-z0-9._+!-]{0,200}"
_GO_MODULE = r"[a-z0-9!](?:[a-z0-9!._~/-]{0,400})"
_GO_TILE = r"tile/[0-9]+/(?:data/)?[0-9x/]+(?:\.p/[0-9]+)?"
_GO_DATABASE = rf"(?:supported|latest|lookup/{_GO_MODULE}@{_VERSION}|{_GO_TILE})"
_GEM = r"[A-Za-z0-9_.-]{1,200}"


@dataclass(frozen=True, slots=True)
class _Rule:
    use: PathUse
    # Matches the whole path below the index's own.
    pattern: re.Pattern[str]


def _rules(**patterns: str) -> tuple[_Rule, ...]:
    """The pages of a kind of index, then its files."""
    uses: tuple[PathUse, ...] = ("page", "file")
    return tuple(_Rule(use, re.compile(patterns[use], re.A)) for use in uses if use in patterns)


_BELOW: Mapping[IndexKind, tuple[_Rule, ...]] = {
    "python": _rules(page=rf"/?|/{_PYTHON_NAME}/?", file=rf"/.*[^/]{_PYTHON_FILE}"),
    "node": _rules(
        # A name, and a version or tag of it.
        page=rf"/{_NODE_NAME}(?:/{_VERSION})?|/-/package/{_NODE_NAME}/dist-tags|/-/ping|/-/npm/v1/keys",
        file=rf"/{_NODE_NAME}/-/(?:(?:@|%40){_NODE_PART}/)?[\w.~+-]+\.tgz",
    ),
    "rust": _rules(
        page=rf"/config\.json|/1/{_CRATE}|/2/{_CRATE}|/3/[\w-]/{_CRATE}|/[\w-]{{2}}/[\w-]{{2}}/{_CRATE}",
        file=rf"/.*{_CRATE}/(?:{_VERSION}/download|{_CRATE}-{_VERSION}\.crate)",
    ),
    "go": _rules(
        page=rf"/{_GO_MODULE}/@v/list|/{_GO_MODULE}/@latest|/(?:sumdb/[a-z0-9.-]+/)?{_GO_DATABASE}"
        rf"|/{_GO_MODULE}/@v/(?!{_GO_VERSION}\.){_VERSION}\.(?:info|mod)",
        file=rf"/{_GO_MODULE}/@v/{_GO_VERSION}\.(?:info|mod|zip)",
    ),
    "ruby": _rules(
        page=r"/(?:latest_|prerelease_)?specs\.4\.8\.gz|/versions|/names|/info/[\w.-]{1,200}"
        r"|/api/v1/dependencies",
        file=rf"/gems/{_GEM}\.gem|/quick/Marshal\.4\.8/{_GEM}\.gemspec\.rz",
    ),
    "files": (),
}
# What a host of files has, whatever index links to it.
_FILE = re.compile(
    rf"/.*[^/](?:{_PYTHON_FILE}|\.tgz|\.crate|\.gem)"
    rf"|/(?:.*/)?{_CRATE}/{_VERSION}/download",
    re.A,
)
# Where an index may link to on its own host. The rest is no package, and a publisher may
# have written the link.
_LINKED: Mapping[IndexKind, re.Pattern[str]] = {
    "python": re.compile(rf"/.*[^/]{_PYTHON_FILE}", re.A),
    "node": re.compile(
        rf"/(?:.*/)?{_NODE_NAME}/-/(?:(?:@|%40){_NODE_PART}/|[0-9][\w.+~-]*/)?[\w.~+-]+\.tgz"
        rf"|/download/@{_NODE_PART}/{_NODE_PART}/{_VERSION}/[0-9a-f]{{40,64}}",
        re.A,
    ),
}
_NODE_DOCUMENT = re.compile(rf"/{_NODE_NAME}(?P<version>/{_VERSION})?", re.A)
# The one query that a tool sends to an index by itself.
_GEMS = re.compile(r"gems=[\w.,-]{0,900}", re.A)
_GO_FILES = "/@v/"
# Details of a release; some tools read them instead of the page.
_PYTHON_DETAILS = re.compile(rf"/pypi/{_PYTHON_NAME}/(?:{_VERSION}/)?json", re.A)


def is_plain(target: str) -> bool:
    """Whether all programs parse the path in the same way; a query is not part of it."""
    path, mark, query = target.partition("?")
    return (
        len(target) <= MAX_TARGET
        and "#" not in target
        and bool(_PLAIN.fullmatch(path))
        and bool(query) == bool(mark)
    )


def use_of_path(index: PackageIndex, target: str) -> PathUse | None:
    """How the index itself uses a path of its host; None if it does not."""
    if not is_plain(target):
        return None
    path, mark, query = target.partition("?")
    if mark and not (
        index.kind == "ruby" and path.endswith("/dependencies") and _GEMS.fullmatch(query)
    ):
        return None
    # Modules have rules of their own, which another index on the host does not know.
    if index.kind != "go" and _GO_FILES in path:
        return None
    base = base_path(index)
    if index.kind == "python" and (use := _use_beside_pages(base, path)):
        return use
    below = _below(base, path)
    if below is None:
        return None
    return next((rule.use for rule in _BELOW[index.kind] if rule.pattern.fullmatch(below)), None)


def is_file_path(target: str) -> bool:
    """Whether a path names a package file, on a host that an index links to."""
    is_bare = is_plain(target) and "?" not in target and _GO_FILES not in target
    return is_bare and bool(_FILE.fullmatch(target))


def is_linked_file(kind: IndexKind, target: str) -> bool:
    """Whether an index may link to this path of its own host, with any query."""
    path = target.partition("?")[0]
    return kind in _LINKED and is_plain(target) and bool(_LINKED[kind].fullmatch(path))


def npm_document(index: PackageIndex, url: str) -> Literal["package", "version"] | None:
    """What the document of a registry describes, by its address."""
    below = _below(base_path(index), urlsplit(url).path)
    match = _NODE_DOCUMENT.fullmatch(below) if below is not None else None
    if match is None:
        return None
    return "version" if match["version"] else "package"


_MARKERS: Mapping[str, str] = {
    "crate": _CRATE,
    "version": _VERSION,
    "prefix": r"[\w-]{1,2}(?:/[\w-]{1,2})?",
    "lowerprefix": r"[\w-]{1,2}(?:/[\w-]{1,2})?",
    "sha256-checksum": "[0-9a-f]{64}",
}


def download_pattern(template: str) -> re.Pattern[str]:
    """Matches the addresses that a registry's template for downloads stands for."""
    parts = re.split(r"\{([\w-]+)\}", template)
    pattern = "".join(
        _MARKERS.get(part, re.escape(f"{{{part}}}")) if position % 2 else re.escape(part)
        for position, part in enumerate(parts)
    )
    return re.compile(pattern, re.A)


def base_path(index: PackageIndex) -> str:
    """The path of an index, without a slash at its end."""
    return urlsplit(index.url).path.rstrip("/")


def _below(base: str, path: str) -> str | None:
    """The path below the index's own; None if it is elsewhere."""
    return path[len(base) :] if path == base or path.startswith(f"{base}/") else None


def _use_beside_pages(base: str, target: str) -> PathUse | None:
    """Files and details of releases are often next to the pages, not below them."""
    parent, _, _ = base.rpartition("/")
    if not target.startswith(f"{parent}/"):
        return None
    beside = target[len(parent) :]
    if _PYTHON_DETAILS.fullmatch(beside):
        return "page"
    return "file" if _BELOW["python"][1].pattern.fullmatch(beside) else None
