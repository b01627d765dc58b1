"""Decides whether a command may touch a path, by its text and its links. Pure."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from treadle.policy.judging.braces import expand_braces
from treadle.policy.judging.secret_files import SAMPLES, holds_secrets
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.protected_paths import PROTECTED, lies_above, protected_name, protected_part
from treadle.policy.shell.syntax import Word

# look: only whether and what it is. read: its contents. run: its contents are code or settings.
# enter: programs start in it and may write there. write: made or changed.
# delete: gone afterwards.
Access = Literal["look", "read", "run", "enter", "write", "delete"]

TEMPORARY = ("/tmp", "/private/tmp")  # noqa: S108 - the sandbox has one of its own
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/opt", "/nix/store")
STREAMS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"})

# Sources of packages, which tools keep in the home.
_CACHES = re.compile(
    r"~/(?:\.cargo/registry|\.rustup/toolchains|\.m2/repository|\.gradle/caches|go/pkg/mod)(?:/|$)"
)
_GLOB = re.compile(r"[*?\[]")
_WRITES = ("write", "delete")

OUTSIDE = "{path} is outside the project. Use paths inside it; /tmp is there for scratch files."
UNKNOWN = "what {path} becomes is known only at run time. Write the path out."
PATTERN = "{path} is a pattern, and what it would change is not known. Name each path."
OURS = "{path} is protected. Report on work with the mcp__treadle__* tools; leave it as it is."
KEPT = (
    "{path} is kept as it is by the user's settings. Make the work fit it; if that cannot be, "
    "say in your notes what should change."
)
KEPT_APART = (
    "{path} may hold secrets. Read an example such as .env.example, or the code that uses it."
)
FOREIGN = "{path} is outside the project, and code and settings are taken from inside it alone."
ADDRESS = "{path} is an address, not a path. Use what is in the project."
ROOT = "{path} is the whole project. Name what is inside it."


def path_refusal(word: Word, access: Access, location: CommandLocation) -> str | None:
    """Why this path must not be touched in this way; None if it may."""
    texts = _texts(word, access)
    if isinstance(texts, str):
        return texts.format(path=word.text)
    directories = location.directories
    if access in _WRITES:
        directories = (*directories, *location.left_behind)
    for text in texts:
        for directory in directories:
            reason = _check_path(text, directory, access, location, globs=word.expands)
            if reason is not None:
                return reason.format(path=text or "An empty path")
    return None


def _texts(word: Word, access: Access) -> tuple[str, ...] | str:
    """All that the word may become, or why that is not known."""
    if word.variables or word.substitutes:
        return () if word.stream and access in ("read", "look") else UNKNOWN
    if "://" in word.text:
        return ADDRESS
    if not word.expands:
        return (word.text,)
    if word.text.startswith("~"):
        read = access in ("read", "look") and _CACHES.match(word.text)
        return () if read and ".." not in word.text.split("/") else OUTSIDE
    texts = expand_braces(word.text)
    if texts is None or (access == "delete" and not all(map(_exact, texts))):
        return PATTERN
    if access == "write" and any(re.search(r"[{}~]", text) for text in texts):
        return PATTERN
    return texts


def has_pattern(text: str) -> bool:
    return bool(_GLOB.search(text))


def _exact(text: str) -> bool:
    """Whether bash makes just this of it, its lists in braces already spelled out."""
    return not has_pattern(text) and not re.search(r"[{}~]", text)


def _check_path(
    text: str, directory: str, access: Access, location: CommandLocation, *, globs: bool
) -> str | None:
    if not text:
        return UNKNOWN
    pattern = ""
    if globs and (found := _GLOB.search(text)):
        cut = text.rfind("/", 0, found.start()) + 1
        text, pattern = text[:cut] or ".", text[cut:]
        if ".." in pattern.split("/"):
            return PATTERN
    if text in STREAMS:
        return None if access in ("read", "write", "look") else OUTSIDE
    # A path that leads there by `..` or a link does not count as scratch.
    scratch = text.startswith("/") or relative_parts(directory, location.root) is None
    by_text = absolute(directory, text)
    # As the system follows it: `..` after a link is where the link leads.
    by_links = location.lookups.real_path(text if text.startswith("/") else f"{directory}/{text}")
    for path in dict.fromkeys((by_text, by_links)):
        reason = _check_location(path, access, location, pattern)
        if reason is OUTSIDE and scratch and _is_scratch(path, access):
            reason = None
        if reason is not None:
            return reason
    return None


def _may_match_protected(parts: tuple[str, ...], pattern: str) -> bool:
    """Whether a protected name may be among what bash puts in the pattern's place."""
    for step in pattern.split("/"):
        for name in PROTECTED:
            seen = name[0] != "." or step[:1] in (".", "[")
            if seen and fnmatchcase(name, step.casefold()) and protected_name((*parts, name)):
                return True
        parts = (*parts, step)
    return False


def _is_scratch(path: str, access: Access) -> bool:
    return access in ("write", "read", "look") and lies_in(path, TEMPORARY)


def _check_location(
    path: str, access: Access, location: CommandLocation, pattern: str
) -> str | None:
    inside = relative_parts(path, location.root)
    if inside is None:
        inside = relative_parts(path, location.context.root)
    if inside is not None:
        return _inside(inside, access, pattern) or _kept(inside, access, location)
    if access in ("read", "look") and lies_in(path, SYSTEM):
        return None
    return FOREIGN if access in ("run", "enter") else OUTSIDE


def _inside(parts: tuple[str, ...], access: Access, pattern: str) -> str | None:
    if access in _WRITES:
        if pattern and _may_match_protected(parts, pattern):
            return PATTERN
        if not parts:
            return ROOT if access == "delete" else None
        if protected_name(parts) is not None:
            return OURS
    if access == "enter" and parts and protected_name(parts) is not None:
        return OURS
    if access in ("read", "run", "enter") and (holds_secrets(parts) or _may_match_secret(pattern)):
        return KEPT_APART
    return None


def _kept(parts: tuple[str, ...], access: Access, location: CommandLocation) -> str | None:
    """Protected paths of the settings may be entered and run, as tests are, but not changed."""
    kept = location.context.protected
    if not kept or access not in _WRITES or not parts:
        return None
    inside = PurePosixPath(*parts)
    with_it = access == "delete" and any(lies_above(inside, path) for path in kept)
    return KEPT if with_it or protected_part(inside, kept) else None


def relative_parts(path: str, directory: str) -> tuple[str, ...] | None:
    """The steps from a directory down to a path, or None if it is not inside.

    Case is ignored, as some file systems do.
    """
    folded, above = path.casefold(), directory.casefold().rstrip("/")
    if folded != above and not folded.startswith(f"{above}/"):
        return None
    parts = [part for part in path.split("/") if part]
    return tuple(parts[above.count("/") :])


def lies_in(path: str, directories: tuple[str, ...]) -> bool:
    """Whether it is one of these directories, or in one, whatever the case of its letters."""
    return f"{path.casefold()}/".startswith(_beginnings(directories))


@lru_cache(maxsize=64)
def _beginnings(directories: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{at.casefold().rstrip('/')}/" for at in directories)


def _may_match_secret(pattern: str) -> bool:
    last = pattern.rsplit("/", 1)[-1]
    # Bash's `*` does not match a leading dot unless that is written out.
    return last.startswith((".", "[")) and any(fnmatchcase(name, last) for name in SAMPLES)
