"""All that wiring knows of Claude Code: its binary, its login, its private home, its processes."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from sys import platform
from typing import Literal

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.binary import (
    TESTED_FROM,
    TESTED_TO,
    ClaudeBinary,
    bundled_binary,
    check_binary,
    find_binary,
)
from treadle.adapters.agents.claude.private_home import put_link
from treadle.adapters.agents.claude.processes import end_lost as end_lost
from treadle.adapters.agents.claude.processes import processor_s as processor_s
from treadle.domain.errors import AgentUnavailable, LoginMissing
from treadle.settings.definitions import AgentSettings as AgentSettings
from treadle.settings.environment import Environment, agent_environment

NAME = "claude"
CREDENTIALS = (".claude", ".credentials.json")
ATTRIBUTION = "Co-Authored-By: Claude <noreply@anthropic.com>"

# The variable that carries each kind of credential a script can ask for.
CREDENTIAL_OF = {"api_key": "ANTHROPIC_API_KEY", "subscription": "CLAUDE_CODE_OAUTH_TOKEN"}

# How a scripted API knows which of its scripts a session plays.
REHEARSAL_HEADERS = ("x-treadle-role: {role}", "x-treadle-workspace: {workspace}")

# What a rehearsed agent needs of the user's environment: programs and language, nothing else.
REHEARSAL_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "SHELL")

Login = Literal["api key", "token", "subscription", "cloud provider", "keychain", "none"]

NO_LOGIN = "Claude Code has no login"
HOW_TO_LOG_IN = (
    "run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with Claude Code's"
    " own /login"
)
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
TOKENS = ("CLAUDE_CODE_OAUTH_TOKEN",)
CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


def users_agent(
    settings: AgentSettings, environment: Environment, home: Path
) -> tuple[ClaudeAgent, list[str]]:
    """The user's own binary with the user's login, and what a person should know about it."""
    allowed = agent_environment(environment.raw)
    path, origin = find_binary(
        setting=settings.binary, claude_bin=environment.claude_bin, search_path=environment.path
    )
    # Not with the private home: what switches between versions looks there for what to run.
    given = {"PATH": environment.path, "HOME": str(environment.root)}
    binary = check_binary(path, origin, given)
    login = require_login(allowed, environment.home)
    lend_login(login, home=environment.home, private_home=home)
    warnings = _version_warnings(binary)
    return (
        ClaudeAgent(binary.path, allowed, _attribution(settings), verbatim=binary.takes_verbatim),
        warnings,
    )


def rehearsal_agent(
    settings: AgentSettings,
    environment: Environment,
    *,
    base_url: str,
    credential: Mapping[str, str],
) -> ClaudeAgent:
    """The bundled binary, whose model is a script behind `base_url`."""
    passed = {name: environment.raw[name] for name in REHEARSAL_PASSED if name in environment.raw}
    scripted = {**passed, **credential, "ANTHROPIC_BASE_URL": base_url}
    # The bundled binary is of the release whose SDK asks for verbatim prompts.
    return ClaudeAgent(
        bundled_binary(), scripted, _attribution(settings), REHEARSAL_HEADERS, verbatim=True
    )


async def describe_binary(setting: str, environment: Environment) -> tuple[str, list[str]]:
    """The binary that a run would use, in words, and what a person should know about it."""
    path, origin = find_binary(
        setting=setting, claude_bin=environment.claude_bin, search_path=environment.path
    )
    given = {"PATH": environment.path, "HOME": str(environment.root)}
    binary = await asyncio.to_thread(check_binary, path, origin, given)
    return f"Claude Code {binary.version} from {origin}: {path}", _version_warnings(binary)


def credentials_file(home: Path) -> Path:
    return home.joinpath(*CREDENTIALS)


def login_of(environment: Mapping[str, str], home: Path) -> Login:
    """Which kind of login the agent would use; never the login itself."""
    if any(environment.get(name) for name in KEYS):
        return "api key"
    if any(environment.get(name) for name in TOKENS):
        return "token"
    if any(environment.get(name) for name in CLOUDS):
        return "cloud provider"
    if credentials_file(home).is_file():
        return "subscription"
    # On a Mac the agent keeps its login in the keychain, where we do not look.
    return "keychain" if platform == "darwin" else "none"


def require_login(environment: Mapping[str, str], home: Path) -> Login:
    login = login_of(environment, home)
    if login == "none":
        raise LoginMissing(NO_LOGIN, hint=HOW_TO_LOG_IN)
    return login


def lend_login(login: Login, *, home: Path, private_home: Path) -> None:
    """Let the agent's private home use the user's own login file, which stays where it is."""
    if login != "subscription":
        return
    put_link(private_home, *CREDENTIALS, target=credentials_file(home))


def _attribution(settings: AgentSettings) -> str:
    return ATTRIBUTION if settings.attribution else ""


def _version_warnings(binary: ClaudeBinary) -> list[str]:
    """A version out of the tested range is worth a warning when newer, and refused when older."""
    tested = "–".join(".".join(map(str, version)) for version in (TESTED_FROM, TESTED_TO))
    match binary.support:
        case "tested":
            return []
        case "newer":
            return [f"Claude Code {binary.version} is newer than the tested range {tested}"]
        case "older":
            raise AgentUnavailable(
                f"Claude Code {binary.version} is older than the tested range {tested}",
                hint="update it with `claude update`, or remove agent.binary and CLAUDE_BIN",
            )
