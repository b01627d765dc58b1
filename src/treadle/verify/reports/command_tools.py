"""Finds the test tools that a command line starts. Pure."""

import re
import shlex
from typing import Literal

ToolName = Literal[
    "pytest",
    "unittest",
    "vitest",
    "jest",
    "playwright",
    "go",
    "gotestsum",
    "cargo",
    "rspec",
    "phpunit",
]

_NAMES: dict[str, ToolName] = {
    "pytest": "pytest",
    "py.test": "pytest",
    "unittest": "unittest",
    "vitest": "vitest",
    "jest": "jest",
    "playwright": "playwright",
    "go": "go",
    "gotestsum": "gotestsum",
    "cargo": "cargo",
    "rspec": "rspec",
    "phpunit": "phpunit",
    "pest": "phpunit",
}
# Operators that end one command of a line.
_ENDS = re.compile(r"^[;&|()]+$")
# Words that may precede a tool's name: assignments and launchers.
_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_LAUNCHERS = frozenset(
    {
        *("env", "time", "exec", "command", "nice", "timeout", "xvfb-run", "uv", "uvx", "poetry"),
        *("pdm", "pipenv", "hatch", "rye", "run", "-m", "coverage", "npx", "npm", "pnpm", "yarn"),
        *("bun", "bunx", "exec", "dlx", "bundle", "tool", "php", "ruby", "node", "--"),
    }
)


def find_tools(command: str) -> tuple[ToolName, ...]:
    """The tools in the order of the line, once per start."""
    tools = (_find_tool(words) for words in _split_commands(command))
    return tuple(tool for tool in tools if tool)


def _split_commands(line: str) -> list[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if _ENDS.match(word):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:  # a quotation that does not end
        return []
    return commands


def _find_tool(words: list[str]) -> ToolName | None:
    for word in words:
        last = word.rpartition("/")[2]
        if last in _NAMES:
            return _NAMES[last]
        is_python = re.match(r"^python[\d.]*$", last) is not None
        known = last in _LAUNCHERS or is_python or _ASSIGNMENT.match(word) or last.isdigit()
        if not known and not word.startswith("-"):
            return None
    return None
