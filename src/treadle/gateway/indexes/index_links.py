"""Finds the package files that an answer of an index links to. Pure.

Only fields that the index itself fills in are read: a publisher could write addresses elsewhere.
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, Literal
from urllib.parse import urldefrag, urljoin

from treadle.domain.package_index import PackageIndex
from treadle.gateway.indexes.index_paths import npm_document

_HREF = re.compile(rb"""<a\s[^>]*?href\s*=\s*["']([^"'\s]+)""", re.IGNORECASE)
_JSON = "json"


@dataclass(frozen=True, slots=True)
class IndexLinks:
    """Addresses of package files, without fragments."""

    files: tuple[str, ...] = ()
    # Addresses of crates, with `{crate}` and other markers.
    templates: tuple[str, ...] = ()


def find_links(index: PackageIndex, *, url: str, content_type: str, body: bytes) -> IndexLinks:
    """The links in the answer for `url`; none in an answer that is not as expected."""
    kind = index.kind
    is_json = _JSON in content_type.lower() or url.endswith("/config.json")
    if kind == "python" and not is_json:
        return IndexLinks(
            _absolute(url, (unescape(each.decode("latin-1")) for each in _HREF.findall(body)))
        )
    document = _parse(body) if kind in ("python", "node", "rust") else None
    if not isinstance(document, dict):
        return IndexLinks()
    if kind == "python":
        return IndexLinks(_absolute(url, _python_files(document)))
    if kind == "node":
        return IndexLinks(_absolute(url, _node_files(document, npm_document(index, url))))
    return IndexLinks(templates=_absolute(url, _crate_template(document)))


def decoded(body: bytes, encoding: str) -> bytes | None:
    """The body without its content encoding; None if the encoding is another or broken."""
    match encoding.strip().lower():
        case "" | "identity":
            return body
        case "gzip" | "x-gzip":
            try:
                return gzip.decompress(body)
            except (OSError, EOFError, zlib.error):
                return None
        case _:
            return None


def _parse(body: bytes) -> Any:
    import orjson

    try:
        return orjson.loads(body)
    except ValueError:
        return None


def _absolute(url: str, links: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_joined(url, link) for link in links if isinstance(link, str)))


def _joined(url: str, link: str) -> str:
    try:
        return urldefrag(urljoin(url, link)).url
    except ValueError:  # such as an address with an unclosed bracket
        return ""


def _python_files(page: dict[str, Any]) -> Iterator[object]:
    """The files of a page, or of the details of releases."""
    releases = page.get("releases")
    lists = [page.get("files"), page.get("urls")]
    lists += releases.values() if isinstance(releases, dict) else ()
    for files in lists:
        for file in files if isinstance(files, list) else ():
            yield file.get("url") if isinstance(file, dict) else None


def _node_files(
    document: dict[str, Any], described: Literal["package", "version"] | None
) -> Iterator[object]:
    """The tarballs of all versions, or of the one that the document describes. The publisher writes
    the document of a version, so `versions` in it means nothing, and the other way round."""
    versions = document.get("versions") if described == "package" else None
    listed = versions.values() if isinstance(versions, dict) else ()
    for version in [document] if described == "version" else listed:
        dist = version.get("dist") if isinstance(version, dict) else None
        yield dist.get("tarball") if isinstance(dist, dict) else None


def _crate_template(config: dict[str, Any]) -> Iterator[object]:
    template = config.get("dl")
    if isinstance(template, str):
        yield (
            template
            if "{" in template
            else f"{template.rstrip('/')}/{{crate}}/{{version}}/download"
        )
