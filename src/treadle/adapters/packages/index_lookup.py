"""Finds the hosts of package files that indexes link to."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin

from treadle.adapters.packages.index_urls import find_linked_hosts
from treadle.domain.package_index import PackageIndex

if TYPE_CHECKING:
    import httpx2

PAGE_ANSWER_S = 15.0
MAX_PAGE_BYTES = 4 << 20
# A package that every Python index has; its page links to the hosts of files.
COMMON_PACKAGE = "pip/"
MOST_REDIRECTS = 3

# Returns the proxy for an address; empty if there is none.
ProxyFor: TypeAlias = Callable[[str], str]


async def find_file_hosts(
    indexes: Sequence[PackageIndex], proxy_for: ProxyFor, *, authorities: Sequence[str] = ()
) -> list[PackageIndex]:
    """The hosts of the indexes' files that differ from the index; none if it is unreachable.

    `authorities` are certificate files to trust besides the usual ones.
    """
    python_indexes = [index for index in indexes if index.kind == "python"]
    pages = await asyncio.gather(
        *(_fetch_page(index, proxy_for(index.url), authorities) for index in python_indexes)
    )
    linked = (
        each
        for page, index in zip(pages, python_indexes, strict=True)
        for each in find_linked_hosts(page, index)
    )
    return list(dict.fromkeys(linked))


async def _fetch_page(index: PackageIndex, proxy: str, authorities: Sequence[str]) -> str:
    """The page of a common package; empty if the index does not provide it."""
    # Imported here: it takes longer to load than most commands take to run.
    import httpx2

    address = urljoin(index.url if index.url.endswith("/") else index.url + "/", COMMON_PACKAGE)
    try:
        async with (
            asyncio.timeout(PAGE_ANSWER_S),
            httpx2.AsyncClient(
                # The caller passes what the environment says.
                trust_env=False,
                proxy=proxy or None,
                verify=_make_ssl_context(authorities),
                headers={"Accept": "text/html"},
            ) as client,
        ):
            return await _follow_redirects(client, address)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError, ValueError, ImportError):
        # ImportError: the proxy needs a package that is not installed.
        return ""


async def _follow_redirects(client: "httpx2.AsyncClient", address: str) -> str:
    """The page at an address; redirects to another host are not followed."""
    for _ in range(MOST_REDIRECTS + 1):
        async with client.stream("GET", address) as response:
            if response.is_success:
                return await _read_beginning(response)
            target = urljoin(address, response.headers.get("location", ""))
        if not response.is_redirect or _is_other_host(target, address):
            return ""
        address = target
    return ""


async def _read_beginning(response: "httpx2.Response") -> str:
    page = b""
    async for part in response.aiter_bytes():
        page += part
        if len(page) > MAX_PAGE_BYTES:
            break
    return page[:MAX_PAGE_BYTES].decode(errors="replace")


def _is_other_host(target: str, address: str) -> bool:
    return not target.startswith(("http://", "https://")) or (
        urljoin(target, "/") != urljoin(address, "/")
    )


def _make_ssl_context(authorities: Sequence[str]) -> ssl.SSLContext:
    import httpx2

    context = httpx2.create_ssl_context(trust_env=False)
    for path in authorities:
        context.load_verify_locations(path)
    return context
