"""Parses the output of `git log -p` and `git diff-tree -p`: added and removed text. Pure.

All text that is not clearly removed counts as added: also commit messages, authors and file names.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

PATCHES = (
    *("-p", "-U0", "--text", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short"),
)

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NAMES = "diff --git "
# Lines of files begin with a sign, those of messages with blanks.
_CHANGED_NAMES = re.compile(rf"^{_NAMES}(.*)$", re.MULTILINE)
_ADDED_NAMES = re.compile(rf"^{_NAMES}(.*)\nnew file mode ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PatchBlock:
    """Consecutive lines. A file's name is line 0; text outside of files has no path."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class _Hunk:
    """The lines left in a hunk, counted because a file's lines may look like headers."""

    line: int = 0
    added: int = 0
    removed: int = 0
    lines: list[str] = field(default_factory=list)


def added_blocks(patch: str) -> Iterator[PatchBlock]:
    """All added text, in the order of the patch."""
    path, hunk = "", _Hunk()
    for line in patch.split("\n"):
        if hunk.added and line.startswith("+"):
            hunk.added -= 1
            hunk.lines.append(line[1:])
            if not hunk.added:
                yield PatchBlock(path, hunk.line, "\n".join(hunk.lines))
        elif hunk.removed and line.startswith("-"):
            hunk.removed -= 1
        elif header := _HUNK.match(line):
            removed, start, added = header.groups(default="1")
            hunk = _Hunk(int(start), int(added), int(removed))
        elif line.startswith(_NAMES):
            path = _second_name(line.removeprefix(_NAMES))
            yield PatchBlock(path, 0, path)
        elif line and not line.startswith(("+++ ", "--- ")):
            yield PatchBlock("", 0, line)


def changed_names(patch: str) -> Iterator[str]:
    """Every path that was added, changed or removed, once per commit."""
    return (_second_name(names) for names in _CHANGED_NAMES.findall(patch))


def added_names(patch: str) -> Iterator[str]:
    """Every path of a new file, once per commit."""
    return (_second_name(names) for names in _ADDED_NAMES.findall(patch))


def removed_text(patch: str) -> str:
    """All removed lines; their text was in the repository before."""
    return "\n".join(line for line in patch.split("\n") if line.startswith("-"))


def _second_name(names: str) -> str:
    """The second of two names that differ in their first letter; git quotes unusual names."""
    name = names[len(names) // 2 + 1 :]
    if name.startswith('"'):
        raw = os.fsencode(name[1:-1]).decode("latin-1").encode("latin-1")
        name = os.fsdecode(raw.decode("unicode_escape").encode("latin-1"))
    return name.removeprefix("b/")
