"""What no agent writes, by whatever road: Treadle's own state, and what others would obey."""

import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

# At the top of the project. An agent hands text over by tools instead.
OWN = (".treadle", "treadle.toml")
# Wherever they are: git, shells, editors and coding agents run what these say.
OBEYED = (
    *(".git", ".gitmodules", ".gitconfig"),
    *(".claude", ".mcp.json", ".vscode", ".idea"),
    *(".envrc", ".ripgreprc", ".bashrc", ".bash_profile", ".profile", ".zshrc"),
)

PROTECTED = (*OWN, *OBEYED)
# At the top of a workspace a sandbox seals these even before they exist, the others once they do:
# their names would stand in the way of the project's own programs. Of git's directory it seals what
# matters; the rest an agent needs for its commits.
SEALED = (*OWN, ".claude", ".mcp.json")
SEALED_IF_THERE = tuple(name for name in OBEYED if name not in (*SEALED, ".git"))


def protected_part(inside: PurePosixPath, also: Iterable[str] = ()) -> str | None:
    """The part of a path inside the project for which it is protected; None if it is not.

    `also` are further paths relative to the project. Some disks do not tell upper from lower case,
    or pass over characters that nobody sees, so no spelling counts.
    """
    folded = [_spelled(part) for part in inside.parts]
    if folded and folded[0] in OWN:
        return inside.parts[0]
    for part, name in zip(inside.parts, folded, strict=True):
        if name in OBEYED:
            return part
    for path in also:
        wanted = [_spelled(part) for part in PurePosixPath(path).parts]
        if wanted and folded[: len(wanted)] == wanted:
            return path
    return None


def _spelled(part: str) -> str:
    if part.isascii():
        return part.casefold()
    seen = "".join(c for c in part if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold()
