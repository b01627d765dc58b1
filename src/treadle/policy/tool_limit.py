"""A list of tools beyond which a session has none: `Read`, `Bash(npm test:*)`, `mcp__db`. Pure.

It only takes away. What a tool on the list may do is still decided by the policy.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from treadle.domain.agent import OWN_SERVER, OWN_TOOLS, Deny, ToolUse
from treadle.policy.available_tools import Toolset, names_of
from treadle.policy.permission_rules import (
    MAIN_ARGUMENT,
    PermissionRule,
    anchor_in_project,
    matches,
    parse_rule,
)

RULE = "tool-limit"
SHELL = "Bash"
_EVERYTHING = "**"
# What makes more of a line than the words of one command.
_SHELL_SIGNS = re.compile(r"[;&|<>$`\"'\\(){}\n]")
_SERVER_TOOLS = re.compile(r"mcp__(?P<server>[A-Za-z0-9_-]+?)(?:__(?P<tool>[A-Za-z0-9_*-]+))?")


@dataclass(frozen=True, slots=True)
class ToolLimit:
    """The entries as the user wrote them, and as rules. Tools of servers are matched by name."""

    entries: tuple[str, ...]
    rules: tuple[PermissionRule, ...]

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(name for rule in self.rules for name in names_of(rule.tool))

    @property
    def commands(self) -> tuple[str, ...] | None:
        """Patterns of commands; None if every command is on the list."""
        patterns = tuple(rule.pattern for rule in self.rules if rule.tool == SHELL)
        return None if _EVERYTHING in patterns else patterns

    def has_whole(self, tool: str) -> bool:
        """Whether a tool is on the list without conditions."""
        return PermissionRule(tool) in self.rules


@dataclass(frozen=True, slots=True)
class InvalidEntry:
    entry: str
    problem: str


def parse_limit(entries: Sequence[str], known: Collection[str]) -> ToolLimit | InvalidEntry | None:
    """The limit, None for an empty list, or the first entry that would have no effect.

    `known` are the tools that sessions have without the list, `mcp__server` for those of a server.
    """
    rules: list[PermissionRule] = []
    for entry in entries:
        text = entry.strip()
        rule = _server_rule(text, known) if text.startswith("mcp__") else _tool_rule(text, known)
        if isinstance(rule, str):
            return InvalidEntry(entry, rule)
        rules.append(rule)
    return ToolLimit(tuple(entry.strip() for entry in entries), tuple(rules)) if rules else None


def limit_toolset(toolset: Toolset, limit: ToolLimit) -> Toolset:
    """The part of a toolset that is on the list; Treadle's own tools stay."""
    allowed = limit.tools
    return Toolset(
        names=frozenset(
            name
            for name in toolset.names
            if (name in allowed if not name.startswith("mcp__") else _has_server_tool(name, limit))
        ),
        rules=tuple(rule for rule in toolset.rules if rule.tool in allowed),
        servers=frozenset(name for name in toolset.servers if _has_server(name, limit)),
    )


def limit_servers(
    servers: Mapping[str, Mapping[str, Any]], limit: ToolLimit
) -> dict[str, Mapping[str, Any]]:
    """The servers of which any tool is on the list."""
    return {name: table for name, table in servers.items() if _has_server(name, limit)}


def find_limit_denial(
    use: ToolUse, argument: str, limit: ToolLimit, *, workspace: str
) -> Deny | None:
    """Why a use is beyond the list. Commands are checked by `command_limit`."""
    if use.name.startswith(OWN_TOOLS):
        return None
    if use.name.startswith("mcp__"):
        return None if _has_server_tool(use.name, limit) else deny_beyond(use.name, limit)
    if use.name not in limit.tools:
        return deny_beyond(use.name, limit)
    if use.name not in MAIN_ARGUMENT or use.name == SHELL:
        return None
    rules = (rule for rule in limit.rules if rule.tool == use.name)
    if any(matches(rule, use.name, argument, workspace=workspace) for rule in rules):
        return None
    return deny_beyond(f"{use.name} of this", limit)


def deny_beyond(what: str, limit: ToolLimit) -> Deny:
    return Deny(f"{what} is not on the user's list of tools. {limit_text(limit)}", RULE)


def limit_text(limit: ToolLimit) -> str:
    """What a session is told of its list."""
    entries = ", ".join(f"`{entry}`" for entry in limit.entries)
    return (
        f"The user allows only these tools here: {entries}, and the mcp__{OWN_SERVER}__* tools. "
        "Work with them, and do not look for a way around it."
    )


def _has_server_tool(name: str, limit: ToolLimit) -> bool:
    return any(
        re.fullmatch(re.escape(rule.tool).replace(r"\*", ".*"), name)
        for rule in limit.rules
        if rule.tool.startswith("mcp__")
    )


def _has_server(name: str, limit: ToolLimit) -> bool:
    start = f"mcp__{_tool_part(name)}__"
    return name == OWN_SERVER or any(rule.tool.startswith(start) for rule in limit.rules)


def _tool_part(server: str) -> str:
    """The name of a server in the names of its tools."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", server)


def _server_rule(text: str, known: Collection[str]) -> PermissionRule | str:
    found = _SERVER_TOOLS.fullmatch(text)
    if found is None:
        return "write mcp__SERVER, mcp__SERVER__* or mcp__SERVER__TOOL"
    rule = PermissionRule(text if found["tool"] else f"{text}__*")
    servers = [name for name in known if name.startswith("mcp__")]
    if rule.tool.startswith(OWN_TOOLS) or any(
        rule.tool.startswith(f"mcp__{_tool_part(name.removeprefix('mcp__'))}__")
        or rule.tool == name
        for name in servers
    ):
        return rule
    return f"no session has the server {found['server']!r}: name it in [mcp_servers]"


def _tool_rule(text: str, known: Collection[str]) -> PermissionRule | str:
    rule = parse_rule(text)
    if rule is None:
        return "write Tool or Tool(pattern), such as Read, Edit(src/**) or Bash(npm test:*)"
    if rule.tool not in {name for each in known for name in names_of(each)}:
        close = get_close_matches(rule.tool, sorted(known), n=1)
        meant = f"; did you mean {close[0]}?" if close else ": add it to allowed_tools first"
        return f"no session has the tool {rule.tool!r}{meant}"
    if "(" not in text:
        return rule
    if rule.tool not in MAIN_ARGUMENT:
        return f"the tool {rule.tool} takes no pattern"
    return _command_rule(rule) if rule.tool == SHELL else anchor_in_project(rule)


def _command_rule(rule: PermissionRule) -> PermissionRule | str:
    pattern = " ".join(rule.pattern.split())
    if pattern in ("*", _EVERYTHING):
        return PermissionRule(SHELL)
    if _SHELL_SIGNS.search(pattern):
        return "a pattern has the words of one command, without quotes and operators"
    # `npm test:*`, as Claude Code writes it, is `npm test *`.
    words = re.sub(r":\*\Z", " *", pattern).split()
    if words[0].startswith("*"):
        return "a pattern begins with the name of a command"
    return replace(rule, pattern=" ".join(words))
