"""Runs a project's setup command before a session: confined, with access to package indexes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Protocol

from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.home_files import write_home_files
from treadle.adapters.packages.index_lookup import ProxyFor, find_file_hosts
from treadle.adapters.packages.package_sources import PackageSources
from treadle.adapters.project_commands.command import (
    CommandBounds,
    NetworkAccess,
    ProjectCommand,
    run_project_command,
)
from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.domain.events.work import SetupFinished
from treadle.domain.package_index import PackageIndex
from treadle.domain.sandbox import Confinement

MAX_OUTPUT = 4000
# As `timeout` exits.
NO_EXIT_CODE = 124
# Certificates that the user's tools trust for indexes.
AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


class SetupNetwork(Protocol):
    """The open network of a setup command."""

    @property
    def access(self) -> NetworkAccess: ...

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts and ports that the command may connect to."""
        ...


OpenSetupNetwork = Callable[[Sequence[PackageIndex]], AbstractAsyncContextManager[SetupNetwork]]


@dataclass(frozen=True, slots=True)
class IndexSearch:
    """Finds the indexes of the user's tools, and hosts that their pages link to."""

    profiles: Sequence[str]
    environment: Mapping[str, str] = field(repr=False)
    search_path: str
    project_root: Path
    # None: connect to no host, as in a rehearsal.
    proxy_for: ProxyFor | None

    async def find(self) -> PackageSources:
        raw = self.environment
        sources = await find_package_sources(
            self.profiles, raw, search_path=self.search_path, project_root=self.project_root
        )
        if self.proxy_for is None:
            return sources
        authorities = [raw[name] for name in AUTHORITIES if raw.get(name)]
        linked = await find_file_hosts(sources.indexes, self.proxy_for, authorities=authorities)
        return replace(sources, indexes=(*sources.indexes, *linked))


@dataclass(frozen=True, slots=True)
class SetupCommand:
    """The setup command of a project. A failure is recorded and left to the agent, which knows the
    command, because a project may have nothing to install before its first session. A failed
    sandbox ends the run."""

    line: str
    seconds: float
    bounds: CommandBounds
    search: IndexSearch
    open_network: OpenSetupNetwork
    # Hides secrets in the output.
    clean: Callable[[str], str]

    async def run(self, confinement: Confinement) -> SetupFinished:
        """Run to the end, in the workspace of the confinement."""
        started = monotonic()
        sources = await self.search.find()
        write_home_files(confinement.home, sources.home_files)
        async with self.open_network(sources.indexes) as network:
            command = self._command(confinement, sources)
            result = await run_project_command(self.bounds, command, network.access)
        return self._event(result, network.hosts, started)

    def _command(self, confinement: Confinement, sources: PackageSources) -> ProjectCommand:
        return ProjectCommand(
            self.line,
            confinement,
            seconds=self.seconds,
            variables=sources.variables,
            # An index may be on this machine, so loopback must use the proxy, too.
            sandbox_variables={"NO_PROXY": "", "no_proxy": ""},
        )

    def _event(
        self, result: ProcessResult, hosts: tuple[str, ...], started: float
    ) -> SetupFinished:
        return SetupFinished(
            command=self.line,
            exit_code=NO_EXIT_CODE if result.exit_code is None else result.exit_code,
            duration_s=round(monotonic() - started, 3),
            # Redacted before it is cut, because half a secret is not recognized.
            output=self.clean(result.output)[-MAX_OUTPUT:],
            hosts=hosts,
        )
