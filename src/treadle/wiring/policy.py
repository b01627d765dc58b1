"""Makes the context of the shell policy from the settings, and its lookups on this machine."""

import os
import re
import shutil
import stat
import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol

from treadle.adapters.shell.shfmt import Shfmt, find_shfmt
from treadle.domain.agent import PolicyDecision
from treadle.domain.errors import UsageError
from treadle.domain.shell import ParserOutput
from treadle.domain.signal import Role
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import FileType, ShellContext, SystemLookups
from treadle.policy.light.line_decision import decide_light_line
from treadle.policy.modes import ConfinementFacts, PolicyName
from treadle.policy.profiles import PROFILES
from treadle.policy.roles import ROLES
from treadle.settings.definitions import PolicySettings, Settings
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.verify.checks.spec_checks import spec_checks
from treadle.wiring.checked_request import CheckedRequest
from treadle.workspace.project_root import SETTINGS_FILE

# Not the caller's PATH, which may contain any directory.
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin"
# A run refuses a longer one.
MOST_SPECIFICATION = 4_000_000

# An empty part of a path, or `.` or `..`.
_SPECIAL_PART = re.compile(r"/\.{0,2}(?:/|$)")


class DecideInContext(Protocol):
    """Judges a line: the light or the strict policy."""

    def __call__(
        self, line: str, context: ShellContext, *, lookups: SystemLookups
    ) -> PolicyDecision: ...


EVERY_PROFILE = "default"
DESTRUCTIVE = "+destructive"


def system_lookups() -> SystemLookups:
    """Lookups on this machine; shfmt is found when the first line needs it."""
    return SystemLookups(
        real_path=_real_path,
        which=_which,
        what_is=_what_is,
        shfmt=_print_tree,
    )


def confinement_facts(checked: CheckedRequest) -> ConfinementFacts:
    """What confines the commands of a run."""
    return expected_confinement(checked.settings.sandbox, sandboxed=not checked.unconfined)


def expected_confinement(sandbox: SandboxSettings, *, sandboxed: bool) -> ConfinementFacts:
    """What would confine a run on this machine. A run with a sandbox that does not hold ends."""
    return ConfinementFacts(
        sandboxed=sandboxed,
        system="linux" if sys.platform.startswith("linux") else "other",
        network=sandbox.network,
        writable=sandbox.writable,
    )


def decider(name: PolicyName) -> DecideInContext:
    """The function that judges lines under this policy."""
    return decide_light_line if name == "light" else decide_line


def shell_context(
    root: Path, policy: PolicySettings, *, role: Role = "implementer", destructive: bool = False
) -> ShellContext:
    """What the settings of a project allow a role."""
    return ShellContext(
        root=os.fspath(root),
        profiles=policy.profiles,
        roles=ROLES[role].commands,
        allow_commands=policy.allow_commands,
        allow_pkill_targets=policy.allow_pkill_targets,
        destructive=destructive,
        ask_before=policy.ask_before,
    )


def user_command_lines(settings: Settings, specification: str) -> frozenset[str]:
    """The commands in the user's settings and specification."""
    project = settings.project
    checks = (check.command for check in spec_checks(specification))
    lines = {line.strip() for line in (project.setup, project.check, project.test, *checks)}
    return frozenset(lines - {""})


def find_user_command_lines(directory: Path, settings: Settings) -> frozenset[str]:
    """The same for a run in this directory; empty unless it is the root of a project with
    settings."""
    if not (directory / SETTINGS_FILE).is_file():
        return frozenset()
    try:
        with (directory / settings.project.spec).open(encoding="utf-8") as file:
            specification = file.read(MOST_SPECIFICATION)
    except (OSError, UnicodeDecodeError):  # a run reports this; here it means no checks
        specification = ""
    return user_command_lines(settings, specification)


def split_profile(profile: str) -> tuple[tuple[str, ...], bool]:
    """The profiles of a name such as `default+destructive`, and its flag."""
    name = profile.removesuffix(DESTRUCTIVE)
    if name == EVERY_PROFILE:
        return (), name != profile
    if name not in PROFILES:
        names = ", ".join((EVERY_PROFILE, *PROFILES))
        raise UsageError(f"there is no profile named {name!r}", hint=f"known: {names}")
    return (name,), name != profile


def _real_path(path: str) -> str:
    """As `os.path.realpath`, but twice as fast without links, because every line needs it."""
    if not path.startswith("/") or _SPECIAL_PART.search(path):
        return os.path.realpath(path)
    end = 0
    while end >= 0:
        end = path.find("/", end + 1)
        try:
            mode = os.lstat(path if end < 0 else path[:end]).st_mode
        except OSError:  # missing or unreadable, so no link follows
            return path
        if stat.S_ISLNK(mode):
            return os.path.realpath(path)
    return path


def _what_is(path: str) -> FileType:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # missing, unreadable, or not a path
        return ""
    return "directory" if stat.S_ISDIR(mode) else "file"


@lru_cache(maxsize=512)
def _which(name: str) -> str | None:
    return shutil.which(name, path=SEARCH_PATH)


@cache
def _cached_shfmt() -> Shfmt:
    return find_shfmt()


def _print_tree(line: str) -> ParserOutput:
    return _cached_shfmt()(line)
