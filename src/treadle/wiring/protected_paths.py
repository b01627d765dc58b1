"""The paths that no agent of a run may change: the user's hooks, and `verify.protect`."""

from pathlib import Path

from treadle.domain.errors import SettingsError
from treadle.policy.protected_paths import is_protectable
from treadle.settings.definitions import Settings
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


def protected_paths(settings: Settings, root: Path) -> tuple[str, ...]:
    """The paths and patterns for the policy and for the screening of commits."""
    return find_protected(configured_paths(settings), settings.hooks.before_tool_use, root)


def sealed_paths(settings: Settings, workspace: Path, checkout: Path) -> tuple[str, ...]:
    """The paths that a sandbox can seal in the workspace."""
    return find_sealable(protected_paths(settings, workspace), workspace, checkout)
