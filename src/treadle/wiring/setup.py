"""Runs a project's setup command before a session: confined, with access to package indexes."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from time import monotonic

from treadle.adapters.packages.index_lookup import find_file_hosts, find_indexes
from treadle.adapters.packages.indexes import index_variables
from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.domain.errors import SettingsError
from treadle.domain.events.work import SetupFinished
from treadle.domain.package_index import PackageIndex
from treadle.domain.sandbox import Confinement, Network
from treadle.gateway.allowed_hosts import HostEntry, parse_entries
from treadle.gateway.proxy_variables import proxy_for
from treadle.session.stop_signal import unless_stopped
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.project_commands import (
    CommandBounds,
    ProjectCommand,
    command_bounds,
    run_project_command,
)
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.wiring.search_path import path_outside
from treadle.workspace.included_files import place_files, remove_files
from treadle.workspace.manifests import setup_fingerprint

# A file of the run: the fingerprint of the last successful setup.
SETUP_MARKER = "setup-done"
MAX_OUTPUT = 4000
# Exit codes as in `timeout` and shells.
NO_EXIT_CODE = 124
STOPPED = 130
# A failed setup is not tried more often before the manifests change.
MAX_TRIES = 3
# Certificates that the user's tools trust for indexes.
AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")

Prepare = Callable[[], Awaitable[None]]


def workspace_setup(context: RunContext, workspace: Path) -> Prepare:
    """A function that runs the setup command, unless the workspace is up to date or the setup has
    failed too often."""
    checked = context.checked
    command = checked.settings.project.setup.strip()
    failures: dict[str, int] = {}
    bounds = command_bounds(context)

    included = checked.included

    async def prepare() -> None:
        # A process that was killed during a setup leaves files that no session may see.
        remove_files(workspace, included.for_commands)
        place_files(included.sources(included.for_agent), workspace)
        needed = setup_fingerprint(workspace, command)
        marker = checked.directory / SETUP_MARKER
        last = marker.read_text() if marker.is_file() else ""
        if not command or not is_due(needed, last=last, failures=failures.get(needed, 0)):
            return
        confined = confinement(checked, workspace=workspace, home=checked.private_home)
        place_files(included.sources(included.for_commands), workspace)
        try:
            finished = await Setup(bounds, confined, command).run()
        finally:
            remove_files(workspace, included.for_commands)
        context.recorder.record(finished)
        # Computed again, because the setup may have changed a lock file.
        fingerprint = setup_fingerprint(workspace, command)
        if finished.exit_code == 0:
            marker.write_text(fingerprint)
        else:
            failures[fingerprint] = failures.get(needed, 0) + 1

    return prepare


def is_due(needed: str, *, last: str, failures: int) -> bool:
    """Whether the needed setup differs from the last one, and may still succeed."""
    return needed != last and failures < MAX_TRIES


@dataclass(frozen=True, slots=True)
class Setup:
    """One run of the setup command. A failure is recorded and left to the agent, which knows the
    command, because a project may have nothing to install before its first session. A failed
    sandbox ends the run."""

    bounds: CommandBounds
    # The setup runs in its workspace.
    confinement: Confinement
    command: str

    async def run(self) -> SetupFinished:
        """Run to the end, or until the run is asked to stop."""
        started = monotonic()
        finished = await unless_stopped(self.finish(), self.bounds.stop)
        return finished or self._event(ProcessResult(STOPPED, "stopped"), (), started)

    async def finish(self) -> SetupFinished:
        """Run to the end, even if the run is asked to stop."""
        started = monotonic()
        checked = self.bounds.checked
        indexes = await _indexes(checked)
        entries = await asyncio.to_thread(_entries, checked, indexes)
        network: Network = "open" if checked.settings.sandbox.network == "open" else "allowlist"
        with sandbox_network(checked, network, entries, self.bounds.record) as network_access:
            result = await run_project_command(self.bounds, self._command(indexes), network_access)
        return self._event(result, entries, started)

    def _command(self, indexes: list[PackageIndex]) -> ProjectCommand:
        return ProjectCommand(
            self.command,
            self.confinement,
            seconds=self.bounds.checked.settings.session.tool_minutes * 60,
            variables=index_variables(indexes),
            # An index may be on this machine, so loopback must use the proxy, too.
            sandbox_variables={"NO_PROXY": "", "no_proxy": ""},
        )

    def _event(
        self, result: ProcessResult, entries: tuple[HostEntry, ...], started: float
    ) -> SetupFinished:
        return SetupFinished(
            command=self.command,
            exit_code=NO_EXIT_CODE if result.exit_code is None else result.exit_code,
            duration_s=round(monotonic() - started, 3),
            # Redacted before it is cut, because half a secret is not recognized.
            output=self.bounds.clean(result.output)[-MAX_OUTPUT:],
            hosts=tuple(dict.fromkeys(f"{entry.host}:{entry.port}" for entry in entries)),
        )


async def _indexes(checked: CheckedRequest) -> list[PackageIndex]:
    """The indexes of the user's tools, and hosts that their pages link to. A rehearsal connects to
    no host."""
    raw = checked.environment.raw
    indexes = await find_indexes(
        checked.settings.policy.profiles or PROFILES,
        raw,
        search_path=path_outside(checked.environment.path, checked.project.root),
    )
    if checked.request.rehearsal:
        return indexes
    authorities = [raw[name] for name in AUTHORITIES if raw.get(name)]
    linked = await find_file_hosts(
        indexes, lambda url: proxy_for(url, raw), authorities=authorities
    )
    return [*indexes, *linked]


def _entries(checked: CheckedRequest, indexes: list[PackageIndex]) -> tuple[HostEntry, ...]:
    """The hosts of the indexes, and those of `sandbox.hosts`."""
    index_entries = [entry for index in indexes if (entry := entry_of(index)) is not None]
    return (*parse_entries(checked.settings.sandbox.hosts), *dict.fromkeys(index_entries))


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
