"""Decisions on single tool uses, over links and a shell policy made for the tests."""

import os
from typing import Any

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision, ToolUse
from treadle.domain.signal import Role
from treadle.policy.available_tools import merge_tools
from treadle.policy.decide import DecisionContext, decide
from treadle.policy.permission_rules import PermissionRule
from treadle.policy.roles import ShellSet

WORKSPACE = "/srv/clone"
BASELINE = "Bash, Edit, Glob, Grep, NotebookEdit, Read, TaskStop, TodoWrite, Write"
LOOKING = "Bash, Glob, Grep, Read, TaskStop, TodoWrite"
READ, WRITTEN, BY_RULE = Allow(rule="read"), Allow(rule="write"), Allow(rule="read-rule")

# Links as they would lie on the disk; everything else is where it says.
LINKS = {f"{WORKSPACE}/out": "/etc", f"{WORKSPACE}/alias": f"{WORKSPACE}/.treadle"}


def real_path(path: str) -> str:
    plain = os.path.normpath(path)
    for link, target in LINKS.items():
        if plain == link or plain.startswith(f"{link}/"):
            return target + plain.removeprefix(link)
    return plain


def judge_line(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
    """Says what it was asked."""
    said = f"{line} in {directory} to {allowed}"
    return Ask(said, "part", "shell.asked") if "deploy" in line else Allow(said, "shell")


def decision_on(
    name: str,
    given: dict[str, Any],
    *rules: PermissionRule,
    role: Role = "implementer",
    allowed: tuple[str, ...] = (),
    servers: tuple[str, ...] = (),
    directory: str = "",
    **besides: Any,
) -> PolicyDecision:
    toolset = merge_tools(allowed, rules, {name: {} for name in servers})
    use = ToolUse("1", name, given, directory)
    context = DecisionContext(role, WORKSPACE, toolset, **besides)
    return decide(use, context, real_path=real_path, decide_line=judge_line)


def owned(part: str) -> Deny:
    return Deny(
        f"{part} belongs to Treadle and cannot be written by an agent. "
        "Use the mcp__treadle__* tools to report on the work.",
        "write-protected",
    )


def obeyed(part: str) -> Deny:
    return Deny(
        f"{part} decides what runs on the user's machine and cannot be written by an agent. "
        "Leave it as it is, and say in your notes what should change.",
        "write-protected",
    )


def kept(part: str) -> Deny:
    return Deny(
        f"{part} is kept as it is by the user's settings, and no agent changes it. "
        "Make the work fit it; if that cannot be, say in your notes what should change.",
        "write-protected",
    )
