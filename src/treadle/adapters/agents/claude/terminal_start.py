"""Builds what Claude Code is started with when a person talks to it in a terminal. Pure."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treadle.adapters.agents.claude.command import SessionFiles
from treadle.adapters.agents.claude.variables import API_KEY
from treadle.domain.agent import OWN_TOOLS, SessionBrief, Terminal

# These say that a program reads the output; a person does.
_OF_PROGRAMS = ("CLAUDE_CODE_SDK_READS_SESSION_STATE", "CLAUDE_CODE_ENTRYPOINT")
# Neither plugins from elsewhere, which the sandbox could not fetch, nor a view of other agents.
_PLAIN = {
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
    "CLAUDE_CODE_DISABLE_AGENT_VIEW": "1",
}
# Of an API key, what Claude Code remembers about the answer whether it may use the key.
_KEY_END = 20

# Its terminal becomes the one that a process controls: otherwise it would not hear of a new size,
# nor of the end of the terminal.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def first_settings(workspace: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """The answers to what Claude Code asks at a first start: its theme, whether the folder is
    trusted, whether the key of the environment may be used. Nobody could answer for good, because
    the home is new in every run."""
    key = environment.get(API_KEY, "")
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "projects": {
            str(workspace): {
                "hasTrustDialogAccepted": True,
                "hasCompletedProjectOnboarding": True,
            }
        },
        **({"customApiKeyResponses": {"approved": [key[-_KEY_END:]]}} if key else {}),
    }


def terminal_environment(environment: Mapping[str, str], terminal: Terminal) -> dict[str, str]:
    """The environment of a session, as a terminal needs it."""
    kept = {name: value for name, value in environment.items() if name not in _OF_PROGRAMS}
    return {**kept, **_PLAIN, **terminal.variables}


def terminal_command(
    python: Path, binary: Path, brief: SessionBrief, given: SessionFiles
) -> list[str]:
    """All flags. What the sandbox lets it write needs no permission; for the rest it asks the
    person."""
    settings = {
        "attribution": {"commit": "", "pr": ""},
        "includeCoAuthoredBy": False,
        "includeGitInstructions": False,
        "autoMemoryEnabled": False,
        "permissions": {"allow": _allowed(brief)},
    }
    command = [str(python), "-IS", "-c", TAKE_TERMINAL, str(binary), "--setting-sources="]
    command += ["--permission-mode", "default", "--settings", json.dumps(settings)]
    command += ["--strict-mcp-config", f"--mcp-config={given.servers}", f"--model={brief.model}"]
    command += [f"--tools={','.join(brief.builtin_tools)}"] if brief.builtin_tools else []
    if given.context is not None:
        command += [f"--append-system-prompt-file={given.context}"]
    if brief.resume:
        return [*command, f"--resume={brief.session}"]
    if brief.continues:
        command += [f"--resume={brief.continues}", "--fork-session"]
    command += [f"--session-id={brief.session}"]
    # A conversation that goes on needs no words to begin with.
    begins = brief.prompt.strip() and not brief.continues
    return [*command, "--", brief.prompt.strip()] if begins else command


def _allowed(brief: SessionBrief) -> list[str]:
    folders = (
        path.relative_to(brief.workspace).as_posix()
        for path in brief.writable or ()
        if path.is_relative_to(brief.workspace)
    )
    return ["Read", OWN_TOOLS.removesuffix("__"), *(f"Edit({folder}/**)" for folder in folders)]
