"""The paths that no agent of a run may change: the user's hooks, what git runs by the user's own
settings, the agent's program, and `verify.protect`."""

import os
from pathlib import Path

from treadle.adapters.agents.registry import find_kind
from treadle.domain.errors import SettingsError
from treadle.policy.protected_paths import is_protectable
from treadle.policy.tool_files import ToolFileSettings
from treadle.settings.definitions import AgentSettings, Settings
from treadle.settings.environment import Environment
from treadle.workspace.protected_files import find_protected, find_sealable


def configured_paths(settings: Settings) -> tuple[str, ...]:
    """The paths and patterns of `verify.protect`; raises SettingsError for a path that cannot be
    protected."""
    for path in settings.verify.protect:
        if not is_protectable(path):
            raise SettingsError(
                f"verify.protect: {path!r} is not a path inside the project",
                hint='name files or directories from its top, such as "tests/contract"',
            )
    return settings.verify.protect


def tool_file_settings(settings: Settings) -> ToolFileSettings:
    """What the user has decided about files that tools obey; raises SettingsError for a path that
    is not inside the project."""
    lists = {
        "land_withhold": settings.land_withhold,
        "land_ask": settings.land_ask,
        "land_name": settings.land_name,
    }
    for key, paths in lists.items():
        for path in paths:
            if not is_protectable(path):
                raise SettingsError(
                    f"{key}: {path!r} is not a path inside the project",
                    hint='name files or patterns from its top, such as "**/.npmrc"',
                )
    return ToolFileSettings(settings.land_withhold, settings.land_ask, settings.land_name)


def require_included_paths(settings: Settings) -> None:
    """Raises SettingsError for a path of `workspace` that is not inside the project."""
    included = {
        "include": settings.workspace.include,
        "include_for_agent": settings.workspace.include_for_agent,
    }
    for key, paths in included.items():
        for path in paths:
            if not is_protectable(path):
                raise SettingsError(
                    f"workspace.{key}: {path!r} is not a path inside the project",
                    hint='name files or patterns from its top, such as ".env.test"',
                )


def agent_program_files(
    agent: AgentSettings, environment: Environment, project: Path
) -> tuple[str, ...]:
    """The agent's program, if a setting or a variable names one inside the project: it runs on the
    host with the user's rights when it is asked for its version."""
    variable = find_kind(agent.kind).variables.program
    values = (agent.binary, environment.raw.get(variable, "") if variable else "")
    # A bare name is found on the PATH, outside the project. A relative path is one of the project,
    # wherever the command was started.
    paths = [Path(os.path.normpath(project / value)) for value in values if os.sep in value]
    names = [
        path.relative_to(top).as_posix()
        for given in paths
        for path, top in ((given, project), (given.resolve(), project.resolve()))
        if top in path.parents
    ]
    return tuple(dict.fromkeys(names))


def protected_paths(
    settings: Settings, root: Path, host_files: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The paths and patterns for the policy and for the screening of commits."""
    configured = (*configured_paths(settings), *host_files)
    return find_protected(configured, settings.hooks.before_tool_use, root)


def sealed_paths(
    settings: Settings, workspace: Path, checkout: Path, host_files: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The paths that a sandbox can seal in the workspace."""
    return find_sealable(protected_paths(settings, workspace, host_files), workspace, checkout)
