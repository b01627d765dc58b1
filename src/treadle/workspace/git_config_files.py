"""Files of the project that the user's git settings make git run or read. Pure, but for a look
whether a file exists, which is passed in.

An agent that changes one of them would have its text run at the user's next git command.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from pathlib import Path, PurePosixPath

# Settings whose value is a command line, or holds one.
_COMMANDS = re.compile(
    r"filter\..+\.(?:clean|smudge|process)|diff\.external|diff\..+\.(?:textconv|command)"
    r"|merge\..+\.driver|hook\..+\.command|alias\..+|pager\..+|credential\.(?:.+\.)?helper"
    r"|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)"
    r"|sequence\.editor|gpg\.(?:.+\.)?program|gpg\.ssh\.defaultkeycommand|interactive\.difffilter"
    r"|(?:difftool|mergetool|browser|man|guitool)\..+\.(?:cmd|path)|trailer\..+\.(?:cmd|command)"
    r"|remote\..+\.(?:uploadpack|receivepack|proxy)|uploadpack\.packobjectshook"
    r"|sendemail\.(?:.+\.)?(?:smtpserver|tocmd|cccmd|headercmd)|tar\..+\.command|web\.browser",
    re.DOTALL,
)
# Settings whose value is a file or folder that git reads or runs, also if it does not exist yet.
_HOOKS_PATH = "core.hookspath"
_PATHS = (
    _HOOKS_PATH,
    "core.attributesfile",
    "core.excludesfile",
    "include.path",
    "init.templatedir",
)
_INCLUDES = re.compile(r"includeif\..+\.path", re.DOTALL)
_WORD = re.compile(r"[^\s\"'`;|&()<>$={}\\]+")
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_MODULE = re.compile(r"-m\s*([\w.]+)")
_MOST_WORDS = 200
_MOST_PAIRED = 20


def find_config_files(
    listing: str, root: Path, git_dir: Path, is_file: Callable[[Path], bool]
) -> tuple[str, ...]:
    """Parse `git config --null --list --show-origin`; paths relative to the project's root."""
    found: dict[str, None] = {}
    for origin, key, value in _entries(listing):
        found.update(dict.fromkeys(_paths_of(origin, key, value, root, is_file)))
    inside = (os.path.relpath(git_dir, root), ".git")
    return tuple(path for path in found if not any(_is_below(path, folder) for folder in inside))


def command_settings(listing: str) -> Iterator[tuple[str, str]]:
    """The settings whose value is a command line, or holds one."""
    for _, key, value in _entries(listing):
        if _COMMANDS.fullmatch(key) and (value.startswith("!") or not key.startswith("alias.")):
            yield key, value


def hooks_folders(listing: str, root: Path) -> tuple[Path, ...]:
    """The folders that `core.hooksPath` names, in the project or outside."""
    values = (value for _, key, value in _entries(listing) if key == _HOOKS_PATH and value)
    return tuple(root / os.path.expanduser(value) for value in values)  # noqa: PTH111  never raises


def _entries(listing: str) -> Iterator[tuple[str, str, str]]:
    fields = listing.split("\0")
    for origin, entry in zip(fields[0::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        yield origin, key, value


def _paths_of(
    origin: str, key: str, value: str, root: Path, is_file: Callable[[Path], bool]
) -> Iterator[str]:
    if origin.startswith("file:"):
        yield from _inside(origin.removeprefix("file:"), root)
    if key in _PATHS or _INCLUDES.fullmatch(key):
        yield from _inside(value, root)
        # An include is relative to the file that asks for it.
        folder = os.path.dirname(origin.removeprefix("file:"))  # noqa: PTH120  may be relative
        yield from _inside(os.path.join(folder, value), root)  # noqa: PTH118
    elif _COMMANDS.fullmatch(key) and (value.startswith("!") or not key.startswith("alias.")):
        for path in _files_in(value):
            for inside in _inside(path, root):
                if is_file(root / inside):
                    yield inside


def _files_in(command: str) -> Iterable[str]:
    """Words of a command that may be files, also in a folder that another word names, and those of
    a Python module that it starts."""
    words = [word.removeprefix("!") for word in _WORD.findall(command)[:_MOST_WORDS]]
    # A plain first word is a program of the PATH.
    yield from (words if "/" in "".join(words[:1]) else words[1:])
    # Behind a variable or `$(git rev-parse --show-toplevel)`, a path begins with a slash.
    yield from (word.lstrip("/") for word in words if word.startswith("/"))
    yield from (quoted for pair in _QUOTED.findall(command) for quoted in pair if quoted)
    yield from (f"{folder}/{name}" for folder, name in permutations(words[:_MOST_PAIRED], 2))
    for module in _MODULE.findall(command):
        path = module.replace(".", "/")
        yield from (f"{path}.py", f"{path}/__main__.py", f"{path}/__init__.py")


def _inside(path: str, root: Path) -> Iterator[str]:
    """The path relative to the project, if it lies in it."""
    if not path or path.startswith("~"):
        return
    relative = os.path.relpath(os.path.normpath(root / path), root)
    if relative != "." and PurePosixPath(relative).parts[0] != "..":
        yield relative


def _is_below(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)
