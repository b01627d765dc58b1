"""Credentials that Treadle keeps for a person: their names, what they are for, who is given them.

Also the one list of secrets that are known here, none of which may be stored or shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from treadle.adapters.agents.registry import all_kinds, find_kind
from treadle.adapters.forges.forge_kinds import KINDS as FORGE_KINDS
from treadle.adapters.packages.package_sources import login_secrets
from treadle.adapters.stores.private_files import CredentialFiles
from treadle.domain.agent_kind import AgentKind, AgentLogin
from treadle.domain.detected_login import DetectedLogin
from treadle.domain.errors import LoginMissing, UsageError
from treadle.domain.storage import passwords_in
from treadle.policy.secret_variables import assigned_secrets, secret_values
from treadle.settings.environment import NETWORK_VARIABLES, Environment
from treadle.wiring.checked_request import CheckedRequest

LONGEST = 16 * 1024
# Files of settings are short; a large one holds data.
LONGEST_FILE = 64 * 1024


@dataclass(frozen=True, slots=True)
class CredentialName:
    """A name that a person can set, what it is for, and the variables that outrank it."""

    name: str
    purpose: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential that is kept, and the variable that takes its place, if one does."""

    credential: CredentialName
    since: datetime
    outranked_by: str = ""


def store_credential(environment: Environment, name: str, value: str) -> CredentialName:
    """Keep the value under one of the known names."""
    credential = _known(name)
    if not value:
        raise UsageError(
            "the value is empty", hint=f"run `treadle auth set {name}` and type it at the prompt"
        )
    if len(value) > LONGEST or not value.isascii() or not value.isprintable() or " " in value:
        raise UsageError(
            "the value has spaces or unusual characters",
            hint="give only the credential, without quotes, name or line breaks",
        )
    CredentialFiles(environment.root).write(credential.name, value)
    return credential


def list_credentials(environment: Environment) -> list[StoredCredential]:
    """What is kept under a known name; whatever else lies there is none of ours."""
    stored = {kept.name: kept.since for kept in CredentialFiles(environment.root).list_files()}
    return [
        StoredCredential(each, stored[each.name], _first_set(environment, each.variables))
        for each in _known_credentials().values()
        if each.name in stored
    ]


def delete_credential(environment: Environment, name: str) -> bool:
    """Whether there was one to forget."""
    return CredentialFiles(environment.root).remove(_known(name).name)


def login_environment(environment: Environment, kind: AgentKind[Any]) -> Environment:
    """The environment that the agent's login is chosen by: with what the user's own settings of
    the agent export, and with the login that Treadle keeps if no variable has one."""
    login = kind.login
    if login is None:
        return environment
    environment = _with_settings_variables(environment, kind, login)
    if _first_set(environment, login.variables):
        return environment
    files = CredentialFiles(environment.root)
    for each in login.credentials:
        if value := files.read(each.name):
            return replace(environment, raw={**environment.raw, each.variable: value})
    return environment


def find_login(environment: Environment, kind: AgentKind[Any]) -> DetectedLogin | None:
    """The login that a run would use; None if the agent needs none."""
    if kind.login is None:
        return None
    return kind.login.find(login_environment(environment, kind).raw, environment.home)


def find_login_of(environment: Environment, kind: str) -> DetectedLogin | None:
    """The same, by the name of the agent's kind."""
    return find_login(environment, find_kind(kind))


def require_login(environment: Environment, kind: AgentKind[Any]) -> None:
    """Raises LoginMissing if no run could use the agent's login."""
    login = find_login(environment, kind)
    if login is not None and login.problem is not None:
        raise LoginMissing(login.problem.message, hint=login.problem.remedy)


def _with_settings_variables(
    environment: Environment, kind: AgentKind[Any], login: AgentLogin
) -> Environment:
    """They replace exported ones, as for the agent itself. Only those that the agent is passed
    anyway, and none that decides what other programs do."""
    passed = (*NETWORK_VARIABLES, *kind.variables.passed)
    names = {name for each in passed for name in each.names}
    exported = login.settings_variables(environment.raw, environment.home)
    found = {name: value for name, value in exported.items() if name in names}
    return replace(environment, raw={**environment.raw, **found}) if found else environment


