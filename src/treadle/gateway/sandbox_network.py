"""The network of a sandbox: nothing, the model, the hosts that a user named, or everything."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from treadle.domain.events.oversight import HostAsked
from treadle.domain.ports import Log
from treadle.domain.sandbox import Network
from treadle.gateway import bridge
from treadle.gateway.allowed_hosts import HostEntry
from treadle.gateway.filtering_proxy import FilteringProxy
from treadle.gateway.proxy_variables import (
    BRIDGE_PORT,
    proxy_for,
    through_bridge,
    without_passwords,
    without_proxy,
)

# Where the filtering proxy's socket lies inside.
PROXY = "/run/treadle/proxy.sock"
BRIDGE = Path(bridge.__file__)

Record = Callable[[str, int, bool], None]
Upstream = Callable[[str, int], str]


def machine_proxy(environment: Mapping[str, str]) -> Upstream:
    """The proxy that this machine's environment names for a host; empty: none."""
    return lambda host, port: proxy_for(f"https://{host}:{port}", environment)


@dataclass(frozen=True, slots=True)
class SandboxNetwork:
    """What a confined process is given so that it finds the hosts it may reach, and no other."""

    network: Network
    sockets: Mapping[str, Path] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    # Put before the command: it makes the proxy's socket a port on the sandbox's own loopback.
    entry: tuple[str, ...] = ()

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """These variables with the right proxy in them, or none."""
        match self.network:
            case "open":
                return without_passwords(given)
            case "allowlist":
                return through_bridge(given)
            case "gateway" | "none":
                return without_proxy(given)


def host_recorder(log: Log) -> Record:
    """Records the hosts that were asked for; it is called in the thread of a proxy."""
    loop = asyncio.get_running_loop()

    def record(host: str, port: int, allowed: bool) -> None:  # noqa: FBT001  # the proxy's own call
        key = f"host {host}:{port} {allowed}"
        event = HostAsked(host, port, allowed)
        loop.call_soon_threadsafe(lambda: log.record(event, once=key))

    return record


@contextmanager
def open_network(
    network: Network,
    hosts: Sequence[HostEntry],
    record: Record,
    *,
    upstream: Upstream,
    interpreter: Path,
) -> Iterator[SandboxNetwork]:
    """The network of a sandbox, for the block; `record` is called for each host that was asked
    for, `upstream` names the machine's own proxy towards a host, `interpreter` runs the bridge."""
    if network != "allowlist":
        yield SandboxNetwork(network)
        return
    with FilteringProxy(hosts, record, upstream=upstream) as proxy:
        yield SandboxNetwork(
            network,
            sockets={PROXY: proxy.socket},
            readable=(BRIDGE,),
            entry=(*bridge_command(interpreter), PROXY, str(BRIDGE_PORT)),
        )


def bridge_command(interpreter: Path) -> tuple[str, ...]:
    """Put before a command inside, with a socket there and a port, it makes the socket that port on
    the sandbox's loopback."""
    return (str(interpreter), "-I", "-S", str(BRIDGE))
