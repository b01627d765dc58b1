"""May the agent use this tool? Pure: what must be looked up on the disk comes in as `real_path`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from treadle.domain.agent import Allow, Decision, Deny, ToolUse
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset
from treadle.policy.permission_rules import MAIN_ARGUMENT, PATH_TOOLS, matches
from treadle.policy.roles import READ_ONLY_ROLES

READING = frozenset({"Read", "Glob", "Grep"})
WRITING = PATH_TOOLS - READING

# Treadle writes these itself; an agent hands text over by tools instead.
PROTECTED = (".treadle", "treadle.toml", ".git")

RealPath = Callable[[str], str]

# A path that no rule about places fits and that lies outside every workspace.
_NOWHERE = ""
# The agent takes a leading tilde for its home; a zero byte ends a path early or not, who knows.
_UNKNOWABLE = re.compile(r"\A~|\0")
# Braces may hide a way up from whoever splits a pattern at its slashes, so none is followed.
_UPWARD = re.compile(r"(?<![^/{},])\.\.(?![^/{},])")
# The agent writes names of servers with these characters put in place of all others.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Context:
    """What a decision depends on besides the use itself."""

    role: Role
    workspace: str
    toolset: Toolset


def decide(use: ToolUse, context: Context, *, real_path: RealPath) -> Decision:
    """Deny wins; what no rule allows is denied. `real_path` follows links, as far as they exist."""
    if use.name.startswith("mcp__"):
        return _server_tool(use, context)
    argument = _main_argument(use, context, real_path)
    by_rule = any(
        matches(rule, use.name, argument, workspace=real_path(context.workspace))
        for rule in context.toolset.rules
    )
    if use.name not in context.toolset.names and not by_rule:
        return Deny(
            f"The tool {use.name} is not available here. Use one of: "
            f"{', '.join(sorted(context.toolset.names))}."
        )
    if use.name in WRITING:
        return _write(argument, context, real_path)
    if use.name in READING and not by_rule:
        return _read(argument, context, real_path)
    return Allow()


def _main_argument(use: ToolUse, context: Context, real_path: RealPath) -> str:
    value = str(use.input.get(MAIN_ARGUMENT.get(use.name, "")) or "")
    if use.name not in PATH_TOOLS:
        return value
    # The agent drops blanks around a path, so " /etc" is not a file of the workspace.
    value = value.strip()
    # A pattern leads out of the directory it is looked for in as easily as a path does.
    pattern = str(use.input.get("pattern") or "").strip() if use.name == "Glob" else ""
    if _UNKNOWABLE.search(value) or _UNKNOWABLE.search(pattern) or _UPWARD.search(pattern):
        return _NOWHERE
    return real_path(str(PurePosixPath(context.workspace) / value / pattern))


def _server_tool(use: ToolUse, context: Context) -> Decision:
    server = use.name.split("__")[1] if use.name.count("__") >= 2 else ""
    if use.name in context.toolset.names or any(
        use.name.startswith(f"mcp__{_NOT_IN_NAMES.sub('_', known)}__")
        for known in context.toolset.servers
    ):
        return Allow()
    return Deny(f"There is no MCP server named {server!r} in this project's settings.")


def _write(path: str, context: Context, real_path: RealPath) -> Decision:
    if context.role in READ_ONLY_ROLES:
        return Deny(f"In the role {context.role} you read and report; you do not change files.")
    inside = _inside(path, context, real_path)
    if inside is None:
        return Deny(
            "That path is outside the workspace. Write inside your current directory only; "
            "relative paths are the safest."
        )
    # Some disks do not tell upper from lower case.
    if inside.parts and inside.parts[0].lower() in PROTECTED:
        return Deny(
            f"{inside.parts[0]} belongs to Treadle and cannot be written by an agent. "
            "Use the mcp__treadle__* tools to report on the work."
        )
    return Allow()


def _read(path: str, context: Context, real_path: RealPath) -> Decision:
    if _inside(path, context, real_path) is None:
        return Deny("That path is outside the workspace; read inside your current directory only.")
    return Allow()


def _inside(path: str, context: Context, real_path: RealPath) -> PurePosixPath | None:
    """The resolved path relative to the workspace, or None when it leads out of it."""
    try:
        return PurePosixPath(path).relative_to(real_path(context.workspace))
    except ValueError:
        return None
