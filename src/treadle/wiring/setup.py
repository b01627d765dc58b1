"""Sets a project up before a session: its setup command, confined, with the way to its packages."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from time import monotonic

from treadle.adapters.packages.asking import find_indexes
from treadle.adapters.packages.indexes import Index, variables
from treadle.adapters.sandboxes.running import run_to_end
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.domain.errors import SettingsError
from treadle.domain.events.work import SetupFinished
from treadle.domain.sandbox import Confined, Network, SandboxFailed
from treadle.gateway.hosts import Entry, parse_entries
from treadle.settings.environment import agent_environment
from treadle.wiring.confining import confinement
from treadle.wiring.deliver_request import Ready
from treadle.wiring.equipment import private_home
from treadle.wiring.network import Record, WayOut, machines_proxy, way_out
from treadle.wiring.telling import Telling
from treadle.workspace.manifests import needs

# Kept with the run: what the workspace was last set up for.
DONE = "setup-done"
KEPT_OUTPUT = 4000
NO_EXIT_CODE = 124

Prepare = Callable[[], Awaitable[None]]


def preparing(telling: Telling, workspace: Path, record: Record) -> Prepare:
    """Runs the setup command, unless it has run for what the workspace needs now."""
    ready = telling.ready
    command = ready.settings.project.setup.strip()

    async def prepare() -> None:
        wanted = needs(workspace, command)
        done = ready.directory / DONE
        if not command or (done.is_file() and done.read_text() == wanted):
            return
        finished = await Setup(telling, workspace, command, record).run()
        telling.recorder.record(finished)
        if finished.exit_code == 0:
            # What setting up changed (a lock file, say) is no reason to set up again.
            done.write_text(needs(workspace, command))

    return prepare


@dataclass(frozen=True, slots=True)
class Setup:
    """One run of the setup command. A failure is told, and left to the agent, which knows the
    command, too: a project may have nothing to install before its first session."""

    telling: Telling
    workspace: Path
    command: str
    record: Record

    async def run(self) -> SetupFinished:
        ready, began = self.telling.ready, monotonic()
        profiles = ready.settings.policy.profiles or PROFILES
        found = await find_indexes(profiles, ready.environment.raw)
        entries = await asyncio.to_thread(_entries, ready, found)
        network: Network = "open" if ready.settings.sandbox.network == "open" else "allowlist"
        upstream = machines_proxy(ready.environment)
        with way_out(network, entries, self.record, upstream=upstream) as out:
            start = self._start(out, found)
            if isinstance(start, SandboxFailed):
                exit_code, output = NO_EXIT_CODE, start.message
            else:
                seconds = ready.settings.session.tool_minutes * 60
                ran = await run_to_end(start, directory=self.workspace, seconds=seconds)
                exit_code = NO_EXIT_CODE if ran.exit_code is None else ran.exit_code
                output = ran.output
        return SetupFinished(
            command=self.command,
            exit_code=exit_code,
            duration_s=round(monotonic() - began, 3),
            output=output[-KEPT_OUTPUT:],
            hosts=tuple(dict.fromkeys(f"{entry.host}:{entry.port}" for entry in entries)),
        )

    def _start(self, out: WayOut, found: list[Index]) -> Confined | SandboxFailed:
        ready, sandbox = self.telling.ready, self.telling.sandbox
        environment = {
            **_without_login(ready),
            **ready.reach.environment,
            **variables(found),
        }
        line, home = ("/bin/sh", "-c", self.command), private_home(ready)
        home.mkdir(parents=True, exist_ok=True)
        if sandbox is None:
            return Confined(line, {**environment, "HOME": str(home)})
        within = confinement(ready, workspace=self.workspace, home=home)
        within = replace(
            within,
            network=out.network,
            readable=(*within.readable, *out.readable),
            sockets=out.sockets,
        )
        # An index may be on this machine, so not even loopback goes past the proxy.
        given = {**out.environment(environment), "NO_PROXY": "", "no_proxy": ""}
        return sandbox.confine([*out.entry, *sandbox.launcher(), *line], given, within)


def _without_login(ready: Ready) -> dict[str, str]:
    """A setup command runs the code of strangers: it is given no login of the agent's."""
    allowed = agent_environment(ready.environment.raw)
    return {
        name: value
        for name, value in allowed.items()
        if not name.startswith(("ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_"))
    }


def _entries(ready: Ready, found: list[Index]) -> tuple[Entry, ...]:
    """The hosts of the indexes, and those that the user named for the agent."""
    asked = [_entry(host) for host in dict.fromkeys(index.host for index in found)]
    return (*parse_entries(ready.settings.sandbox.hosts), *(each for each in asked if each))


def _entry(host: str) -> Entry | None:
    """None for a host with a name that no proxy lets through."""
    try:
        (entry,) = parse_entries([host])
    except SettingsError:
        return None
    return _with_address(entry)


def _with_address(entry: Entry) -> Entry:
    """Where the user's own configuration names a private address, that is the user's word."""
    try:
        address = ip_address(socket.getaddrinfo(entry.host, entry.port)[0][4][0])
    except (OSError, ValueError):
        return entry
    return entry if address.is_global else replace(entry, address=address)
