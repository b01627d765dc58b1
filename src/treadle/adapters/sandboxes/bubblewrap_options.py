"""Builds the options that bubblewrap is started with. Pure."""

from collections.abc import Mapping
from pathlib import Path

from treadle.adapters.sandboxes.mounts import MountLayout
from treadle.adapters.sandboxes.system_paths import HOST_NAME, USER, USER_ID, BubblewrapOption
from treadle.domain.sandbox import Confinement

LAUNCHER = "/run/treadle/launch"
# A link to the interpreter, whose own path may be too long for the launcher's first line.
LAUNCHER_PYTHON = "/run/treadle/python"
PATH = "/usr/local/bin:/usr/bin:/bin"
MEGABYTE = 1 << 20
# The sandbox's own, each of a bounded size.
TEMPORARY_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108

# Each is needed: the probe fails without it, but for what is said beside it.
NAMESPACES: tuple[BubblewrapOption, ...] = (
    ("--unshare-user",),
    ("--unshare-pid",),
    ("--unshare-ipc",),
    ("--unshare-uts",),
    ("--unshare-cgroup-try",),
)
HARDENING: tuple[BubblewrapOption, ...] = (
    ("--die-with-parent",),
    ("--new-session",),
    ("--disable-userns",),
    # Not a wall of its own: bubblewrap refuses to start if the one before did not take.
    ("--assert-userns-disabled",),
    # Run by an ordinary user, bubblewrap drops them in any case; run by root, it does not.
    ("--cap-drop", "ALL"),
    ("--uid", str(USER_ID)),
    ("--gid", str(USER_ID)),
    ("--hostname", HOST_NAME),
)


def isolation_options(within: Confinement) -> list[BubblewrapOption]:
    """What is taken away whatever is mounted."""
    network = () if within.network == "open" else (("--unshare-net",),)
    return [*NAMESPACES, *network, *HARDENING]


def file_system_options(within: Confinement) -> list[BubblewrapOption]:
    """The process's own /proc, /dev and /tmp."""
    size = str(within.limits.memory_mb * MEGABYTE)
    return [
        ("--proc", "/proc"),
        # Run by root, it would let everyone inside write the kernel's settings under /proc/sys.
        ("--remount-ro", "/proc"),
        ("--dev", "/dev"),
        *(
            option
            for place in TEMPORARY_FOLDERS
            for option in (("--perms", "1777"), ("--size", size), ("--tmpfs", place))
        ),
        # It lies in memory, and has no size of its own.
        ("--remount-ro", "/dev"),
        *(
            option
            for place in within.barred
            for option in (("--tmpfs", place), ("--remount-ro", place))
        ),
    ]


def host_path_options(layout: MountLayout, sockets: Mapping[str, Path]) -> list[BubblewrapOption]:
    """The host's paths, each under its own name, and sockets under the name they are known by."""
    return [
        *(
            ("--bind" if mount.access == "write" else "--ro-bind", str(mount.path), str(mount.path))
            for mount in layout.mounts
        ),
        *(("--ro-bind", str(outside), inside) for inside, outside in sockets.items()),
    ]


def file_options(descriptors: Mapping[str, int]) -> list[BubblewrapOption]:
    """Small files of ours, by where they lie inside."""
    return [
        option
        for path, descriptor in descriptors.items()
        for option in (
            ("--perms", "0555" if path == LAUNCHER else "0444"),
            ("--ro-bind-data", str(descriptor), path),
        )
    ]


def environment_options(
    environment: Mapping[str, str], within: Confinement
) -> list[BubblewrapOption]:
    """Just these variables; those that name places and people are the sandbox's own."""
    inside = {
        "PATH": PATH,
        **environment,
        "HOME": str(within.home),
        "TMPDIR": "/tmp",  # noqa: S108
        "USER": USER,
        "LOGNAME": USER,
    }
    return [
        ("--chdir", str(within.workspace)),
        # Bubblewrap has no variable to pass on; this holds even if somebody should give it some.
        ("--clearenv",),
        *(("--setenv", name, value) for name, value in inside.items()),
    ]
