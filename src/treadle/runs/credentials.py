"""Credentials that Treadle keeps for a person: their names, what they are for, who is given them.

Also the one list of secrets that are known here, none of which may be stored or shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from treadle.adapters.stores.private_files import CredentialFiles
from treadle.domain.errors import UsageError
from treadle.domain.storage import passwords_in
from treadle.policy.secret_variables import secret_values
from treadle.settings.environment import Environment, credential_values
from treadle.wiring.agents import claude
from treadle.wiring.checked_request import CheckedRequest

LONGEST = 16 * 1024


@dataclass(frozen=True, slots=True)
class Credential:
    """A name that a person can set, the variable that it stands for, and its use."""

    name: str
    variable: str
    purpose: str


# Of several that could log the agent in, the first that is there does.
MODEL_LOGINS: tuple[Credential, ...] = (
    Credential("anthropic-api-key", "ANTHROPIC_API_KEY", "the model, paid by use"),
    Credential("claude-oauth-token", "CLAUDE_CODE_OAUTH_TOKEN", "the model, by subscription"),
)
CREDENTIALS: Mapping[str, Credential] = {each.name: each for each in MODEL_LOGINS}
_LOGIN_VARIABLES = (*claude.KEYS, *claude.TOKENS, *claude.CLOUDS)


@dataclass(frozen=True, slots=True)
class StoredCredential:
    """A credential that is kept, and the variable that takes its place, if one does."""

    credential: Credential
    since: datetime
    outranked_by: str = ""


def store_credential(environment: Environment, name: str, value: str) -> Credential:
    """Keep the value under one of the known names."""
    credential = _known(name)
    if not value:
        raise UsageError("there is no value", hint=f"echo … | treadle auth set {name}")
    if len(value) > LONGEST or not value.isascii() or not value.isprintable() or " " in value:
        raise UsageError(
            "the value is not one word of plain letters, digits and signs",
            hint="give the credential alone, without quotes, name or line breaks",
        )
    CredentialFiles(environment.root).write(credential.name, value)
    return credential


def list_credentials(environment: Environment) -> list[StoredCredential]:
    """What is kept under a known name; whatever else lies there is none of ours."""
    outranked_by = _own_login(environment)
    return [
        StoredCredential(CREDENTIALS[kept.name], kept.since, outranked_by)
        for kept in CredentialFiles(environment.root).list_files()
        if kept.name in CREDENTIALS
    ]


def delete_credential(environment: Environment, name: str) -> bool:
    """Whether there was one to forget."""
    return CredentialFiles(environment.root).remove(_known(name).name)


def with_stored_login(environment: Environment) -> Environment:
    """The environment with the model login that Treadle keeps, unless it has one of its own."""
    if _own_login(environment):
        return environment
    files = CredentialFiles(environment.root)
    for each in MODEL_LOGINS:
        if value := files.read(each.name):
            return replace(environment, raw={**environment.raw, each.variable: value})
    return environment


def known_secrets(environment: Environment, *places: str) -> list[str]:
    """All values known here that must not be stored or shown; `places` are paths that are."""
    files = CredentialFiles(environment.root)
    kept = [files.read(each.name) for each in files.list_files() if each.name in CREDENTIALS]
    paths = (str(environment.root), str(environment.home), *places)
    return [
        *credential_values(environment.raw),
        *secret_values(environment.raw, paths=paths),
        *passwords_in(environment.database_url),
        *(value for value in kept if value),
    ]


def run_secrets(checked: CheckedRequest) -> list[str]:
    """Values that must not be stored or shown: all that are known here, and what servers are
    given. Not a value that is part of the project's path, which people must be able to read."""
    servers = checked.settings.mcp_servers or {}
    given = [
        str(value)
        for server in servers.values()
        for part in ("env", "headers")
        for value in dict(server.get(part) or {}).values()
    ]
    path = str(checked.project.root)
    known = known_secrets(checked.environment, path)
    return [*known, *(value for value in given if value not in path)]


def _own_login(environment: Environment) -> str:
    return next((name for name in _LOGIN_VARIABLES if environment.raw.get(name)), "")


def _known(name: str) -> Credential:
    if name not in CREDENTIALS:
        # What was typed is not said again: it may be the credential itself.
        raise UsageError(
            "there is no credential of that name", hint=f"known are: {', '.join(CREDENTIALS)}"
        )
    return CREDENTIALS[name]
