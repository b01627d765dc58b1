"""Finds the test tools that a command line starts. Pure."""

import re
import shlex
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

ToolName = Literal[
    "pytest",
    "unittest",
    "node",
    "vitest",
    "jest",
    "mocha",
    "playwright",
    "go",
    "gotestsum",
    "cargo",
    "rspec",
    "phpunit",
    "minitest",
    "bats",
    "prove",
]

_NAMES: dict[str, ToolName] = {
    "pytest": "pytest",
    "py.test": "pytest",
    "unittest": "unittest",
    "vitest": "vitest",
    "vitest.mjs": "vitest",
    "jest": "jest",
    "jest.js": "jest",
    "mocha": "mocha",
    "mocha.js": "mocha",
    "_mocha": "mocha",
    "playwright": "playwright",
    "go": "go",
    "gotestsum": "gotestsum",
    "cargo": "cargo",
    "rspec": "rspec",
    "phpunit": "phpunit",
    "pest": "phpunit",
    "bats": "bats",
    "prove": "prove",
}
# Operators that end one command of a line, and those that send its output elsewhere.
_ENDS = re.compile(r"^[;&|()]+$")
_PIPE = re.compile(r"^\|&?$")
_REDIRECTS = re.compile(r"^[<>&|]*>[<>&|]*$")
# Words that may precede a tool's name: assignments and launchers.
_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_PYTHON = re.compile(r"^python[\d.]*$")
_LAUNCHERS = frozenset(
    {
        *("env", "time", "exec", "command", "nice", "timeout", "xvfb-run", "uv", "uvx", "poetry"),
        *("pdm", "pipenv", "hatch", "rye", "run", "-m", "coverage", "npx", "npm", "pnpm", "yarn"),
        *("bun", "bunx", "exec", "dlx", "bundle", "tool", "php", "ruby", "node", "tsx", "--"),
    }
)
# Programs that pass on what they read.
_PASSING_ON = frozenset({"tee", "cat"})
# Node runs tests itself if it is told so.
_NODE = frozenset({"node", "tsx"})


@dataclass(frozen=True, slots=True)
class ToolStart:
    """One start of a tool: the words before its name and behind it."""

    tool: ToolName
    launcher: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    # Whether all that it prints is in the output of the line.
    is_visible: bool = True


@dataclass(slots=True)
class _SimpleCommand:
    """One command of a line, and the operator behind it."""

    words: list[str]
    end: str = ""


def find_tools(command: str) -> tuple[ToolName, ...]:
    """The tools in the order of the line, once per start."""
    return tuple(start.tool for start in find_starts(command))


def find_starts(command: str) -> tuple[ToolStart, ...]:
    """The starts of tools in the order of the line."""
    commands = _split_commands(command)
    shows_all = "$(" not in command and "`" not in command and _shows_all(commands)
    starts = (_find_start(each.words, shows_all=shows_all) for each in commands)
    return tuple(start for start in starts if start)


def _split_commands(line: str) -> list[_SimpleCommand]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands = [_SimpleCommand([])]
    try:
        for word in lexer:
            if _ENDS.match(word):
                commands[-1].end = word
                commands.append(_SimpleCommand([]))
            else:
                commands[-1].words.append(word)
    except ValueError:  # a quotation that does not end
        return []
    return commands


def _shows_all(commands: list[_SimpleCommand]) -> bool:
    """Whether every command of the line runs, and no group of them sends its output elsewhere."""
    for each, following in pairwise(commands):
        reader = following.words[0].rpartition("/")[2] if following.words else ""
        if _may_skip(each.end, following) or (_PIPE.match(each.end) and reader not in _PASSING_ON):
            return False
    return not any(_is_redirected(each.words[:2]) for each in commands)


def _may_skip(operator: str, following: _SimpleCommand) -> bool:
    """Whether a command may be skipped; `|| code=$?` only keeps the exit code of the one before."""
    return operator == "||" and not all(map(_ASSIGNMENT.match, following.words or [""]))


def _find_start(words: list[str], *, shows_all: bool) -> ToolStart | None:
    for position, word in enumerate(words):
        last = word.rpartition("/")[2]
        tool: ToolName | None = _NAMES.get(last)
        if tool is None and last in _NODE and "--test" in words[position:]:
            tool = "node"
        if tool is not None:
            arguments = words[position + 1 :]
            is_visible = shows_all and not _is_redirected(arguments)
            return ToolStart(tool, tuple(words[:position]), tuple(arguments), is_visible)
        is_python = _PYTHON.match(last) is not None
        known = last in _LAUNCHERS or is_python or _ASSIGNMENT.match(word) or last.isdigit()
        if not known and not word.startswith("-"):
            return None
    return None


def _is_redirected(words: list[str]) -> bool:
    """Whether output goes to a file; `2>&1` leaves it where it is."""
    for word, target in pairwise([*words, ""]):
        if _REDIRECTS.match(word) and not (word == ">&" and target in ("1", "2")):
            return True
    return False