def known_secrets(environment: Environment, *places: str) -> list[str]:
    """All values known here that must not be stored or shown; `places` are paths that are."""
    files = CredentialFiles(environment.root)
    known = _known_credentials()
    kept = [files.read(each.name) for each in files.list_files() if each.name in known]
    own = [
        value
        for kind in all_kinds()
        if kind.login is not None
        for value in _own_secrets(environment, kind, kind.login)
    ]
    paths = (str(environment.root), str(environment.home), *places)
    return [
        *credential_values(environment),
        *secret_values(environment.raw, paths=paths),
        *passwords_in(environment.database_url),
        *(value for value in (*kept, *own) if value),
    ]


def credential_values(environment: Environment) -> list[str]:
    """The secret values in the environment of an agent or a forge, of whatever kind."""
    raw = environment.raw
    forges = (each for kind in FORGE_KINDS for each in kind.credentials)
    names = (
        *(name for kind in all_kinds() for name in kind.variables.secrets),
        *(name for each in forges for name in each.variables),
    )
    return [raw[name] for name in names if raw.get(name)]


def _own_secrets(
    environment: Environment, kind: AgentKind[Any], login: AgentLogin
) -> tuple[str, ...]:
    """Those in the user's own files of the agent."""
    exported = login.settings_variables(environment.raw, environment.home)
    return (
        *login.stored_secrets(environment.raw, environment.home),
        *(exported[name] for name in kind.variables.secrets if name in exported),
        *secret_values(exported, paths=(str(environment.root), str(environment.home))),
    )


def run_secrets(checked: CheckedRequest) -> list[str]:
    """Values that must not be stored or shown: all that are known here, what servers are given,
    what included files assign, and logins of package indexes. Not a value that is part of the
    project's path, which people must be able to read."""
    path = str(checked.project.root)
    known = known_secrets(checked.environment, path)
    here = (*_given_to_servers(checked), *_included_secrets(checked), *_index_secrets(checked))
    return [*known, *(value for value in here if value not in path)]


def _given_to_servers(checked: CheckedRequest) -> Iterable[str]:
    servers = checked.settings.mcp_servers or {}
    for server in servers.values():
        for part in ("env", "headers"):
            yield from map(str, dict(server.get(part) or {}).values())


def _included_secrets(checked: CheckedRequest) -> Iterable[str]:
    for name in checked.included.names:
        yield from assigned_secrets(_beginning(checked.included.root / name))


def _index_secrets(checked: CheckedRequest) -> Iterable[str]:
    yield from checked.package_logins.secrets
    for index in checked.indexes.indexes if checked.indexes else ():
        if index.authorization:
            yield from login_secrets(index.authorization)


def _beginning(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(LONGEST_FILE).decode(errors="replace")
    except OSError:
        return ""


def _logins() -> list[AgentLogin]:
    return [kind.login for kind in all_kinds() if kind.login is not None]


def _known_credentials() -> Mapping[str, CredentialName]:
    of_agents = (
        CredentialName(each.name, each.purpose, login.variables)
        for login in _logins()
        for each in login.credentials
    )
    of_forges = (
        CredentialName(each.name, each.purpose, each.variables)
        for kind in FORGE_KINDS
        for each in kind.credentials
    )
    return {each.name: each for each in (*of_agents, *of_forges)}


def _first_set(environment: Environment, variables: Iterable[str]) -> str:
    """The first of the variables that has a value; empty if none has."""
    return next((name for name in variables if environment.raw.get(name)), "")


def _known(name: str) -> CredentialName:
    known = _known_credentials()
    if name not in known:
        # What was typed is not said again: it may be the credential itself.
        raise UsageError("unknown credential", hint=f"known: {', '.join(known)}")
    return known[name]
