"""Finds the package indexes of a run: those of the user's own tools."""

import sys

from treadle.adapters.packages.index_lookup import find_indexes
from treadle.adapters.packages.indexes import index_variables
from treadle.adapters.sandboxes.toolchains import PROFILES
from treadle.gateway.indexes.certificates import authority_files
from treadle.gateway.sandbox_network import SandboxIndexes
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.wiring.search_path import path_outside
from treadle.workspace.project import Project

# A folder below the root of Treadle.
DOWNLOADS = "downloads"


async def find_sandbox_indexes(
    settings: Settings, environment: Environment, project: Project
) -> SandboxIndexes | None:
    """None if the indexes are closed, or if the sandbox has no loopback of its own."""
    if settings.sandbox.indexes == "closed" or sys.platform == "darwin":
        return None
    indexes = await find_indexes(
        settings.policy.profiles or PROFILES,
        environment.raw,
        search_path=path_outside(environment.path, project.root),
    )
    return SandboxIndexes(
        tuple(indexes),
        cache=environment.root / DOWNLOADS,
        authorities=authority_files(environment.raw),
        variables=index_variables(indexes),
    )
