"""Opens the network of a sandbox for a run: its hosts, this machine's proxy and interpreter."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.sandbox import Network
from treadle.gateway.allowed_hosts import HostEntry
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
        hosts,
        record,
        upstream=machine_proxy(checked.environment.raw),
        interpreter=this_interpreter().program,
        access=access,
    )
