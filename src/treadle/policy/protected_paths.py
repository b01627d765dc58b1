"""Paths that no agent may write: Treadle's state, executed config, and the user's own list."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

# At the top of the project. An agent hands text over by tools instead.
OWN = (".treadle", "treadle.toml")
# Wherever they are: git, shells, editors and coding agents run what these say.
EXECUTED_CONFIG = (
    *(".git", ".gitmodules", ".gitconfig"),
    *(".claude", ".mcp.json", ".vscode", ".idea"),
    *(".envrc", ".ripgreprc", ".bashrc", ".bash_profile", ".profile", ".zshrc"),
)

PROTECTED = (*OWN, *EXECUTED_CONFIG)
# At the top of a workspace a sandbox seals these even before they exist, the others once they do:
# their names would stand in the way of the project's own programs. Of git's directory it seals what
# matters; the rest an agent needs for its commits.
SEALED = (*OWN, ".claude", ".mcp.json")
SEALED_IF_THERE = tuple(name for name in EXECUTED_CONFIG if name not in (*SEALED, ".git"))

_GLOB = re.compile(r"[*?\[]")
_ANY_DEPTH = "**"


def protected_part(inside: PurePosixPath, also: Iterable[str] = ()) -> str | None:
    """The part of a path inside the project for which it is protected; None if it is not.

    `also` are further paths relative to the project, as `covers` reads them. Some disks do not tell
    upper from lower case, or pass over characters that nobody sees, so no spelling counts.
    """
    parts = inside.parts
    if (name := protected_name(parts)) is not None:
        return name
    folded = [_normalize(part) for part in parts]
    return next((path for path in also if _covers(path, folded)), None)


def protected_name(parts: Sequence[str]) -> str | None:
    """The step that is protected in every project, on the way from the top of one to a path."""
    folded = [_normalize(part) for part in parts]
    if folded and folded[0] in OWN:
        return parts[0]
    return next(
        (part for part, name in zip(parts, folded, strict=True) if name in EXECUTED_CONFIG), None
    )


def is_executed_config(part: str) -> bool:
    """Whether a part of a path is protected for what others do at its word."""
    return _normalize(part) in EXECUTED_CONFIG


def has_pattern(path: str) -> bool:
    return bool(_GLOB.search(path))


def covers(kept: str, inside: PurePosixPath) -> bool:
    """Whether a path is the one that is kept, or lies below it.

    In a pattern `*` is one part or some of it, `**` any number of parts; one without a slash fits
    at any depth. A path is also just what it says, whatever is in its name.
    """
    return _covers(kept, [_normalize(part) for part in inside.parts])


def lies_above(inside: PurePosixPath, kept: str) -> bool:
    """Whether what is kept would go with this directory; not told of patterns that fit anywhere."""
    parts = [_normalize(part) for part in inside.parts]
    wanted = [_normalize(part) for part in PurePosixPath(kept).parts]
    return len(parts) < len(wanted) and all(
        _ANY_DEPTH not in name and fnmatchcase(part, name)
        for part, name in zip(parts, wanted, strict=False)
    )


def is_protectable(path: str) -> bool:
    """Whether it is a path inside a project, or a pattern for some of them, and not for all."""
    parts = PurePosixPath(path).parts
    outside = path.startswith(("/", "~")) or ".." in parts or "\0" in path
    return not outside and any(part.strip("*") for part in parts)


def _covers(kept: str, folded: Sequence[str]) -> bool:
    wanted = [_normalize(part) for part in PurePosixPath(kept).parts]
    if not wanted:
        return False
    if list(folded[: len(wanted)]) == wanted:
        return True
    if not has_pattern(kept):
        return False
    return _matches_beginning([_ANY_DEPTH, *wanted] if len(wanted) == 1 else wanted, folded)


def _matches_beginning(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the pattern fits the path, or something on the way to it."""
    if not wanted:
        return True
    first, *rest = wanted
    if first == _ANY_DEPTH:
        return any(_matches_beginning(rest, parts[at:]) for at in range(len(parts)))
    return bool(parts) and fnmatchcase(parts[0], first) and _matches_beginning(rest, parts[1:])


def _normalize(part: str) -> str:
    if part.isascii():
        return part.casefold()
    seen = "".join(c for c in part if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold()
