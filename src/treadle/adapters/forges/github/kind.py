"""The record of GitHub."""

from typing import TYPE_CHECKING

from treadle.adapters.forges.github.hosts import (
    ENTERPRISE_TOKEN,
    GITHUB_TOKEN,
    HOST_VARIABLE,
    credential_for,
    recognize,
    web_host,
)
from treadle.domain.forge_kind import ForgeConnection, ForgeKind, TokenProgram

if TYPE_CHECKING:
    from treadle.adapters.forges.github.forge import GitHubForge
    from treadle.adapters.trackers.github_issues import GitHubIssues

GH_ANSWER_S = 15.0
_MOST_TOKEN = 1024
# gh would answer with them for any host; which of them counts is decided before it is asked.
_TOKENS = frozenset({*GITHUB_TOKEN.variables, *ENTERPRISE_TOKEN.variables})
_GH = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


async def ask_gh(program: TokenProgram, host: str) -> str | None:
    """The token that the user's gh has for a host."""
    from shutil import which

    from treadle.adapters.sandboxes.command_runner import query_program
    from treadle.domain.sandbox import ConfinedCommand

    gh = which("gh", path=program.search_path) if program.search_path else None
    if gh is None:
        return None
    variables = {name: value for name, value in program.environment.items() if name not in _TOKENS}
    command = ConfinedCommand(
        (gh, "auth", "token", "--hostname", host),
        {**variables, **_GH, "PATH": program.search_path},
    )
    answer = await query_program(command, seconds=GH_ANSWER_S)
    token = (answer or "").strip()
    is_token = token.isascii() and token.isprintable() and " " not in token
    return token if token and is_token and len(token) <= _MOST_TOKEN else None


def _make_forge(connection: ForgeConnection) -> "GitHubForge":
    from treadle.adapters.forges.github.client import github_client
    from treadle.adapters.forges.github.forge import GitHubForge

    return GitHubForge(connection.address, github_client(connection))


def _make_tracker(connection: ForgeConnection) -> "GitHubIssues":
    from treadle.adapters.forges.github.client import github_client
    from treadle.adapters.trackers.github_issues import GitHubIssues

    return GitHubIssues(github_client(connection))


KIND = ForgeKind(
    name="github",
    title="GitHub",
    credentials=(GITHUB_TOKEN, ENTERPRISE_TOKEN),
    host_variables=(HOST_VARIABLE, "GH_CONFIG_DIR"),
    recognize=recognize,
    web_host=web_host,
    credential_for=credential_for,
    ask_program=ask_gh,
    program_title="gh auth token",
    make_forge=_make_forge,
    make_tracker=_make_tracker,
)
