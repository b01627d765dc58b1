"""Reads, requires, stores and revokes a person's trust in a project's settings file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from treadle.adapters.stores.trusted_settings import TrustedProject, TrustedSettings
from treadle.domain.stored_path import stored_path
from treadle.settings.environment import Environment
from treadle.settings.load import ResolvedSettings, load_settings
from treadle.settings.trust_requirements import (
    TrustRequirement,
    find_trust_requirements,
    find_untrusted,
    fingerprint,
    require_trusted,
)
from treadle.workspace.project_root import project_key


def load_trusted(
    project: Path, environment: Environment, flags: Mapping[str, object] | None = None
) -> ResolvedSettings:
    """As `load_settings`; raises SettingsError if the file needs trust that it does not have."""
    resolved = load_settings(project, environment=environment.raw, flags=flags)
    require_trust(environment, project, resolved)
    return resolved


def require_trust(environment: Environment, project: Path, resolved: ResolvedSettings) -> None:
    """Raises SettingsError if the project's file needs trust that it does not have."""
    if find_trust_requirements(resolved):
        require_trusted(project, resolved, _fingerprints(environment, project))


def not_trusted(
    environment: Environment, project: Path, resolved: ResolvedSettings
) -> tuple[TrustRequirement, ...]:
    """The settings of the project's file that are not trusted."""
    if not find_trust_requirements(resolved):
        return ()
    return find_untrusted(project, resolved, _fingerprints(environment, project))


def trust(
    environment: Environment, project: Path, requirements: Sequence[TrustRequirement]
) -> None:
    """Trust these values, and no others of this project."""
    values = {each.key: fingerprint(project, each) for each in requirements}
    trusted = TrustedProject(stored_path(project), values)
    TrustedSettings(environment.root).write(project_key(project), trusted)


def revoke_trust(environment: Environment, project: Path) -> bool:
    """Revoke all trust in the project; whether there was any."""
    return TrustedSettings(environment.root).remove(project_key(project))


def all_trusted(environment: Environment) -> list[TrustedProject]:
    """The trusted settings of all projects."""
    return TrustedSettings(environment.root).list_all()


def _fingerprints(environment: Environment, project: Path) -> frozenset[str]:
    trusted_project = TrustedSettings(environment.root).find(project_key(project))
    return frozenset() if trusted_project is None else frozenset(trusted_project.values.values())
