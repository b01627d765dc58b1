"""Builds the options that bubblewrap is started with. Pure."""

from collections.abc import Mapping
from typing import assert_never

from treadle.adapters.sandboxes.mounts import Mount, MountLayout
from treadle.adapters.sandboxes.system_paths import HOST_NAME, USER, USER_ID, BubblewrapOption
from treadle.domain.sandbox import Confinement, ResourceLimits

LAUNCHER = "/run/treadle/launch"
# A link to the interpreter, whose own path may be too long for the launcher's first line.
LAUNCHER_PYTHON = "/run/treadle/python"
PATH = "/usr/local/bin:/usr/bin:/bin"
MEGABYTE = 1 << 20
# Each is a file system in memory, with a limited size.
TEMPORARY_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108

# Defaults that fit the sandbox: sanitizers find leaks by tracing, which is refused, and no file can
# be linked from the home, where caches are, into the workspace.
VARIABLES = {
    "LSAN_OPTIONS": "detect_leaks=0",
    "UV_LINK_MODE": "copy",
}

# The probe fails without any of these, except where a comment says otherwise.
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
    # Restricts nothing: bubblewrap refuses to start if the option before had no effect.
    ("--assert-userns-disabled",),
    # Needed if root runs bubblewrap; for an ordinary user it drops them in any case.
    ("--cap-drop", "ALL"),
    ("--uid", str(USER_ID)),
    ("--gid", str(USER_ID)),
    ("--hostname", HOST_NAME),
)


def isolation_options(within: Confinement) -> list[BubblewrapOption]:
    """Namespaces and restrictions that do not depend on paths."""
    network = () if within.network == "open" else (("--unshare-net",),)
    return [*NAMESPACES, *network, *HARDENING]


def file_system_options(within: Confinement) -> list[BubblewrapOption]:
    """The process's own /proc, /dev and /tmp."""
    size = str((within.limits.memory_mb or ResourceLimits().memory_mb) * MEGABYTE)
    return [
        ("--proc", "/proc"),
        # If root runs bubblewrap, processes inside could otherwise write /proc/sys.
        ("--remount-ro", "/proc"),
        ("--dev", "/dev"),
        *(
            option
            for folder in TEMPORARY_FOLDERS
            for option in (("--perms", "1777"), ("--size", size), ("--tmpfs", folder))
        ),
        # /dev is in memory, and its size is not limited.
        ("--remount-ro", "/dev"),
        *(
            option
            for folder in within.barred
            for option in (("--tmpfs", folder), ("--remount-ro", folder))
        ),
    ]


def host_path_options(layout: MountLayout, within: Confinement) -> list[BubblewrapOption]:
    """The host's paths under their own names, links, and sockets under their names inside."""
    return [
        *(_mount_option(mount) for mount in layout.mounts),
        # Afterwards: what is mounted in an emptied directory needs a mount point there.
        *(("--remount-ro", str(mount.path)) for mount in layout.mounts if mount.access == "none"),
        *(("--symlink", str(target), str(link)) for link, target in within.links.items()),
        *(("--ro-bind", str(outside), inside) for inside, outside in within.sockets.items()),
    ]


def _mount_option(mount: Mount) -> BubblewrapOption:
    path = str(mount.path)
    match mount.access:
        case "write":
            return ("--bind", path, path)
        case "read":
            return ("--ro-bind", path, path)
        case "none":
            return ("--tmpfs", path)
        case _:
            assert_never(mount.access)


def file_options(descriptors: Mapping[str, int]) -> list[BubblewrapOption]:
    """Generated files, by their path inside."""
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
    """Only these variables; those that name directories and users have the sandbox's own values."""
    variables = {
        "PATH": PATH,
        **VARIABLES,
        **environment,
        "HOME": str(within.home),
        "TMPDIR": "/tmp",  # noqa: S108
        "USER": USER,
        "LOGNAME": USER,
    }
    return [
        ("--chdir", str(within.workspace)),
        # In case bubblewrap is ever started with variables of its own.
        ("--clearenv",),
        *(("--setenv", name, value) for name, value in variables.items()),
    ]
