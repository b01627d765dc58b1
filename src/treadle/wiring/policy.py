"""The shell policy with what it must look up, and the context that settings and options give it."""

import os
import shutil
import stat
from functools import cache, lru_cache
from pathlib import Path

from treadle.adapters.shell.shfmt import Shfmt, find_shfmt
from treadle.domain.errors import UsageError
from treadle.domain.shell import Printed
from treadle.domain.signal import Role
from treadle.policy.judging.place import Found, Looks, ShellContext
from treadle.policy.profiles import PROFILES
from treadle.policy.roles import ROLES
from treadle.settings.guarding import Policy

# Where programs of the system are: not the caller's PATH, which may lead anywhere.
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin"

EVERY_PROFILE = "default"
DESTRUCTIVE = "+destructive"


def shell_looks() -> Looks:
    """Looks at this machine's disk; shfmt is found at the first line that needs it."""
    return Looks(
        real_path=os.path.realpath,
        which=_which,
        what_is=_what_is,
        shfmt=_print_tree,
    )


def shell_context(
    root: Path, policy: Policy, *, role: Role = "implementer", destructive: bool = False
) -> ShellContext:
    """What a role may do by the settings of a project."""
    return ShellContext(
        root=os.fspath(root),
        profiles=policy.profiles,
        roles=ROLES[role].commands,
        allow_commands=policy.allow_commands,
        allow_pkill_targets=policy.allow_pkill_targets,
        destructive=destructive,
        ask_before=policy.ask_before,
    )


def split_profile(given: str) -> tuple[tuple[str, ...], bool]:
    """The profiles that a name such as `default+destructive` stands for, and its flag."""
    name = given.removesuffix(DESTRUCTIVE)
    if name == EVERY_PROFILE:
        return (), name != given
    if name not in PROFILES:
        known = ", ".join((EVERY_PROFILE, *PROFILES))
        raise UsageError(f"there is no profile named {name!r}", hint=f"known are: {known}")
    return (name,), name != given


def _what_is(path: str) -> Found:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # not there, not for us to see, or no path at all
        return ""
    return "directory" if stat.S_ISDIR(mode) else "file"


@lru_cache(maxsize=512)
def _which(name: str) -> str | None:
    return shutil.which(name, path=SEARCH_PATH)


@cache
def _found_shfmt() -> Shfmt:
    return find_shfmt()


def _print_tree(line: str) -> Printed:
    return _found_shfmt()(line)
