"""Finds the package indexes of a run: those of the user's own tools."""

import sys
from pathlib import Path

from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.index_summary import IndexFinding, summarize_sources
from treadle.adapters.packages.package_sources import PackageSources
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


async def find_sandbox_indexes(
    settings: Settings, environment: Environment, project: Project
) -> SandboxIndexes | None:
    """None if the indexes are closed, or if the sandbox has no loopback of its own."""
    if settings.sandbox.indexes == "closed" or sys.platform == "darwin":
        return None
    sources = await _sources(settings, environment, project)
    # A stranger may have written the project's files, so the user has to allow what they name.
    allowed = {f"{entry.host}:{entry.port}" for entry in parse_entries(settings.sandbox.hosts)}
    named = [each.index for each in sources.project_indexes if each.index.host in allowed]
    return SandboxIndexes(
        (*sources.indexes, *named),
        cache=environment.root / DOWNLOADS,
        authorities=(*authority_files(environment.raw), *map(Path, sources.authorities)),
        variables=sources.variables,
        home_files=sources.home_files,
        login_files=tuple(map(Path, sources.login_files)),
    )


async def describe_indexes(
    settings: Settings, environment: Environment, project: Project
) -> tuple[IndexFinding, ...]:
    """Which indexes a run may use, and why others are not used."""
    if settings.sandbox.indexes == "closed":
        return (IndexFinding("good", 'closed by sandbox.indexes = "closed"'),)
    return summarize_sources(await _sources(settings, environment, project))


async def _sources(
    settings: Settings, environment: Environment, project: Project
) -> PackageSources:
    return await find_package_sources(
        settings.policy.profiles or PROFILES,
        environment.raw,
        search_path=path_outside(environment.path, project.root),
        project_root=project.root,
    )
