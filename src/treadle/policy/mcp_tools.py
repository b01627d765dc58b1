"""Decides which tools of MCP servers may be used, and with which paths. Pure."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from treadle.domain.agent import OWN_TOOLS, Allow, Deny, PolicyDecision, ToolUse
from treadle.policy.available_tools import Toolset
from treadle.policy.file_tools import FileAccess, RealPath, deny_protected
from treadle.policy.protected_paths import protected_part

# The agent replaces these characters in the names of servers.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
# Runs code in the browser's server process, past the rules for commands.
_RUNS_CODE = re.compile(r"__browser_run_code(_unsafe)?\Z")
# A longer text cannot be a path.
_LONGEST_PATH = 4096
_IN_NO_PATH = re.compile(r"[\n\0]")
_DEEPEST = 8
_MOST_TEXTS = 2000
_SCHEME = "file://"


def decide_server_tool(
    use: ToolUse, toolset: Toolset, access: FileAccess, real_path: RealPath
) -> PolicyDecision:
    """Allow the servers of the settings, but no protected path as an argument.

    The name of a tool does not say whether it writes to a path.
    """
    if use.name.startswith(OWN_TOOLS):
        return Allow(rule="mcp-own")
    server = use.name.split("__")[1] if use.name.count("__") >= 2 else ""
    if use.name not in toolset.names and not any(
        use.name.startswith(f"mcp__{_NOT_IN_NAMES.sub('_', known)}__") for known in toolset.servers
    ):
        refusal = f"There is no MCP server named {server!r} for this role in this project."
        return Deny(refusal, "mcp-unknown")
    if _RUNS_CODE.search(use.name):
        refusal = "This tool runs code outside of the page. Use browser_evaluate, or a command."
        return Deny(refusal, "mcp-code")
    texts = list(islice(_texts(use.input), _MOST_TEXTS + 1))
    if len(texts) > _MOST_TEXTS:
        return Deny("That is too much at once. Use the tool in several steps.", "mcp-too-much")
    for text in texts:
        path = real_path(str(PurePosixPath(access.directory) / text))
        try:
            inside = PurePosixPath(path).relative_to(access.workspace)
        except ValueError:
            continue
        if part := protected_part(inside, access.protected):
            return deny_protected(part)
    return Allow(rule="mcp")


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """All texts of an input that could be a path."""
    if isinstance(value, str):
        text = value.strip()
        address = "://" in text and not text.startswith(_SCHEME)
        if not address and len(text) <= _LONGEST_PATH and not _IN_NO_PATH.search(text):
            yield text.removeprefix(_SCHEME)
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each, depth + 1)
