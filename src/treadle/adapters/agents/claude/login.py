"""The login of Claude Code: which one it would use."""

from collections.abc import Mapping
from pathlib import Path
from sys import platform

from treadle.adapters.agents.claude.subscription_file import credentials_file
from treadle.adapters.agents.claude.variables import API_KEY, AUTH_TOKEN, CLOUDS, OAUTH_TOKEN
from treadle.domain.agent_kind import AgentLogin, LoginKind, ModelCredential
from treadle.domain.errors import LoginMissing


def find_login(environment: Mapping[str, str], home: Path) -> LoginKind:
    """Which kind of login the agent would use; never the login itself."""
    if environment.get(API_KEY) or environment.get(AUTH_TOKEN):
        return "api key"
    if environment.get(OAUTH_TOKEN):
        return "token"
    if any(environment.get(name) for name in CLOUDS):
        return "cloud provider"
    if credentials_file(environment, home).is_file():
        return "subscription"
    # On a Mac the agent keeps its login in the keychain, where we do not look.
    return "keychain" if platform == "darwin" else "none"


LOGIN = AgentLogin(
    credentials=(
        ModelCredential("anthropic-api-key", API_KEY, "the model, paid by use"),
        ModelCredential("claude-oauth-token", OAUTH_TOKEN, "the model, by subscription"),
    ),
    variables=(API_KEY, AUTH_TOKEN, OAUTH_TOKEN, *CLOUDS),
    missing="Claude Code has no login",
    hint=(
        "run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with Claude"
        " Code's own /login"
    ),
    find=find_login,
)


def require_login(environment: Mapping[str, str], home: Path) -> LoginKind:
    login = find_login(environment, home)
    if login == "none":
        raise LoginMissing(LOGIN.missing, hint=LOGIN.hint)
    return login
