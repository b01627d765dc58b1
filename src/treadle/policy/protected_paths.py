"""Paths that no agent may write: Treadle's state, executed config, and the user's own list."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from treadle.policy.tool_file_rules import PROTECTED_NAMES

# At the root of the project. Agents report through tools instead.
OWN = (".treadle", "treadle.toml")
# At any depth: git, shells, editors and coding agents execute these.
EXECUTED_CONFIG = PROTECTED_NAMES

PROTECTED = (*OWN, *EXECUTED_CONFIG)
# A sandbox makes these read-only at the root of a workspace even before they exist. The others are
# sealed only if they exist, because an empty file would disturb the project's programs. Of git's
# directory only parts are sealed, because an agent needs the rest for its commits.
SEALED = (*OWN, ".claude", ".mcp.json")
SEALED_IF_THERE = tuple(name for name in EXECUTED_CONFIG if name not in (*SEALED, ".git"))

_GLOB = re.compile(r"[*?\[]")
_ANY_DEPTH = "**"


def protected_part(inside: PurePosixPath, also: Iterable[str] = ()) -> str | None:
    """The protected part of a path inside the project; None if there is none.

    `also` are further paths relative to the project, as in `covers`. Some file systems ignore case
    or invisible characters, so names are normalised first.
    """
    parts = inside.parts
    if (name := protected_name(parts)) is not None:
        return name
    folded = [normalize(part) for part in parts]
    return next((path for path in also if _covers(path, folded)), None)


def protected_name(parts: Sequence[str]) -> str | None:
    """The part of a path that is protected in every project."""
    folded = [normalize(part) for part in parts]
    if folded and folded[0] in OWN:
        return parts[0]
    return next(
        (part for part, name in zip(parts, folded, strict=True) if name in EXECUTED_CONFIG), None
    )


def is_executed_config(part: str) -> bool:
    """Whether a part of a path is protected because other programs execute it."""
    return normalize(part) in EXECUTED_CONFIG


def has_pattern(path: str) -> bool:
    return bool(_GLOB.search(path))


def covers(kept: str, inside: PurePosixPath) -> bool:
    """Whether a path is the protected one, or below it.

    In a pattern `*` is one part or some of it, `**` any number of parts; one without a slash fits
    at any depth. A path is also just what it says, whatever is in its name.
    """
    return _covers(kept, [normalize(part) for part in inside.parts])


def lies_above(inside: PurePosixPath, kept: str) -> bool:
    """Whether a directory contains the protected path; patterns of any depth do not count."""
    parts = [normalize(part) for part in inside.parts]
    wanted = [normalize(part) for part in PurePosixPath(kept).parts]
    return len(parts) < len(wanted) and all(
        _ANY_DEPTH not in name and fnmatchcase(part, name)
        for part, name in zip(parts, wanted, strict=False)
    )


def is_protectable(path: str) -> bool:
    """Whether this is a path inside a project, or a pattern that does not match everything."""
    parts = PurePosixPath(path).parts
    outside = path.startswith(("/", "~")) or ".." in parts or "\0" in path
    return not outside and any(part.strip("*") for part in parts)


def _covers(kept: str, folded: Sequence[str]) -> bool:
    wanted = [normalize(part) for part in PurePosixPath(kept).parts]
    if not wanted:
        return False
    if list(folded[: len(wanted)]) == wanted:
        return True
    if not has_pattern(kept):
        return False
    return _matches_beginning([_ANY_DEPTH, *wanted] if len(wanted) == 1 else wanted, folded)


def _matches_beginning(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the pattern matches the path or one of its parents."""
    if not wanted:
        return True
    first, *rest = wanted
    if first == _ANY_DEPTH:
        return any(_matches_beginning(rest, parts[at:]) for at in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], first) and _matches_beginning(rest, parts[1:])


def normalize(part: str) -> str:
    """A name as a file system may compare it that ignores case or invisible characters."""
    if part.isascii():
        return part.casefold()
    visible = "".join(c for c in part if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible).casefold()
