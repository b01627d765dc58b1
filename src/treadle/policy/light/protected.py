"""Refuses commands that change protected paths. Pure."""

import re
from pathlib import PurePosixPath

from treadle.domain.agent import Deny
from treadle.policy.judging.paths import KEPT, OURS, ROOT, relative_parts
from treadle.policy.judging.secret_files import matches_any
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.light.paths import PathUse, git_words
from treadle.policy.light.tables import GIT_CONFIG_READS
from treadle.policy.protected_paths import (
    EXECUTED_CONFIG,
    OWN,
    lies_above,
    protected_name,
    protected_part,
)
from treadle.policy.shell.syntax import ShellCommand

_GLOB = re.compile(r"[*?\[]")
_ROOT_VARIABLE = re.compile(
    r"^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))(?=/|$)"
)
_WHOLE_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})/?(?:\*|\.\*|\.\?\*)?")
_HOME = "{path} is your whole home, which the session needs. Name what is inside it."
_GIT_SETTINGS = Deny(
    "Git's settings are kept as they are. For one command: git -c name=value COMMAND.",
    "protected-path",
)


def find_protected_path(use: PathUse, location: CommandLocation) -> Deny | None:
    """The refusal if a protected path would be changed."""
    if use.access not in ("write", "delete"):
        return None
    text = use.word.text
    if use.access == "delete" and _WHOLE_HOME.fullmatch(text):
        return Deny(_HOME.format(path=text), "protected-path")
    reason = _refusal(text, use, location)
    return Deny(reason.format(path=text or "An empty path"), "protected-path") if reason else None


def find_git_settings(command: ShellCommand, name: str) -> Deny | None:
    """The refusal if `git config` would write settings."""
    if name != "git":
        return None
    words = [word.text for word in git_words(command.arguments)]
    if words[:1] != ["config"] or any(GIT_CONFIG_READS.fullmatch(text) for text in words[1:]):
        return None
    operands = [text for text in words[1:] if not text.startswith("-")]
    writes = len(operands) > 1 or any(
        text.startswith(("--unset", "--add", "--replace", "--remove", "--rename", "--edit", "-e"))
        for text in words[1:]
    )
    return _GIT_SETTINGS if writes else None


def _refusal(text: str, use: PathUse, location: CommandLocation) -> str | None:
    text = _ROOT_VARIABLE.sub(location.root, text)
    if "$" in text or "`" in text:
        # The beginning is not known; the rest may still name a protected path.
        parts = [part for part in text.split("/")[1:] if "$" not in part]
        return OURS if any(_is_executed(part) for part in parts) else None
    for directory in (*location.directories, *location.left_behind):
        by_text = absolute(directory, text)
        for path in dict.fromkeys((by_text, location.lookups.real_path(by_text))):
            if reason := _check(path, use, location):
                return reason
    return None


def _check(path: str, use: PathUse, location: CommandLocation) -> str | None:
    deletes = use.access == "delete"
    parts = relative_parts(path, location.root)
    if parts is None:
        above = f"{location.root}/".startswith(f"{path.rstrip('/*')}/")
        return ROOT if deletes and above else None
    if not parts:
        return ROOT if deletes else None
    if use.word.expands and any(_GLOB.search(part) for part in parts):
        return _check_pattern(parts, location)
    if protected_name(parts) is not None:
        return OURS
    kept = location.context.protected
    inside = PurePosixPath(*parts)
    with_it = deletes and any(lies_above(inside, each) for each in kept)
    return KEPT if with_it or (kept and protected_part(inside, kept)) else None


def _check_pattern(parts: tuple[str, ...], location: CommandLocation) -> str | None:
    """Whether a pattern matches a protected path; `*` matches no name with a dot before it."""
    own = (*OWN, *(path.split("/")[0] for path in location.context.protected))
    for at, part in enumerate(parts):
        if not _GLOB.search(part):
            if _is_executed(part) or (at == 0 and part in OWN):
                return OURS
            continue
        listed = [name for name in EXECUTED_CONFIG if part[0] in ".["]
        if at == 0:
            listed += [name for name in own if name[0] != "." or part[0] in ".["]
        if matches_any(part, listed):
            return OURS
    return None


def _is_executed(part: str) -> bool:
    return part.casefold() in EXECUTED_CONFIG
