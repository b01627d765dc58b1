"""Builds the profile of the macOS sandbox. Pure. The last rule that matches applies."""

from collections.abc import Iterable
from pathlib import Path

from treadle.domain.sandbox import Confinement

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/System", "/opt/homebrew", "/opt/local", "/dev"),
    *("/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/Library/Java"),
    *("/Applications/Xcode.app", "/private/etc/ssl", "/private/etc/localtime"),
    *("/private/etc/hosts", "/private/etc/services", "/private/etc/protocols"),
    *("/private/var/db/timezone", "/private/var/select", "/private/var/db/dyld"),
)
# Services that programs on macOS need to start, to look up users and to start worker processes.
# Not com.apple.FSEvents: it reports names of files that must not be read. File watchers use kqueue
# where it is missing.
SERVICES = (
    "com.apple.PowerManagement.control",
    "com.apple.logd",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
)
# The system marks a terminal with this for the process that opened it: the user's own terminals
# lack it.
TERMINALS = '(regex #"^/dev/ttys[0-9]+")'
OWN_TERMINALS = f'(require-all {TERMINALS} (extension "com.apple.sandbox.pty"))'
GIT_PROTECTED = (".git/config", ".git/hooks", ".git/objects/info/alternates")
TERMINAL_MASTER = "/dev/ptmx"
DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper")


def make_profile(within: Confinement, python: Path) -> str:
    """Allows only what it names; protected paths come after the paths that contain them. `python`:
    the prefix of the interpreter that the probe runs."""
    writable = (within.workspace, within.home, *within.writable)
    if within.workspace_access == "read":
        writable = writable[1:]
    protected = [within.workspace / path for path in within.protected]
    protected += [within.workspace / name for name in GIT_PROTECTED]
    reached = dict.fromkeys((within.workspace, *writable))
    shown = (*within.readable, *within.links)
    readable: tuple[str | Path, ...] = (*SYSTEM, python, *shown, *reached)
    pinned = _folders_above(protected, writable)
    # What the sandbox is to show in such a directory is shown by no later rule.
    hidden = [
        path
        for path in within.emptied
        if not any(path in (o, *o.parents) for o in (*shown, *reached))
    ]
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-exec process-fork)",
        "(allow signal process-info* (target same-sandbox))",
        "(allow sysctl-read)",
        "(allow ipc-posix-shm ipc-posix-sem)",
        "(allow pseudo-tty)",
        f"(allow mach-lookup {_clauses('global-name', SERVICES)})",
        "(allow file-read-metadata)",
        f"(allow file-read* {_clauses('subpath', readable)})",
        *([f"(deny file-read* {_clauses('subpath', hidden)})"] if hidden else []),
        f"(allow file-write* {_clauses('subpath', writable)} {_clauses('literal', DEVICES)})",
        f"(deny file-read-data {TERMINALS})",
        f"(allow file-ioctl {_clauses('literal', (*DEVICES, TERMINAL_MASTER))} {OWN_TERMINALS})",
        f'(allow file-read* file-write* (literal "{TERMINAL_MASTER}") {OWN_TERMINALS})',
        # For the file that gets another name, so no file from elsewhere gets one in here.
        f"(allow file-link file-clone {_clauses('subpath', writable)})",
        # They cannot be created, written, removed, moved with the directory that holds them, or
        # written by another name.
        f"(deny file-write* file-link {_clauses('subpath', protected)} "
        f"{_clauses('literal', pinned)})",
        *_own_sockets((within.workspace, within.home)),
        *_network(within),
    ]
    return "\n".join(lines) + "\n"


def _own_sockets(folders: tuple[Path, ...]) -> list[str]:
    """Unix sockets of servers that the project starts."""
    own = [f"unix-socket {_clauses('subpath', (folder,))}" for folder in folders]
    return [
        "(allow system-socket (socket-domain AF_UNIX))",
        *(f"(allow network-bind network-inbound (local {socket}))" for socket in own),
        *(f"(allow network-outbound (remote {socket}))" for socket in own),
    ]


def _network(within: Confinement) -> list[str]:
    if within.network == "open":
        return ["(allow network*)", '(allow file-read* (literal "/private/etc/resolv.conf"))']
    sockets = list(within.sockets.values())
    if not sockets:
        return []
    # Loopback stays closed, because the sandbox shares it with the machine.
    return [f"(allow network-outbound {_clauses('literal', sockets)})"]


def _folders_above(protected: Iterable[Path], writable: Iterable[Path]) -> list[Path]:
    """Directories between a protected path and the writable one: they must not be renamed."""
    roots = tuple(writable)
    return list(
        dict.fromkeys(
            above
            for path in protected
            for above in reversed(path.parents)
            if any(root in above.parents for root in roots)
        )
    )


def _clauses(kind: str, values: Iterable[str | Path]) -> str:
    return " ".join(f"({kind} {_quote(str(value))})" for value in values)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
