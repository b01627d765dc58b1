"""Finds the package indexes of a run: those of the user's own tools."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.index_summary import IndexFinding, summarize_sources
from treadle.adapters.packages.package_sources import PackageSources, login_secrets
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.gateway.allowed_hosts import parse_entries
from treadle.gateway.indexes.certificates import authority_files
from treadle.gateway.sandbox_network import SandboxIndexes
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.workspace.project import Project
from treadle.workspace.search_path import path_outside

# A folder below the root of Treadle.
DOWNLOADS = "downloads"


@dataclass(frozen=True, slots=True)
class PackageLogins:
    """The logins of the user's package tools: no sandbox shows the files, no log the secrets."""

    files: tuple[Path, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)


async def find_sandbox_indexes(
    settings: Settings, environment: Environment, project: Project
) -> tuple[SandboxIndexes | None, PackageLogins]:
    """The indexes that a run may use; None if they are closed, or if the sandbox has no loopback
    of its own. And the logins of all tools, whatever a run may use."""
    every_tool = await _sources(PROFILES, environment, project)
    logins = PackageLogins(
        tuple(map(Path, every_tool.login_files)),
        tuple(
            secret
            for index in every_tool.indexes
            if index.authorization
            for secret in login_secrets(index.authorization)
        ),
    )
    if settings.sandbox.indexes == "closed" or sys.platform == "darwin":
        return None, logins
    wanted = settings.policy.profiles
    sources = await _sources(wanted, environment, project) if wanted else every_tool
    # A stranger may have written the project's files, so the user has to allow what they name.
    allowed = {f"{entry.host}:{entry.port}" for entry in parse_entries(settings.sandbox.hosts)}
    named = [each.index for each in sources.project_indexes if each.index.host in allowed]
    indexes = SandboxIndexes(
        (*sources.indexes, *named),
        cache=environment.root / DOWNLOADS,
        authorities=(*authority_files(environment.raw), *map(Path, sources.authorities)),
        variables=sources.variables,
        home_files=sources.home_files,
    )
    return indexes, logins


async def describe_indexes(
    settings: Settings, environment: Environment, project: Project
) -> tuple[IndexFinding, ...]:
    """Which indexes a run may use, and why others are not used."""
    if settings.sandbox.indexes == "closed":
        return (IndexFinding("good", 'closed by sandbox.indexes = "closed"'),)
    profiles = settings.policy.profiles or PROFILES
    return summarize_sources(await _sources(profiles, environment, project))


async def _sources(
    profiles: Sequence[str], environment: Environment, project: Project
) -> PackageSources:
    return await find_package_sources(
        profiles,
        environment.raw,
        search_path=path_outside(environment.path, project.root),
        project_root=project.root,
    )
