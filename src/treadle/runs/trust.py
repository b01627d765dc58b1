"""What a person has trusted a project's file with: looked up, asked for, kept and taken back."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from treadle.adapters.stores.trusted_settings import TrustedProject, TrustedSettings
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
    """As `load`; a file that opens what nobody has trusted it with is a SettingsError."""
    resolved = load_settings(project, environment=environment.raw, flags=flags)
    require_trust(environment, project, resolved)
    return resolved


def require_trust(environment: Environment, project: Path, resolved: ResolvedSettings) -> None:
    """Raises SettingsError if the project's file opens what nobody has trusted it with."""
    if find_trust_requirements(resolved):
        require_trusted(project, resolved, _fingerprints(environment, project))


def not_trusted(
    environment: Environment, project: Path, resolved: ResolvedSettings
) -> tuple[TrustRequirement, ...]:
    """What of the project's file does not count."""
    if not find_trust_requirements(resolved):
        return ()
    return find_untrusted(project, resolved, _fingerprints(environment, project))


def trust(environment: Environment, project: Path, given: Sequence[TrustRequirement]) -> None:
    """From now on these values count, and no others of this project."""
    values = {each.key: fingerprint(project, each) for each in given}
    kept = TrustedProject(str(project), values)
    TrustedSettings(environment.root).write(project_key(project), kept)


def revoke_trust(environment: Environment, project: Path) -> bool:
    """Whether anything had been trusted."""
    return TrustedSettings(environment.root).remove(project_key(project))


def all_trusted(environment: Environment) -> list[TrustedProject]:
    """What is trusted, in all projects."""
    return TrustedSettings(environment.root).list_all()


def _fingerprints(environment: Environment, project: Path) -> frozenset[str]:
    found = TrustedSettings(environment.root).find(project_key(project))
    return frozenset() if found is None else frozenset(found.values.values())
