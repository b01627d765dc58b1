"""The network of a sandbox: nothing, the model, the hosts that a user named, or everything; and the
package indexes, unless everything is open or they are closed."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.domain.events.oversight import HostAsked
from treadle.domain.package_index import PackageIndex
from treadle.domain.ports import Log
from treadle.domain.sandbox import Network
from treadle.gateway import bridge
from treadle.gateway.allowed_hosts import Address, AllowedHosts, HostEntry
from treadle.gateway.filtering_proxy import FilteringProxy, look_up, record_once
from treadle.gateway.indexes.certificates import trusted_certificates
from treadle.gateway.indexes.index_cache import IndexCache
from treadle.gateway.indexes.index_client import IndexClient
from treadle.gateway.indexes.index_server import IndexServer
from treadle.gateway.proxy_variables import (
    BRIDGE_PORT,
    proxy_for,
    through_bridge,
    tool_variables,
    without_passwords,
    without_proxy,
)
from treadle.gateway.sockets import SocketDirectory

# Where the sockets of the filtering proxy and of indexes on loopback lie inside.
PROXY = "/run/treadle/proxy.sock"
INDEX = "/run/treadle/index-{port}.sock"
BRIDGE = Path(bridge.__file__)
CERTIFICATES = "certificates.pem"

Record = Callable[[HostAsked], None]
Upstream = Callable[[str, int], str]


def machine_proxy(environment: Mapping[str, str]) -> Upstream:
    """The proxy that this machine's environment names for a host; empty: none."""
    return lambda host, port: proxy_for(f"https://{host}:{port}", environment)


@dataclass(frozen=True, slots=True)
class SandboxIndexes:
    """The package indexes of a sandbox."""

    indexes: tuple[PackageIndex, ...]
    # The folder of the download cache on the host.
    cache: Path
    # Files of certificates that the user's tools trust, besides the usual ones.
    authorities: tuple[Path, ...] = ()
    # Variables and files of the private home that make tools inside use these indexes.
    variables: Mapping[str, str] = field(default_factory=dict)
    home_files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SandboxNetwork:
    """What a confined process is given so that it finds the hosts it may reach, and no other."""

    network: Network
    sockets: Mapping[str, Path] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    # Put before the command: it makes the sockets ports on the sandbox's own loopback.
    entry: tuple[str, ...] = ()
    # Variables of package tools.
    variables: Mapping[str, str] = field(default_factory=dict)

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """These variables with the right proxy in them, or none."""
        if self.network == "open":
            return without_passwords(given)
        proxied = through_bridge(given) if self.entry else without_proxy(given)
        return {**proxied, **self.variables}


def host_recorder(log: Log) -> Record:
    """Records the hosts that were asked for; it is called in the thread of a proxy."""
    loop = asyncio.get_running_loop()

    def record(event: HostAsked) -> None:
        key = f"host {event.host}:{event.port} {event.allowed}"
        if event.reason:
            key += f" {event.reason}"
        loop.call_soon_threadsafe(lambda: log.record(event, once=key))

    return record


@contextmanager
def open_network(
    network: Network,
    hosts: AllowedHosts,
    record: Record,
    *,
    upstream: Upstream,
    interpreter: Path,
    access: SandboxIndexes | None = None,
) -> Iterator[SandboxNetwork]:
    """The network of a sandbox, for the block; `record` is called for each host that was asked
    for, `upstream` names the machine's own proxy towards a host, `interpreter` runs the bridge."""
    if network == "open" or (network != "allowlist" and access is None):
        yield SandboxNetwork(network)
        return
    named = hosts.entries
    if network != "allowlist":
        hosts = replace(hosts, entries=())
    if access is None:
        with FilteringProxy(hosts, record, upstream=upstream) as proxy:
            yield _behind(proxy, network, interpreter)
        return
    with (
        _private_folder() as folder,
        FilteringProxy(
            hosts,
            record,
            upstream=upstream,
            indexes=_index_server(access, record, folder, upstream, named),
        ) as proxy,
    ):
        certificates = folder / CERTIFICATES
        variables = {**tool_variables(str(certificates)), **access.variables}
        yield _behind(proxy, network, interpreter, (certificates,), variables)


def bridge_command(interpreter: Path) -> tuple[str, ...]:
    """Put before a command inside, with a socket there, a port, and `--`, it makes the socket that
    port on the sandbox's loopback."""
    return (str(interpreter), "-I", "-S", str(BRIDGE))


def _behind(
    proxy: FilteringProxy,
    network: Network,
    interpreter: Path,
    readable: tuple[Path, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> SandboxNetwork:
    sockets = {PROXY: (proxy.socket, BRIDGE_PORT)}
    for port, path in proxy.index_sockets.items():
        sockets[INDEX.format(port=port)] = (path, port)
    pairs = [part for inside, (_, port) in sockets.items() for part in (inside, str(port))]
    return SandboxNetwork(
        network,
        sockets={inside: path for inside, (path, _) in sockets.items()},
        readable=(BRIDGE, *readable),
        entry=(*bridge_command(interpreter), *pairs, "--"),
        variables=variables or {},
    )


@contextmanager
def _private_folder() -> Iterator[Path]:
    sockets = SocketDirectory()
    try:
        yield sockets.path
    finally:
        sockets.close()


def _index_server(
    access: SandboxIndexes,
    record: Record,
    folder: Path,
    upstream: Upstream,
    hosts: Sequence[HostEntry],
) -> IndexServer:
    """The server, whose certificate is written into the folder for tools inside."""
    written = {(entry.host, entry.port): entry.address for entry in hosts if entry.address}

    async def resolve(host: str, port: int) -> Sequence[Address]:
        """An address that the user wrote is not looked up."""
        address = written.get((host, port))
        return await look_up(host, port) if address is None else (address,)

    client = IndexClient(
        access.indexes,
        resolve=resolve,
        upstream=upstream,
        authorities=access.authorities,
    )
    cache = IndexCache(access.cache)
    server = IndexServer(access.indexes, record_once(record), client, cache, folder)
    trusted = trusted_certificates(access.authorities)
    (folder / CERTIFICATES).write_bytes(trusted + server.certificate)
    return server
