"""Explains the errors of bubblewrap and says what a person can do about each."""

import re
from dataclasses import dataclass

from treadle.domain.sandbox import SandboxFailed

INSTALL = (
    "install it: `apt install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), "
    "`pacman -S bubblewrap` (Arch), `apk add bubblewrap` (Alpine), `zypper in bubblewrap` (SUSE)"
)
OLDEST_VERSION = (0, 8, 0)

APPARMOR = (
    "Ubuntu allows this only to programs with an AppArmor profile: install the package "
    "`apparmor-profiles` and run `sudo ln -s "
    "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ "
    "&& sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`, "
    "or allow it to all with `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
)
NAMESPACES = (
    "allow user namespaces: `sudo sysctl user.max_user_namespaces=15000` (old Debian also "
    "kernel.unprivileged_userns_clone=1); in a container, the container must be allowed them"
)
CONTAINER = (
    "a container hides parts of /proc: start it with `--security-opt systempaths=unconfined "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined`, or run outside it"
)


@dataclass(frozen=True, slots=True)
class BubblewrapRemedy:
    """A pattern for an error message of bubblewrap, what it means, and what to do about it."""

    pattern: str
    message: str
    hint: str


REMEDIES = (
    BubblewrapRemedy(
        r"setting up uid map: Permission denied|loopback: Failed (RTM_NEWADDR|to create)",
        "the system does not let bubblewrap create a user namespace",
        APPARMOR,
    ),
    BubblewrapRemedy(
        r"No permissions to create(?: a)? new namespace|Creating new namespace failed"
        r"|kernel does not support|unshare user ns|setting up uid map",
        "the system does not allow user namespaces",
        NAMESPACES,
    ),
    BubblewrapRemedy(
        r"Can't mount proc|Can't mount tmpfs|Failed to make / slave|pivot_root",
        "bubblewrap is not allowed to mount what the sandbox needs",
        CONTAINER,
    ),
    BubblewrapRemedy(
        r"(?i)unknown option",
        "bubblewrap is too old: it lacks an option that the sandbox needs",
        f"version {'.'.join(map(str, OLDEST_VERSION))} or newer is needed; " + INSTALL,
    ),
    BubblewrapRemedy(
        r"execvp (?P<what>.+?): No such file",
        "the sandbox has no {what}",
        "if it is outside the system directories, add its directory to sandbox.readable",
    ),
    BubblewrapRemedy(
        r"Can't find source path (?P<what>.+?): ",
        "{what} cannot be shown in the sandbox: it does not exist, or you may not read it",
        "correct sandbox.readable and sandbox.writable",
    ),
)


def not_installed() -> SandboxFailed:
    """Bubblewrap is missing."""
    return SandboxFailed("bubblewrap is not installed; the sandbox needs it", INSTALL)


def too_old(version: tuple[int, ...]) -> SandboxFailed:
    """Bubblewrap exists, but lacks options that the sandbox needs."""
    found = ".".join(map(str, version)) or "of an unknown version"
    needed = ".".join(map(str, OLDEST_VERSION))
    return SandboxFailed(f"bubblewrap {found} is too old: {needed} or newer is needed", INSTALL)


def no_group(error: OSError) -> SandboxFailed:
    """The control group that limits a sandbox could be made before, and now it cannot."""
    return SandboxFailed(
        f"the sandbox's control group cannot be made: {error.filename}: {error.strerror}",
        hint="run `treadle doctor`, and resume the run",
    )


def explain_error(error_output: str) -> SandboxFailed:
    """Explains the first known error among the lines that bubblewrap itself wrote."""
    lines = [line for line in error_output.splitlines() if line.startswith("bwrap: ")]
    for line in lines:
        for remedy in REMEDIES:
            if match := re.search(remedy.pattern, line):
                return SandboxFailed(remedy.message.format(**match.groupdict()), remedy.hint)
    text = lines[0].removeprefix("bwrap: ") if lines else "there was no output"
    return SandboxFailed(f"the sandbox was not set up: {text}", hint="run `treadle doctor`")


def parse_version(text: str) -> tuple[int, ...]:
    """The version in the output of `bwrap --version`; empty if there is none."""
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return tuple(map(int, match.groups())) if match else ()
