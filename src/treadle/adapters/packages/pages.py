"""Reads pages of package indexes, on the host: only there is said where an index has its files."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin

from treadle.adapters.packages.indexes import Index, linked_hosts

if TYPE_CHECKING:
    import httpx2

ANSWER_S = 15.0
MOST = 4 << 20
# A package that every index of Python's has; its page shows where files lie.
COMMON_PACKAGE = "pip/"
MOST_REDIRECTS = 3

# The proxy towards an address, and empty where there is none.
ProxyFor: TypeAlias = Callable[[str], str]


async def linked_by(
    found: Sequence[Index], proxy_for: ProxyFor, *, authorities: Sequence[str] = ()
) -> list[Index]:
    """Where indexes keep their files. One that cannot be asked keeps them with its lists.

    `authorities`: files of certificates to trust beside the usual ones.
    """
    indexes = [index for index in found if index.variable.startswith("PIP_")]
    pages = await asyncio.gather(
        *(_page(index, proxy_for(index.url), authorities) for index in indexes)
    )
    linked = (
        each
        for page, index in zip(pages, indexes, strict=True)
        for each in linked_hosts(page, index)
    )
    return list(dict.fromkeys(linked))


async def _page(index: Index, proxy: str, authorities: Sequence[str]) -> str:
    """Empty if there is none to be had."""
    # Here, because it takes longer to load than most commands take in all.
    import httpx2

    address = urljoin(index.url if index.url.endswith("/") else index.url + "/", COMMON_PACKAGE)
    try:
        async with (
            asyncio.timeout(ANSWER_S),
            httpx2.AsyncClient(
                # What the environment says is passed in.
                trust_env=False,
                proxy=proxy or None,
                verify=_trust(authorities),
                headers={"Accept": "text/html"},
            ) as client,
        ):
            return await _followed(client, address)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError, ValueError, ImportError):
        # An ImportError: a kind of proxy that needs more than is installed.
        return ""


async def _followed(client: "httpx2.AsyncClient", address: str) -> str:
    """The page there; another host is not asked, whatever this one says."""
    for _ in range(MOST_REDIRECTS + 1):
        async with client.stream("GET", address) as response:
            if response.is_success:
                return await _beginning(response)
            target = urljoin(address, response.headers.get("location", ""))
        if not response.is_redirect or _elsewhere(target, address):
            return ""
        address = target
    return ""


async def _beginning(response: "httpx2.Response") -> str:
    page = b""
    async for part in response.aiter_bytes():
        page += part
        if len(page) > MOST:
            break
    return page[:MOST].decode(errors="replace")


def _elsewhere(target: str, address: str) -> bool:
    return not target.startswith(("http://", "https://")) or (
        urljoin(target, "/") != urljoin(address, "/")
    )


def _trust(authorities: Sequence[str]) -> ssl.SSLContext:
    import httpx2

    context = httpx2.create_ssl_context(trust_env=False)
    for path in authorities:
        context.load_verify_locations(path)
    return context
