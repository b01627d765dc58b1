"""What a person has trusted a project's file with: looked up, asked for, kept and taken back."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from treadle.adapters.stores.trusted_settings import Trusted, TrustedSettings
from treadle.settings.environment import Environment
from treadle.settings.load import Resolved, load
from treadle.settings.openings import (
    Opening,
    fingerprint,
    openings,
    require_trusted,
    untrusted,
)
from treadle.workspace.place import project_key


def load_trusted(
    project: Path, environment: Environment, flags: Mapping[str, object] | None = None
) -> Resolved:
    """As `load`; a file that opens what nobody has trusted it with is a SettingsError."""
    resolved = load(project, environment=environment.raw, flags=flags)
    require_trust(environment, project, resolved)
    return resolved


def require_trust(environment: Environment, project: Path, resolved: Resolved) -> None:
    """Raises SettingsError if the project's file opens what nobody has trusted it with."""
    if openings(resolved):
        require_trusted(project, resolved, _fingerprints(environment, project))


def not_trusted(environment: Environment, project: Path, resolved: Resolved) -> tuple[Opening, ...]:
    """What of the project's file does not count."""
    if not openings(resolved):
        return ()
    return untrusted(project, resolved, _fingerprints(environment, project))


def trust(environment: Environment, project: Path, given: Sequence[Opening]) -> None:
    """From now on these values count, and no others of this project."""
    values = {each.key: fingerprint(project, each) for each in given}
    kept = Trusted(str(project), values)
    TrustedSettings(environment.root).keep(project_key(project), kept)


def take_back(environment: Environment, project: Path) -> bool:
    """Whether anything had been trusted."""
    return TrustedSettings(environment.root).remove(project_key(project))


def all_trusted(environment: Environment) -> list[Trusted]:
    """What is trusted, in all projects."""
    return TrustedSettings(environment.root).all()


def _fingerprints(environment: Environment, project: Path) -> frozenset[str]:
    found = TrustedSettings(environment.root).of(project_key(project))
    return frozenset() if found is None else frozenset(found.values.values())
