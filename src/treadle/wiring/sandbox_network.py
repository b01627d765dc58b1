"""Opens the network of a sandbox for a run: its hosts, this machine's proxy and interpreter."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.sandbox import Network
from treadle.gateway.allowed_hosts import AllowedHosts, HostAndPort, HostEntry, parse_entries
from treadle.gateway.sandbox_network import (
    Record,
    SandboxIndexes,
    SandboxNetwork,
    machine_proxy,
    open_network,
)
from treadle.wiring.checked_request import CheckedRequest


def sandbox_network(
    checked: CheckedRequest,
    network: Network,
    hosts: Sequence[HostEntry],
    record: Record,
    access: SandboxIndexes | None,
) -> AbstractContextManager[SandboxNetwork]:
    return open_network(
        network,
        AllowedHosts(
            tuple(hosts),
            closed_hosts(checked, hosts if network == "allowlist" else (), access),
        ),
        record,
        upstream=machine_proxy(checked.environment.raw),
        interpreter=this_interpreter().program,
        access=access,
    )


def closed_hosts(
    checked: CheckedRequest, hosts: Sequence[HostEntry], access: SandboxIndexes | None
) -> Mapping[HostAndPort, str]:
    """Hosts that the settings name and do not open to this sandbox, each with the reason."""
    sandbox = checked.settings.sandbox
    if sandbox.network == "open":
        return {}
    closed = {}
    if access is None and checked.indexes is not None:
        for index in checked.indexes.indexes:
            host, _, port = index.host.rpartition(":")
            closed[host, int(port)] = (
                f"{index.host} is a package index, which agents and code that they changed reach "
                'only with sandbox.indexes = "open"'
            )
    for entry in parse_entries(sandbox.hosts):
        if entry not in hosts:
            closed[entry.host, entry.port] = (
                f"{entry.host}:{entry.port} is in sandbox.hosts, which agents and code that they "
                'changed reach only with sandbox.network = "allowlist"'
            )
    return closed
