"""Parses and matches the user's permission rules: `Tool(pattern)`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

FORM = re.compile(r"(?P<tool>[A-Za-z_][\w-]*)(?:\((?P<pattern>.+)\))?", re.ASCII)

# The argument a rule's pattern is about, by tool.
MAIN_ARGUMENT = {
    "Bash": "command",
    "Edit": "file_path",
    "Glob": "path",
    "Grep": "path",
    "NotebookEdit": "notebook_path",
    "Read": "file_path",
    "WebFetch": "url",
    "WebSearch": "query",
    "Write": "file_path",
}

PATH_TOOLS = frozenset({"Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"})


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """`*` matches within a path segment or word, `**` matches everything."""

    tool: str
    pattern: str = "**"


def parse_rule(text: str) -> PermissionRule | None:
    """The rule, or None when the text is not of the form `Tool` or `Tool(pattern)`."""
    match = FORM.fullmatch(text.strip())
    if match is None:
        return None
    return PermissionRule(match["tool"], match["pattern"] or "**")


def split_ask_before(texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[PermissionRule, ...]]:
    """Patterns of commands, and rules for other tools: `Write(db/**)`, `mcp__server__*`.

    `Bash(pattern)` is another way to write a command's pattern.
    """
    commands: list[str] = []
    rules: list[PermissionRule] = []
    for text in texts:
        rule = (
            PermissionRule(text.strip()) if text.strip().startswith("mcp__") else parse_rule(text)
        )
        if rule is None or (rule.tool not in MAIN_ARGUMENT and not rule.tool.startswith("mcp__")):
            commands.append(text)
        elif rule.tool == "Bash":
            commands.append(rule.pattern if "(" in text else text)
        else:
            rules.append(anchor_in_project(rule))
    return tuple(commands), tuple(rules)


def matches(rule: PermissionRule, tool: str, value: str, *, workspace: str) -> bool:
    """Whether the rule covers this tool with this main argument; paths must be resolved."""
    if rule.tool != tool:
        return False
    pattern = rule.pattern
    if pattern.startswith("./"):
        pattern = f"{workspace}/{pattern[2:]}"
    return re.fullmatch(_regex(pattern, is_path=tool in PATH_TOOLS), value, re.DOTALL) is not None


def _regex(pattern: str, *, is_path: bool) -> str:
    """Only paths have segments; a `*` in a command or an address crosses slashes."""
    if is_path:
        parts = [re.escape(part).replace(r"\*", "[^/]*") for part in pattern.split("**")]
        return ".*".join(parts)
    first, *others = map(re.escape, re.split(r"\*+", pattern))
    # What is between two stars counts where it comes first, and is not looked for again: the time
    # would be a power of the length of a command.
    found = "".join(f"(?>.*?{part})" for part in others[:-1])
    return f"{first}{found}.*{others[-1]}" if others else first


def anchor_in_project(rule: PermissionRule) -> PermissionRule:
    """Make a relative path one of the project."""
    if rule.tool not in PATH_TOOLS or rule.pattern.startswith(("/", "./", "**")):
        return rule
    return PermissionRule(rule.tool, f"./{rule.pattern}")
