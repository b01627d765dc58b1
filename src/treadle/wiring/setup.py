"""Sets a project up before a session: its setup command, confined, with the way to its packages."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from time import monotonic

from treadle.adapters.packages.index_lookup import find_file_hosts, find_indexes
from treadle.adapters.packages.indexes import PackageIndex, index_variables
from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.domain.errors import SettingsError
from treadle.domain.events.work import SetupFinished
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
from treadle.workspace.manifests import setup_fingerprint

# Kept with the run: what the workspace was last set up for.
SETUP_MARKER = "setup-done"
MAX_OUTPUT = 4000
# As `timeout` and shells say it.
NO_EXIT_CODE = 124
STOPPED = 130
# A setup that fails is tried so often, and then not again before the manifests change.
MAX_TRIES = 3
# Files of certificates that the user's tools trust for indexes.
AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")

Prepare = Callable[[], Awaitable[None]]


def workspace_setup(context: RunContext, workspace: Path) -> Prepare:
    """Runs the setup command, unless it has run for what the workspace needs now, or has failed
    for it too often."""
    checked = context.checked
    command = checked.settings.project.setup.strip()
    failures: dict[str, int] = {}
    bounds = command_bounds(context)

    async def prepare() -> None:
        wanted = setup_fingerprint(workspace, command)
        done = checked.directory / SETUP_MARKER
        last = done.read_text() if done.is_file() else ""
        if not command or not is_due(wanted, last=last, failures=failures.get(wanted, 0)):
            return
        within = confinement(checked, workspace=workspace, home=checked.private_home)
        finished = await Setup(bounds, within, command).run()
        context.recorder.record(finished)
        # What setting up changed itself (a lock file, say) is no reason to set up again.
        now = setup_fingerprint(workspace, command)
        if finished.exit_code == 0:
            done.write_text(now)
        else:
            failures[now] = failures.get(wanted, 0) + 1

    return prepare


def is_due(wanted: str, *, last: str, failures: int) -> bool:
    """Whether what is wanted is another than what was last set up, and may still succeed."""
    return wanted != last and failures < MAX_TRIES


@dataclass(frozen=True, slots=True)
class Setup:
    """One run of the setup command. A failure is told, and left to the agent, which knows the
    command, too: a project may have nothing to install before its first session. A sandbox that
    fails is none of these: it ends the run."""

    bounds: CommandBounds
    # Its workspace is what is set up.
    confinement: Confinement
    command: str

    async def run(self) -> SetupFinished:
        """To its end, or until the run is asked to stop."""
        began = monotonic()
        finished = await unless_stopped(self.finish(), self.bounds.stop)
        return finished or self._told(ProcessResult(STOPPED, "stopped"), (), began)

    async def finish(self) -> SetupFinished:
        """To its end, whatever the run is asked."""
        began = monotonic()
        checked = self.bounds.checked
        found = await _indexes(checked)
        entries = await asyncio.to_thread(_entries, checked, found)
        network: Network = "open" if checked.settings.sandbox.network == "open" else "allowlist"
        with sandbox_network(checked, network, entries, self.bounds.record) as out:
            ran = await run_project_command(self.bounds, self._own(found), out)
        return self._told(ran, entries, began)

    def _own(self, found: list[PackageIndex]) -> ProjectCommand:
        return ProjectCommand(
            self.command,
            self.confinement,
            seconds=self.bounds.checked.settings.session.tool_minutes * 60,
            variables=index_variables(found),
            # An index may be on this machine, so not even loopback goes past the proxy.
            sandbox_variables={"NO_PROXY": "", "no_proxy": ""},
        )

    def _told(
        self, ran: ProcessResult, entries: tuple[HostEntry, ...], began: float
    ) -> SetupFinished:
        return SetupFinished(
            command=self.command,
            exit_code=NO_EXIT_CODE if ran.exit_code is None else ran.exit_code,
            duration_s=round(monotonic() - began, 3),
            # First without secrets, then cut: of half a secret nobody sees that it is one.
            output=self.bounds.clean(ran.output)[-MAX_OUTPUT:],
            hosts=tuple(dict.fromkeys(f"{entry.host}:{entry.port}" for entry in entries)),
        )


async def _indexes(checked: CheckedRequest) -> list[PackageIndex]:
    """By the user's own tools, and by the pages of those indexes; a rehearsal asks no host."""
    raw = checked.environment.raw
    found = await find_indexes(
        checked.settings.policy.profiles or PROFILES,
        raw,
        search_path=path_outside(checked.environment.path, checked.project.root),
    )
    if checked.request.rehearsal:
        return found
    authorities = [raw[name] for name in AUTHORITIES if raw.get(name)]
    linked = await find_file_hosts(found, lambda url: proxy_for(url, raw), authorities=authorities)
    return [*found, *linked]


def _entries(checked: CheckedRequest, found: list[PackageIndex]) -> tuple[HostEntry, ...]:
    """The hosts of the indexes, and those that the user named for the agent."""
    asked = [entry for index in found if (entry := entry_of(index)) is not None]
    return (*parse_entries(checked.settings.sandbox.hosts), *dict.fromkeys(asked))


def entry_of(index: PackageIndex) -> HostEntry | None:
    """None for a host with a name that no proxy lets through.

    Where the user's own configuration names a private address, that is the user's word; a page
    that links to one has no such say.
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
