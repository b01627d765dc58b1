"""Attacks on a sandbox from inside; runs as a program that reads its targets as JSON.

Each attack does something that must not work. The program prints as JSON which ones succeeded.
"""

import ctypes
import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

# No sandbox shows any of these.
SYSTEM_SECRETS = (
    "/etc/shadow",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/machine-id",
    "/root/.bashrc",
)
CONTROL = ("/var/run/docker.sock", "/run/docker.sock", "/run/systemd/private", "/run/dbus")
DEVICES = ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/fuse", "/dev/kvm")
KERNEL = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches")
SPACES = {"user": 0x10000000, "mnt": 0x20000, "pid": 0x20000000, "net": 0x40000000}
FOREIGN_FAMILIES = {"packet": 17, "alg": 38, "vsock": 40, "xdp": 44}
TYPE_INTO_TERMINAL = 0x5412

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"


def attacks(attacked: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """By name; each returns whether it succeeded."""
    return {
        **{f"reading {path}": reading(path) for path in SYSTEM_SECRETS},
        "reading a key in the user's home": reading(attacked["key"]),
        "listing the user's home": listing(attacked["users_home"]),
        "reading by a link in the workspace": reading(attacked["link_to_key"]),
        "reading by a link made now": linking(attacked["key"]),
        "reading by the first process's root": reading("/proc/1/root" + attacked["key"]),
        "reading by our own root": reading("/proc/self/root" + attacked["key"]),
        "listing what lies beside the workspace": listing(str(Path(attacked["workspace"]).parent)),
        **{f"finding {path}": Path(path).exists for path in CONTROL},
        **{f"opening {path}": opening(path) for path in DEVICES},
        **{f"setting {path}": opening(path) for path in KERNEL},
        "making a device": lambda: ok(libc.mknod(b"/tmp/disk", 0o60600, 0x800)),
        **writing(attacked),
        **protected(attacked),
        **processes(attacked),
        **calls(),
        **network(attacked),
    }


def writing(attacked: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """The host checks again whether any file changed."""
    return {
        # It may succeed in a private /tmp, so the host checks the result.
        "writing by a link in the workspace": lambda: (
            wrote(attacked["link_out"] + "/secret") and False
        ),
        "writing over a readable file": lambda: wrote(attacked["readable"]),
        "writing a program of the system": lambda: wrote("/usr/bin/planted"),
        "writing in /etc": lambda: wrote("/etc/planted"),
        "writing the launcher": lambda: wrote("/run/treadle/launch"),
        "leaving a program that runs as its owner": lambda: lent(attacked["workspace"] + "/lent"),
        "making a program that runs as its owner": lambda: made(attacked["workspace"] + "/made"),
        "putting another launcher in its place": lambda: moved("/run/treadle", "/run/other"),
    }


def protected(attacked: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """Paths that must stay as they are, there or not."""
    work = attacked["workspace"]
    by_process = f"/proc/self/cwd/{attacked['absent']}"
    return {
        "writing git's configuration": lambda: wrote(f"{work}/.git/config"),
        "planting a git hook": lambda: wrote(f"{work}/.git/hooks/pre-commit"),
        "borrowing objects from elsewhere": lambda: wrote(f"{work}/.git/objects/info/alternates"),
        "moving git's directory away": lambda: moved(f"{work}/.git", f"{work}/.gone"),
        "removing git's configuration": lambda: ok(libc.unlink(f"{work}/.git/config".encode())),
        "making an absent protected file": lambda: wrote(f"{work}/{attacked['absent']}"),
        "making it by way of /proc": lambda: wrote(by_process),
        "making it in a new directory": lambda: replaced(work, Path(attacked["absent"])),
        "linking over it": lambda: ok(
            libc.symlink(b"/tmp/x", f"{work}/{attacked['absent']}".encode())
        ),
        "moving a protected directory away": lambda: moved(f"{work}/kept", f"{work}/gone"),
        "planting a start file for shells": lambda: wrote(attacked["home"] + "/.bashrc"),
        "planting settings for git": lambda: wrote(attacked["home"] + "/.gitconfig"),
    }


def processes(attacked: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """Other processes, and what was left in the first one."""
    return {
        "seeing a process of the host": lambda: attacked["mark"] in all_command_lines(),
        "ending a process of the host": lambda: signalled(attacked["host_process"]),
        "reading variables of the caller": lambda: "PLANTED" in first_variables(),
        "keeping descriptors of the caller": lambda: bool(foreign_descriptors()),
        "tracing itself": lambda: ok(libc.ptrace(0, 0, 0, 0)),
        "tracing the first process": lambda: ok(libc.ptrace(16, 1, 0, 0)),
        "reading another process's memory": lambda: ok(
            libc.syscall(310 if X86 else 270, 1, None, 0, None, 0, 0)
        ),
        "gaining rights by a program of root's": lambda: b"root" in output_of(["su", "-c", "id"]),
    }


def calls() -> dict[str, Callable[[], bool]]:
    """System calls that a sandbox has no use for."""
    unshared = {f"making a {name} namespace": unsharing(bit) for name, bit in SPACES.items()}
    clone, mount, chroot = (56, 165, 161) if X86 else (220, 40, 51)
    return {
        **unshared,
        "making one with clone": lambda: cloned(clone),
        "making one with clone3": lambda: errno_of(435, None, 0) != errno.ENOSYS,
        "entering a namespace": lambda: ok(libc.setns(os.open("/proc/self/ns/uts", 0), 0)),
        "mounting": lambda: errno_of(mount, b"x", b"/tmp", b"tmpfs", 0, None) != errno.EPERM,
        "changing the root": lambda: ok(libc.syscall(chroot, b"/tmp")),
        "using io_uring": lambda: errno_of(425, 1, None) != errno.EPERM,
        "writing by kernel AIO": lambda: errno_of(206 if X86 else 0, 1, None) != errno.EPERM,
        "loading a kernel program": lambda: (
            errno_of(321 if X86 else 280, 0, None, 0) != errno.EPERM
        ),
        "using kernel keys": lambda: errno_of(250 if X86 else 219, 0, -3, 1) != errno.EPERM,
        "opening files by their number": lambda: (
            errno_of(304 if X86 else 265, -1, None, 0) != errno.EPERM
        ),
        "typing into a terminal": typing,
        **{f"a socket of family {name}": opened(f) for name, f in FOREIGN_FAMILIES.items()},
    }


def network(attacked: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """Addresses of the machine and beyond; connecting a datagram socket sends nothing."""
    return {
        "a service on loopback": lambda: connected(socket.AF_INET, ("127.0.0.1", attacked["port"])),
        "an abstract socket": lambda: connected(socket.AF_UNIX, "\0" + attacked["abstract"]),
        "a socket beside the workspace": lambda: connected(socket.AF_UNIX, attacked["socket"]),
        "the metadata address": lambda: routed("169.254.169.254"),
        "a name server": lambda: routed("192.0.2.53"),
        "an address of the sixth version": lambda: routed("2001:db8::1"),
        "resolving a name": lambda: bool(socket.getaddrinfo("example.com", 443)),
    }


def reading(path: str) -> Callable[[], bool]:
    return lambda: bool(Path(path).read_bytes())


def listing(path: str) -> Callable[[], bool]:
    """Whether there is more than the way to the workspace."""
    return lambda: "secret" in os.listdir(path)  # noqa: PTH208


def opening(path: str) -> Callable[[], bool]:
    def opens() -> bool:
        os.close(os.open(path, os.O_WRONLY))
        return True

    return opens


def linking(target: str) -> Callable[[], bool]:
    def links() -> bool:
        Path("link-made-now").symlink_to(target)
        return bool(Path("link-made-now").read_bytes())

    return links


def wrote(path: str) -> bool:
    with Path(path).open("a") as file:
        file.write("planted")
    return True


def lent(path: str) -> bool:
    Path(path).touch()
    Path(path).chmod(0o4755)
    return True


def made(path: str) -> bool:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o4755))
    return True


def moved(path: str, to: str) -> bool:
    Path(path).rename(to)
    return True


def replaced(work: str, absent: Path) -> bool:
    """Replaces the directory above the file by another one that contains the file."""
    top = absent.parts[0]
    Path(work, "mine", *absent.parts[1:-1]).mkdir(parents=True, exist_ok=True)
    Path(work, "mine", *absent.parts[1:]).write_text("planted")
    moved(f"{work}/{top}", f"{work}/theirs")
    return moved(f"{work}/mine", f"{work}/{top}")


def all_command_lines() -> str:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
            lines.append(path.read_text())
    return " ".join(lines)


def first_variables() -> str:
    return Path("/proc/1/environ").read_text()


def foreign_descriptors() -> list[str]:
    """Files that are neither the three usual ones nor something of a single process."""
    links = [*Path("/proc/self/fd").iterdir(), *Path("/proc/1/fd").iterdir()]
    seen = {str(link.readlink()) for link in links if int(link.name) > 2 and link.is_symlink()}
    return [name for name in seen if name.startswith(("/var", "/memfd", "/home", "/root"))]


def signalled(process: int) -> bool:
    os.kill(process, 0)
    return bool(Path(f"/proc/{process}/cmdline").read_bytes())


def output_of(command: list[str]) -> bytes:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False
    ).stdout


def ok(answer: int) -> bool:
    return answer >= 0


def errno_of(*call: Any) -> int:
    ctypes.set_errno(0)
    libc.syscall(*call)
    return ctypes.get_errno()


def cloned(number: int) -> bool:
    """A child in a user namespace of its own; it ends at once."""
    child: int = libc.syscall(number, SPACES["user"] | 17, None, None, None, None)
    if child == 0:
        os._exit(0)
    return child > 0


def typing() -> bool:
    _, end = os.openpty()
    fcntl.ioctl(end, TYPE_INTO_TERMINAL, struct.pack("c", b"x"))
    return True


def unsharing(bit: int) -> Callable[[], bool]:
    return lambda: ok(libc.unshare(bit))


def opened(family: int) -> Callable[[], bool]:
    def opens() -> bool:
        socket.socket(family, socket.SOCK_STREAM if family == 40 else socket.SOCK_RAW).close()
        return True

    return opens


def connected(family: int, address: Any) -> bool:
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)
    return True


def routed(address: str) -> bool:
    with socket.socket(
        socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM
    ) as s:
        s.connect((address, 53))
    return True


def got_through(attack: Callable[[], bool]) -> bool:
    try:
        return attack()
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    tried = attacks(json.load(sys.stdin))
    sys.stdout.write(json.dumps({name: got_through(attack) for name, attack in tried.items()}))
