"""Tells product code that a shell script loads from code that judges. Pure.

A file of functions is the product's if what they print is looked at, and nothing that the judge
runs itself is defined in it. Else it could give another meaning to what the judge does.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treadle.verify.commands import programs
from treadle.verify.commands.file_mentions import ShellCall
from treadle.verify.commands.shell_tree import parse_shell
from treadle.verify.judges.judge_files import has_judge_name
from treadle.verify.judges.tree_pair import TreePair

if TYPE_CHECKING:
    from tree_sitter import Node

_POWERFUL = re.compile(
    r"(?:LD|LC|DYLD|BASH|PYTHON|NODE|RUBY|PERL|GIT|MAKE|npm|BATS)_?.*"
    r"|PATH|IFS|ENV|HOME|CDPATH|TMPDIR|LANG|PS\d|OPT[A-Z]+|POSIXLY_CORRECT"
)
# What only makes a shell stricter.
_STRICT = re.compile(r"set(?:\s+-[eux]*o?|\s+pipefail)+")
_LOADING = frozenset({".", "source"})


@dataclass(slots=True)
class ScriptCalls:
    """The names that a script calls for their exit code or for what they print, and all words."""

    direct: set[str] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)

    def add(self, call: ShellCall, *, is_compared: bool) -> None:
        # In a process of its own: what it does besides printing has no effect on the script.
        is_captured = call.inside is not None or bool(call.pipes_to)
        (self.compared if is_compared and is_captured else self.direct).add(call.program)


def product_libraries(
    loaded: Mapping[str, set[str]], calls: Mapping[str, ScriptCalls], trees: TreePair
) -> frozenset[str]:
    """Which of the loaded files are the product's.

    `loaded` has the scripts that load each file, and `calls` those of each script; the command
    itself has an empty name.
    """
    libraries = {
        path: library
        for path in loaded
        if not has_judge_name(path) and (library := _both_versions(path, trees)) is not None
    }
    while wrong := {path for path in libraries if _judges(path, libraries, loaded, calls)}:
        libraries = {path: each for path, each in libraries.items() if path not in wrong}
    return frozenset(libraries)


def _judges(
    path: str,
    libraries: Mapping[str, "ShellLibrary"],
    loaded: Mapping[str, set[str]],
    calls: Mapping[str, ScriptCalls],
) -> bool:
    """Whether a file has what a judge runs itself, or nothing that one looks at."""
    scripts = [each for script, each in calls.items() if script not in libraries]
    own = libraries[path]
    if any(own.functions & each.direct or own.variables & each.words for each in scripts):
        return True
    called = {name for each in scripts for name in own.functions & each.compared}
    is_part = any(script in libraries for script in loaded[path])
    return any(map(has_judge_name, called)) or not (called or is_part)


def _both_versions(path: str, trees: TreePair) -> "ShellLibrary | None":
    """What a file defines in one tree or the other; None if it does more than that."""
    if any(
        path in side and side[path] is None for side in (trees.base_contents, trees.work_contents)
    ):
        return None
    texts = [text for text in (trees.base_text(path), trees.work_text(path)) if text]
    found = [each for text in texts if (each := read_library(text)) is not None]
    if not found or len(found) < len(texts):
        return None
    return ShellLibrary(
        frozenset[str]().union(*(each.functions for each in found)),
        frozenset[str]().union(*(each.variables for each in found)),
    )


@dataclass(frozen=True, slots=True)
class ShellLibrary:
    """The names that a shell file defines."""

    functions: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()


def read_library(text: str) -> ShellLibrary | None:
    """What a shell file defines; None if it does more than that."""
    root = parse_shell(text)
    nodes = [] if root is None else [each for each in root.named_children if each.type != "comment"]
    functions = [each for each in nodes if each.type == "function_definition"]
    variables = [part for each in nodes for part in _assignments(each)]
    others = [each for each in nodes if each not in functions and not _assignments(each)]
    if root is None or not all(_is_harmless(_text(each, text)) for each in others):
        return None
    names = frozenset(_text(each.named_children[0], text) for each in variables)
    if any(map(_is_powerful, names)):
        return None
    return ShellLibrary(frozenset(_text(each.named_children[0], text) for each in functions), names)


def _assignments(node: "Node") -> list["Node"]:
    """Those that a statement consists of; none if it does anything else."""
    parts = node.named_children if node.type == "declaration_command" else [node]
    are_all = all(each.type == "variable_assignment" for each in parts)
    return list(parts) if are_all else []


def _is_harmless(line: str) -> bool:
    return line.split()[0] in _LOADING or _STRICT.fullmatch(line) is not None


def _is_powerful(name: str) -> bool:
    """Whether a variable changes what other commands do."""
    return name in programs.SEARCH_VARIABLES or _POWERFUL.fullmatch(name) is not None


def _text(node: "Node", text: str) -> str:
    return text.encode(errors="surrogateescape")[node.start_byte : node.end_byte].decode(
        errors="surrogateescape"
    )
