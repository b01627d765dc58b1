"""Builds what a Claude Code session starts with: command line, environment, files, prompt."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from treadle.adapters.agents.claude.private_home import remove_file
from treadle.adapters.agents.claude.variables import BASE_URL, LOGINS
from treadle.adapters.processes.marked_processes import SESSION_MARK
from treadle.domain.agent import OWN_SERVER, CommitIdentity, SessionBrief

# It goes along with every request; one that is longer would leave no room for the work.
MAX_CONTEXT_BYTES = 96 * 1024

QUIET_VARIABLES = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    # Our tools must be in front of the model, not behind a search.
    "ENABLE_TOOL_SEARCH": "false",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
}

# Those of the machine are hundreds of files, which the agent reads at every start.
NO_CERTIFICATES = {"CLAUDE_CODE_CERT_STORE": "bundled"}


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The files that a session is started with."""

    servers: Path
    context: Path | None = None


def servers_of(brief: SessionBrief) -> dict[str, Mapping[str, Any]]:
    """The MCP servers of a session; no other can stand in the place of ours."""
    return {**brief.mcp_servers, OWN_SERVER: {"type": "sdk", "name": OWN_SERVER}}


def command_line(
    binary: Path, brief: SessionBrief, given: SessionFiles, *, attribution: str
) -> list[str]:
    """All flags. Nothing of the workspace's or the user's own agent settings is loaded."""
    settings = {
        "attribution": {"commit": attribution, "pr": attribution},
        "includeCoAuthoredBy": bool(attribution),
        # What it says of git by itself is against what we say ("branch first", "only when asked"),
        # and its look at the history takes a while at every start. Who wants it to credit itself
        # needs those words, because the credits are among them.
        "includeGitInstructions": bool(attribution),
        "autoMemoryEnabled": False,
    }
    command = [str(binary), "--output-format", "stream-json", "--input-format", "stream-json"]
    command += ["--verbose", "--include-partial-messages", "--setting-sources="]
    # In this mode what no hook allows is refused: a hook that fails cannot open a door.
    command += ["--permission-mode", "default", "--disable-slash-commands"]
    command += ["--strict-mcp-config", f"--mcp-config={given.servers}"]
    command += ["--settings", json.dumps(settings), f"--model={brief.model}"]
    command += ["--max-turns", str(brief.max_turns)]
    # Nought is no budget to the binary but a mistake.
    command += ["--max-budget-usd", f"{max(brief.max_cost_usd, 0.0001):.4f}"]
    command += _conversation(brief)
    if brief.builtin_tools:
        command += [f"--tools={','.join(brief.builtin_tools)}"]
    if brief.thinking_tokens:
        command += ["--max-thinking-tokens", str(brief.thinking_tokens)]
    if given.context is not None:
        command += [f"--append-system-prompt-file={given.context}"]
    return command


def _conversation(brief: SessionBrief) -> list[str]:
    """A new conversation, the session's own of before, or a copy of another session's."""
    if brief.resume:
        return [f"--resume={brief.session}"]
    copied = [f"--resume={brief.continues}", "--fork-session"] if brief.continues else []
    return [*copied, f"--session-id={brief.session}"]


def child_environment(allowed: Mapping[str, str], brief: SessionBrief) -> dict[str, str]:
    """The child's whole environment: what the settings allow, the session's own, nothing else."""
    return {
        **({} if needs_certificates(allowed, brief) else NO_CERTIFICATES),
        **allowed,
        **QUIET_VARIABLES,
        **identity_environment(brief.identity),
        "HOME": str(brief.home),
        "TMPDIR": str(brief.home / "tmp"),
        "GIT_TERMINAL_PROMPT": "0",
        SESSION_MARK: brief.session,
    }


def needs_certificates(allowed: Mapping[str, str], brief: SessionBrief) -> bool:
    """Whether the agent's own process may have to tell by certificates whom it speaks to: its
    model, whoever renews its login, a page that it reads, a server elsewhere."""
    in_the_clear = allowed.get(BASE_URL, "").startswith("http://")
    has_login = any(allowed.get(name) for name in LOGINS)
    in_a_cloud = any(name.startswith("CLAUDE_CODE_USE_") for name in allowed)
    reads_pages = not brief.builtin_tools or "WebFetch" in brief.builtin_tools
    elsewhere = any("url" in server for server in brief.mcp_servers.values())
    return not in_the_clear or not has_login or in_a_cloud or reads_pages or elsewhere


def identity_environment(identity: CommitIdentity) -> dict[str, str]:
    """Commits carry the user's name, whatever directory the agent commits in."""
    return {
        "GIT_AUTHOR_NAME": identity.name,
        "GIT_AUTHOR_EMAIL": identity.email,
        "GIT_COMMITTER_NAME": identity.name,
        "GIT_COMMITTER_EMAIL": identity.email,
    }


def shorten_context(context: str) -> str:
    data = context.encode()
    if len(data) <= MAX_CONTEXT_BYTES:
        return context
    return data[:MAX_CONTEXT_BYTES].decode(errors="ignore") + "\n[the rest was left out: too long]"


@contextmanager
def write_session_files(
    brief: SessionBrief, servers: Mapping[str, Mapping[str, Any]]
) -> Iterator[SessionFiles]:
    """Files that only their owner can read, and that are gone at the end of the block."""
    given = _write_private_file(brief.home, json.dumps({"mcpServers": servers}))
    context = (
        _write_private_file(brief.home, shorten_context(brief.context)) if brief.context else None
    )
    try:
        yield SessionFiles(given, context)
    finally:
        for path in (given, context):
            if path is not None:
                remove_file(brief.home, path.name)


def _write_private_file(home: Path, text: str) -> Path:
    # A fresh name each time: an agent may have left something at one that it could foresee.
    descriptor, name = mkstemp(dir=home, prefix="given-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode(errors="replace"))
    return Path(name)


# A binary reads the file that an `@` names, before any hook is asked, and runs what a `/` names. It
# looks for the `@` behind blanks, brackets and the full stops of many scripts; only behind a letter
# or a digit, as in an address, has it never been one. A character that cannot be seen would do as
# well, but models copy it into the code they write.
_MENTION = re.compile(r"(?<![A-Za-z0-9_\\])@")
_ESCAPED_MENTION = "\\@"
_ESCAPE_NOTE = "\n\n(Where `\\@` is written above, read `@`.)"
_PLAIN_TEXT_LEAD = "Read this as plain text:\n"


def escape_prompt(prompt: str) -> str:
    """The same prompt with nothing in it that a binary without verbatim prompts acts upon."""
    escaped = _MENTION.sub(lambda _: _ESCAPED_MENTION, prompt)
    if escaped != prompt:
        escaped += _ESCAPE_NOTE
    return _PLAIN_TEXT_LEAD + escaped if escaped.lstrip().startswith(("/", "!")) else escaped
