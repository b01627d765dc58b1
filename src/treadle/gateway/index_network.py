"""The network of a setup command: the package indexes of this machine, and `sandbox.hosts`."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address

from treadle.domain.errors import SettingsError
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import HostEntry, parse_entries
from treadle.gateway.sandbox_network import SandboxNetwork


@dataclass(frozen=True, slots=True)
class IndexNetwork:
    """An open network, and the hosts and ports in it."""

    access: SandboxNetwork
    hosts: tuple[str, ...]


@asynccontextmanager
async def open_index_network(
    indexes: Sequence[PackageIndex],
    hosts: Sequence[str],
    open_network: Callable[[Sequence[HostEntry]], AbstractContextManager[SandboxNetwork]],
) -> AsyncIterator[IndexNetwork]:
    """A network of these indexes and of `hosts`, the entries of `sandbox.hosts`."""
    entries = await asyncio.to_thread(_entries, hosts, indexes)
    with open_network(entries) as access:
        names = dict.fromkeys(f"{entry.host}:{entry.port}" for entry in entries)
        yield IndexNetwork(access, tuple(names))


def _entries(hosts: Sequence[str], indexes: Sequence[PackageIndex]) -> tuple[HostEntry, ...]:
    """The hosts of the indexes, and those of `sandbox.hosts`."""
    index_entries = [entry for index in indexes if (entry := entry_of(index)) is not None]
    return (*parse_entries(hosts), *dict.fromkeys(index_entries))


def entry_of(index: PackageIndex) -> HostEntry | None:
    """The entry of an index; None for a host name that the proxy refuses.

    The user's configuration may name a private address, a link on a page may not.
    """
    try:
        (entry,) = parse_entries([index.host])
    except SettingsError:
        return None
    if index.linked:
        return entry if entry.address is None else None
    return _with_address(entry)


def _with_address(entry: HostEntry) -> HostEntry:
    try:
        address = ip_address(socket.getaddrinfo(entry.host, entry.port)[0][4][0])
    except (OSError, ValueError):
        return entry
    return entry if address.is_global else replace(entry, address=address)
