"""Which agent a run is driven with, and with what: the user's own binary, or the bundled one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from shutil import which
from typing import Any, Literal

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.binary import (
    TESTED_FROM,
    TESTED_TO,
    Binary,
    bundled_binary,
    check_binary,
    find_binary,
)
from treadle.domain.agent import OWN_SERVER
from treadle.domain.errors import AgentUnavailable, SettingsError
from treadle.settings.definitions import Agent
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.login import lend_login, require_login

ATTRIBUTION = "Co-Authored-By: Claude <noreply@anthropic.com>"

# How a scripted API knows which of its scripts a session plays.
REHEARSAL_HEADERS = ("x-treadle-role: {role}", "x-treadle-workspace: {workspace}")

# What a rehearsed agent needs of the user's environment: programs and language, nothing else.
REHEARSAL_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "SHELL")


@dataclass(frozen=True, slots=True)
class Rehearsing:
    """The run's model is a script behind this address; see `treadle rehearse`."""

    base_url: str
    credential: Mapping[str, str] = field(repr=False)


def dummy_credential(auth: Literal["api_key", "subscription"]) -> dict[str, str]:
    """A credential that opens nothing, of the kind a script wants the agent to have."""
    name = "ANTHROPIC_API_KEY" if auth == "api_key" else "CLAUDE_CODE_OAUTH_TOKEN"
    return {name: "rehearsal"}


def make_agent(
    settings: Agent, environment: Environment, rehearsing: Rehearsing | None, home: Path
) -> tuple[ClaudeAgent, list[str]]:
    """The agent, and what a person should know about it."""
    attribution = ATTRIBUTION if settings.attribution else ""
    if rehearsing is not None:
        return _rehearsal_agent(environment, rehearsing, attribution), []
    allowed = agent_environment(environment.raw)
    path, origin = find_binary(
        setting=settings.binary, claude_bin=environment.claude_bin, search_path=environment.path
    )
    binary = check_binary(path, origin, {"PATH": environment.path, "HOME": str(home)})
    login = require_login(allowed, environment.home)
    lend_login(login, home=environment.home, private_home=home)
    warnings = version_warnings(binary)
    return (
        ClaudeAgent(binary.path, allowed, attribution, verbatim=binary.takes_verbatim),
        warnings,
    )


def _rehearsal_agent(
    environment: Environment, rehearsing: Rehearsing, attribution: str
) -> ClaudeAgent:
    passed = {name: environment.raw[name] for name in REHEARSAL_PASSED if name in environment.raw}
    scripted = {**passed, **rehearsing.credential, "ANTHROPIC_BASE_URL": rehearsing.base_url}
    # The bundled binary is of the release whose SDK asks for verbatim prompts.
    return ClaudeAgent(bundled_binary(), scripted, attribution, REHEARSAL_HEADERS, verbatim=True)


def load_agent_modules() -> None:
    """Import what the first session needs: most of a second that can pass while git works."""
    import_module("treadle.adapters.agents.claude.transport")
    import_module("treadle.adapters.agents.claude.tools")


def version_warnings(binary: Binary) -> list[str]:
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


def baseline_servers(search_path: str) -> dict[str, dict[str, Any]]:
    """The MCP servers every project has: a browser, where one is installed."""
    playwright = which("mcp-server-playwright", path=search_path)
    if playwright is None:
        return {}
    return {"playwright": {"command": playwright, "args": ["--headless", "--isolated"]}}


def require_free_names(servers: Mapping[str, Any] | None) -> None:
    """Refuse a user's MCP server that would stand in the place of Treadle's own."""
    if servers is not None and OWN_SERVER in servers:
        raise SettingsError(
            f"mcp_servers.{OWN_SERVER} is Treadle's own",
            hint=f"give the server in [mcp_servers.{OWN_SERVER}] another name",
        )
