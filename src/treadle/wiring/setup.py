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
from treadle.adapters.packages.pages import linked_by
from treadle.adapters.sandboxes.running import Ran, run_to_end
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.domain.errors import SandboxBroken, SettingsError
from treadle.domain.events.work import SetupFinished
from treadle.domain.sandbox import Confined, Network, SandboxFailed
from treadle.gateway.hosts import Entry, parse_entries
from treadle.settings.environment import agent_environment
from treadle.wiring.agents.claude_model import proxy_for
from treadle.wiring.confining import confinement
from treadle.wiring.equipment import private_home
from treadle.wiring.network import Record, WayOut, machines_proxy, way_out
from treadle.wiring.run_request import Ready
from treadle.wiring.search_path import path_outside
from treadle.wiring.telling import Telling
from treadle.workspace.manifests import needs

# Kept with the run: what the workspace was last set up for.
DONE = "setup-done"
KEPT_OUTPUT = 4000
# As `timeout` and shells say it.
NO_EXIT_CODE = 124
STOPPED = 130
# A setup that fails is tried so often, and then not again before the manifests change.
MOST_TRIES = 3
# Files of certificates that the user's tools trust for indexes.
AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")

Prepare = Callable[[], Awaitable[None]]
# How it ended, and what it could reach.
Worked = tuple[Ran, tuple[Entry, ...]]


def preparing(telling: Telling, workspace: Path, record: Record) -> Prepare:
    """Runs the setup command, unless it has run for what the workspace needs now, or has failed
    for it too often."""
    ready = telling.ready
    command = ready.settings.project.setup.strip()
    failures: dict[str, int] = {}

    async def prepare() -> None:
        wanted = needs(workspace, command)
        done = ready.directory / DONE
        last = done.read_text() if done.is_file() else ""
        if not command or not is_due(wanted, last=last, failures=failures.get(wanted, 0)):
            return
        finished = await Setup(telling, workspace, command, record).run()
        telling.recorder.record(finished)
        # What setting up changed itself (a lock file, say) is no reason to set up again.
        now = needs(workspace, command)
        if finished.exit_code == 0:
            done.write_text(now)
        else:
            failures[now] = failures.get(wanted, 0) + 1

    return prepare


def is_due(wanted: str, *, last: str, failures: int) -> bool:
    """Whether what is wanted is another than what was last set up, and may still succeed."""
    return wanted != last and failures < MOST_TRIES


@dataclass(frozen=True, slots=True)
class Setup:
    """One run of the setup command. A failure is told, and left to the agent, which knows the
    command, too: a project may have nothing to install before its first session. A sandbox that
    fails is none of these: it ends the run."""

    telling: Telling
    workspace: Path
    command: str
    record: Record

    async def run(self) -> SetupFinished:
        """To its end, or until the run is asked to stop."""
        began = monotonic()
        working = asyncio.ensure_future(self._work())
        stopping = asyncio.ensure_future(self.telling.stop.wait())
        try:
            await asyncio.wait({working, stopping}, return_when="FIRST_COMPLETED")
        finally:
            stopping.cancel()
            if not working.done():
                working.cancel()
                await asyncio.wait({working})
        stopped: Worked = (Ran(STOPPED, "stopped"), ())
        ran, entries = stopped if working.cancelled() else working.result()
        return SetupFinished(
            command=self.command,
            exit_code=NO_EXIT_CODE if ran.exit_code is None else ran.exit_code,
            duration_s=round(monotonic() - began, 3),
            # First without secrets, then cut: of half a secret nobody sees that it is one.
            output=self.telling.clean(ran.output)[-KEPT_OUTPUT:],
            hosts=tuple(dict.fromkeys(f"{entry.host}:{entry.port}" for entry in entries)),
        )

    async def _work(self) -> Worked:
        ready = self.telling.ready
        found = await _indexes(ready)
        entries = await asyncio.to_thread(_entries, ready, found)
        network: Network = "open" if ready.settings.sandbox.network == "open" else "allowlist"
        upstream = machines_proxy(ready.environment)
        with way_out(network, entries, self.record, upstream=upstream) as out:
            return await self._ran(self._start(out, found)), entries

    async def _ran(self, start: Confined | SandboxFailed) -> Ran:
        sandbox = self.telling.sandbox
        if isinstance(start, SandboxFailed):
            raise _broken(start)
        ran = await run_to_end(
            start,
            directory=self.workspace,
            seconds=self.telling.ready.settings.session.tool_minutes * 60,
            failure=None if sandbox is None else sandbox.failure,
        )
        if ran.failed is not None:
            raise _broken(ran.failed)
        return ran

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


def _broken(failed: SandboxFailed) -> SandboxBroken:
    return SandboxBroken(failed.message, hint=failed.hint or "run `treadle doctor`")


async def _indexes(ready: Ready) -> list[Index]:
    """By the user's own tools, and by the pages of those indexes; a rehearsal asks no host."""
    raw = ready.environment.raw
    found = await find_indexes(
        ready.settings.policy.profiles or PROFILES,
        raw,
        search_path=path_outside(ready.environment.path, ready.project.root),
    )
    if ready.request.rehearsal:
        return found
    authorities = [raw[name] for name in AUTHORITIES if raw.get(name)]
    linked = await linked_by(found, lambda url: proxy_for(url, raw), authorities=authorities)
    return [*found, *linked]


def _entries(ready: Ready, found: list[Index]) -> tuple[Entry, ...]:
    """The hosts of the indexes, and those that the user named for the agent."""
    asked = [entry for index in found if (entry := entry_of(index)) is not None]
    return (*parse_entries(ready.settings.sandbox.hosts), *dict.fromkeys(asked))


def entry_of(index: Index) -> Entry | None:
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


def _with_address(entry: Entry) -> Entry:
    try:
        address = ip_address(socket.getaddrinfo(entry.host, entry.port)[0][4][0])
    except (OSError, ValueError):
        return entry
    return entry if address.is_global else replace(entry, address=address)
