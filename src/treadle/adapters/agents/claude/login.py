"""The login of Claude Code: which one it would use, and the user's file that it is lent."""

from collections.abc import Mapping
from pathlib import Path
from sys import platform

from treadle.adapters.agents.claude.variables import API_KEY, AUTH_TOKEN, CLOUDS, OAUTH_TOKEN
from treadle.domain.agent_kind import AgentLogin, LoginKind, ModelCredential
from treadle.domain.errors import LoginMissing

CREDENTIALS_FILE = (".claude", ".credentials.json")


def find_login(environment: Mapping[str, str], home: Path) -> LoginKind:
    """Which kind of login the agent would use; never the login itself."""
    if environment.get(API_KEY) or environment.get(AUTH_TOKEN):
        return "api key"
    if environment.get(OAUTH_TOKEN):
        return "token"
    if any(environment.get(name) for name in CLOUDS):
        return "cloud provider"
    if credentials_file(home).is_file():
        return "subscription"
    # On a Mac the agent keeps its login in the keychain, where we do not look.
    return "keychain" if platform == "darwin" else "none"


def credentials_file(home: Path) -> Path:
    return home.joinpath(*CREDENTIALS_FILE)


def lent_files(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The user's own login file where the agent works with no other: it renews what is in there.

    By the user's environment, never by the link in the private home, which an agent can change.
    """
    if find_login(environment, home) != "subscription":
        return ()
    file = credentials_file(home)
    return tuple(dict.fromkeys((file, file.resolve())))


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
    lent_files=lent_files,
)


def require_login(environment: Mapping[str, str], home: Path) -> LoginKind:
    login = find_login(environment, home)
    if login == "none":
        raise LoginMissing(LOGIN.missing, hint=LOGIN.hint)
    return login


def lend_login(login: LoginKind, *, home: Path, private_home: Path) -> None:
    """Let the agent's private home use the user's own login file, which stays where it is."""
    if login != "subscription":
        return
    from treadle.adapters.agents.claude.private_home import put_link

    put_link(private_home, *CREDENTIALS_FILE, target=credentials_file(home))
