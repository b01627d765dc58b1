"""May the agent use this tool? Pure: what must be looked up on the disk comes in as `real_path`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from treadle.domain.agent import Allow, Decision, Deny, ToolUse
from treadle.domain.signal import Role
from treadle.policy.rules import MAIN_ARGUMENT, PATH_TOOLS, matches
from treadle.policy.toolset import Toolset

READING = frozenset({"Read", "Glob", "Grep"})
WRITING = PATH_TOOLS - READING

# Roles that judge or plan do not change what they look at.
READ_ONLY_ROLES: frozenset[Role] = frozenset({"planner", "reviewer", "auditor", "verifier"})

# Treadle writes these itself; an agent hands text over by tools instead.
PROTECTED = (".treadle", "treadle.toml", ".git")

RealPath = Callable[[str], str]


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
    return real_path(str(PurePosixPath(context.workspace) / (value or ".")))


def _server_tool(use: ToolUse, context: Context) -> Decision:
    server = use.name.split("__")[1] if use.name.count("__") >= 2 else ""
    if server in context.toolset.servers or use.name in context.toolset.names:
        return Allow()
    return Deny(f"There is no MCP server named {server!r} in this project's settings.")


def _write(path: str, context: Context, real_path: RealPath) -> Decision:
    if context.role in READ_ONLY_ROLES:
        return Deny(f"A {context.role} reads and reports; it does not change files.")
    inside = _inside(path, context, real_path)
    if inside is None:
        return Deny(
            "That path is outside the workspace. Write inside your current directory only; "
            "relative paths are the safest."
        )
    if inside.parts[:1] and inside.parts[0] in PROTECTED:
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
