"""What a run keeps of the environment of the shell that asked for it.

Plain variables are stored with its request. Secret ones are not: their fingerprint says which
workers have the same ones, and only those take the run.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import replace

import orjson

from treadle.adapters.agents.registry import all_kinds
from treadle.adapters.forges.forge_kinds import KINDS as FORGE_KINDS
from treadle.adapters.stores.private_files import PrivateFiles
from treadle.domain.detected_login import DetectedLogin
from treadle.domain.run_request import RunRequest
from treadle.policy.secret_variables import may_hold_secret
from treadle.runs.credentials import find_login
from treadle.settings.environment import ANY_AGENT_VARIABLES, ANY_PREFIX, Environment

# Belong to a process, not to what it is asked for.
_OF_PROCESS = frozenset({"TMPDIR", "TERM"})
# What setups and package managers read.
_OF_TOOLS = frozenset(
    {
        *("GOENV", "GOFLAGS", "GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB"),
        *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "JAVA_HOME"),
    }
)
_PREFIXES_OF_TOOLS = (
    *("PIP_", "UV_", "POETRY_", "NPM_CONFIG_", "YARN_", "CARGO_", "RUSTUP_", "PLAYWRIGHT_"),
    ANY_PREFIX,
)
_OF_FILES = ("key helper", "Console key")
_KEY_DIRECTORY = "fingerprints"
_KEY = "key"
_DIGITS = 16


def with_shell_environment(request: RunRequest, environment: Environment) -> RunRequest:
    """The request with the variables and the login of this process."""
    plain, _ = split_variables(environment.raw)
    return replace(request, environment=plain, login=login_of(environment))


def shell_environment(request: RunRequest, environment: Environment) -> Environment:
    """The environment of this process, with the stored variables in place of its own."""
    if not request.environment:
        return environment  # a request of an earlier version
    own, _ = split_variables(environment.raw)
    others = {name: value for name, value in environment.raw.items() if name not in own}
    raw = {**others, **request.environment}
    return replace(environment, raw=raw, path=raw.get("PATH", ""))


def login_of(environment: Environment) -> str:
    """The fingerprint of the secret variables, of the home, which may have the agent's login, of
    the file in it that has it, and of the database. It tells nothing without the key, which stays
    in Treadle's directory."""
    files = PrivateFiles(environment.root, _KEY_DIRECTORY)
    key = files.read(_KEY)
    if key is None:
        files.create(_KEY, secrets.token_hex(32))
        key = files.read(_KEY) or ""
    _, secret = split_variables(environment.raw)
    facts = [sorted(secret.items()), str(environment.home), environment.database_url]
    facts += [[each.kind, each.source] for each in _logins_of_files(environment)]
    text = orjson.dumps(facts)
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()[:_DIGITS]


def _logins_of_files(environment: Environment) -> list[DetectedLogin]:
    """Only which file logs the agent in: what is in there changes. Variables and a subscription
    are left out, as in earlier versions: the other facts tell them apart."""
    found = (find_login(environment, kind) for kind in all_kinds())
    return [each for each in found if each is not None and each.kind in _OF_FILES]


def split_variables(raw: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The plain and the secret ones of the variables that decide what a run does."""
    known_secrets = _names_of_secrets()
    wanted = (_names_of_plain() | known_secrets) - _OF_PROCESS
    plain: dict[str, str] = {}
    secret: dict[str, str] = {}
    for name, value in raw.items():
        if not value or not (name in wanted or name.upper().startswith(_PREFIXES_OF_TOOLS)):
            continue
        is_secret = name in known_secrets or may_hold_secret(name, value)
        (secret if is_secret else plain)[name] = value
    return plain, secret


def _names_of_plain() -> set[str]:
    """Of variables that agents, forges and tools read; a value may still be a secret."""
    agents = [kind.variables for kind in all_kinds()]
    passed = (*ANY_AGENT_VARIABLES, *(each for agent in agents for each in agent.passed))
    return {
        *(name for each in passed for name in each.names),
        *(name for agent in agents for name in (agent.program, *agent.host)),
        *(name for kind in FORGE_KINDS for name in kind.host_variables),
        *_OF_TOOLS,
    }


def _names_of_secrets() -> set[str]:
    """Of variables that log in to a model service or a forge."""
    tokens = (each for kind in FORGE_KINDS for each in kind.credentials)
    return {
        *(name for kind in all_kinds() for name in kind.variables.secrets),
        *(name for each in tokens for name in each.variables),
    }
