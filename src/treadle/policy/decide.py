"""Decides whether an agent may use a tool. Pure: disk lookups come in as `real_path`."""

import re
from dataclasses import dataclass, replace

from treadle.domain.agent import OWN_SERVER, Allow, Ask, Deny, PolicyDecision, ToolUse
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset, limit_to_role
from treadle.policy.command_limit import DecideLine
from treadle.policy.file_tools import (
    FileAccess,
    RealPath,
    decide_read,
    decide_write,
    resolve_tool_path,
)
from treadle.policy.mcp_tools import decide_server_tool
from treadle.policy.permission_rules import MAIN_ARGUMENT, PATH_TOOLS, PermissionRule, matches
from treadle.policy.roles import ROLES, ShellSet
from treadle.policy.tool_limit import ToolLimit, find_limit_denial

READING = frozenset({"Read", "Glob", "Grep"})
WRITING = PATH_TOOLS - READING
SUB_AGENTS = frozenset({"Agent", "Task"})


@dataclass(frozen=True, slots=True)
class DecisionContext:
    """The inputs of a decision besides the tool use."""

    role: Role
    workspace: str
    toolset: Toolset
    # Paths besides the workspace, and paths in it that are never written.
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    # Uses that always need a person's approval.
    ask_before: tuple[PermissionRule, ...] = ()
    # The user's list of tools for this session.
    limit: ToolLimit | None = None


def decide(
    use: ToolUse, context: DecisionContext, *, real_path: RealPath, decide_line: DecideLine
) -> PolicyDecision:
    """Deny wins over ask, and ask over allow; a use that no rule allows is denied.

    `real_path` follows links as far as they exist.
    """
    context = replace(context, toolset=limit_to_role(context.toolset, context.role))
    access = FileAccess(
        workspace=real_path(context.workspace),
        directory=use.directory or context.workspace,
        readable=tuple(real_path(path) for path in context.readable),
        writable=tuple(real_path(path) for path in context.writable),
        protected=context.protected,
    )
    argument = main_argument(use, access, real_path)
    if context.limit is not None and (
        denial := find_limit_denial(use, argument, context.limit, workspace=access.workspace)
    ):
        return denial
    decision = _decide_by_tool(
        use, context, argument, access=access, lookups=(real_path, decide_line)
    )
    if isinstance(decision, Allow) and (rule := _find_ask_rule(use, context, argument, access)):
        reason = f"Your settings require approval for this use of {rule.tool}."
        return Ask(reason, subject_of(use), "gate-by-settings")
    return decision


def main_argument(use: ToolUse, access: FileAccess, real_path: RealPath) -> str:
    """The argument that rules match on; a path is resolved first."""
    if use.name in PATH_TOOLS:
        return resolve_tool_path(use, access, real_path)
    return str(use.input.get(MAIN_ARGUMENT.get(use.name, "")) or "")


def subject_of(use: ToolUse) -> str:
    """The whole use as text, for the person who decides about it."""
    if use.name == "Bash":
        background = " &" if use.input.get("run_in_background") else ""
        return f"{use.input.get('command')}{background}"
    arguments = [f"{name}: {value}" for name, value in sorted(use.input.items())]
    return "\n".join([use.name, *arguments])


def _decide_by_tool(
    use: ToolUse,
    context: DecisionContext,
    argument: str,
    *,
    access: FileAccess,
    lookups: tuple[RealPath, DecideLine],
) -> PolicyDecision:
    real_path, decide_line = lookups
    if use.name.startswith("mcp__"):
        return decide_server_tool(use, context.toolset, access, real_path)
    if use.name in WRITING and not ROLES[context.role].writes:
        refusal = f"In the role {context.role} you read and report; you do not change files."
        return Deny(refusal, "role-writes")
    covered = any(
        matches(rule, use.name, argument, workspace=access.workspace)
        for rule in context.toolset.rules
    )
    if not covered and not context.toolset.has(use.name):
        return _deny_unavailable(use, context.toolset)
    if use.name in WRITING:
        return decide_write(use, argument, access)
    if use.name in READING:
        return Allow(rule="read-rule") if covered else decide_read(use, argument, access)
    if use.name == "Bash":
        return _decide_shell(use, ROLES[context.role].commands, access.directory, decide_line)
    if use.name in SUB_AGENTS and use.input.get("isolation"):
        refusal = "Sub-agents work in your own workspace. Start it without `isolation`."
        return Deny(refusal, "tool-isolation")
    return Allow(rule="tool")


def _deny_unavailable(use: ToolUse, toolset: Toolset) -> Deny:
    return Deny(
        f"The tool {use.name} is not available here. Use one of: "
        f"{', '.join(sorted(toolset.names))}.",
        "tool-unknown",
    )


def _decide_shell(
    use: ToolUse, allowed: ShellSet, directory: str, decide_line: DecideLine
) -> PolicyDecision:
    line = use.input.get("command")
    if not isinstance(line, str):
        return Deny("There is no command in this use of Bash.", "shell-no-command")
    if use.input.get("dangerouslyDisableSandbox"):
        refusal = "Nothing runs outside the sandbox. Run it again without that option."
        return Deny(refusal, "shell-unsandboxed")
    if use.input.get("run_in_background") and allowed == "read":
        refusal = "In this role nothing is left running. Run it in the foreground."
        return Deny(refusal, "role-background")
    decision = decide_line(line, allowed, directory)
    # A person approves the whole line, even if only a part of it was the reason.
    return replace(decision, subject=subject_of(use)) if isinstance(decision, Ask) else decision


def _find_ask_rule(
    use: ToolUse, context: DecisionContext, argument: str, access: FileAccess
) -> PermissionRule | None:
    if use.name.startswith(f"mcp__{OWN_SERVER}__"):
        return None
    for rule in context.ask_before:
        # A rule for one writing tool applies to all of them.
        both_write = rule.tool in WRITING and use.name in WRITING
        tool_rule = (
            replace(rule, tool=use.name) if both_write or _names_tool(rule, use.name) else rule
        )
        if matches(tool_rule, use.name, argument, workspace=access.workspace):
            return rule
    return None


def _names_tool(rule: PermissionRule, tool: str) -> bool:
    """Whether a rule matches the tool; `mcp__server__*` means all tools of a server."""
    return tool.startswith("mcp__") and bool(
        re.fullmatch(re.escape(rule.tool).replace(r"\*", ".*"), tool)
    )
