"""Lists the system's own paths that a sandboxed process may see."""

from collections.abc import Callable, Iterable, Mapping

from treadle.domain.sandbox import Network

BubblewrapOption = tuple[str, ...]

# Programs and libraries besides /usr. On most systems they are links into it.
TOP_LEVEL = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Listed one by one, because /etc also holds keys, passwords and addresses with credentials.
CONFIGURATION = (
    *("/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/fonts"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/pki/tls/certs"),
    *("/etc/pki/ca-trust/extracted/pem", "/etc/protocols", "/etc/services", "/etc/ssl/cert.pem"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone", "/etc/chromium.d"),
    *("/etc/pki/tls/openssl.cnf", "/etc/crypto-policies", "/etc/debian_version"),
    *("/etc/lsb-release", "/etc/locale.alias", "/etc/magic", "/etc/magic.mime"),
    *("/etc/manpath.config", "/etc/shells", "/etc/xattr.conf", "/etc/xml"),
    # Languages whose installation below /usr leads here. The other files of Java, Maven and PHP may
    # hold passwords.
    *(
        f"/etc/java-{version}-openjdk/{part}"
        for version in (8, 11, 17, 21, 25)
        for part in (
            *("jvm-amd64.cfg", "jvm-arm64.cfg", "jvm-aarch64.cfg", "security", "jfr"),
            *("logging.properties", "management/management.properties"),
        )
    ),
    *("/etc/maven/m2.conf", "/etc/maven/logging", "/etc/perl", "/etc/R", "/etc/dotnet"),
    *("/etc/texmf", "/etc/php.ini", "/etc/php.d"),
    *(
        f"/etc/php/{version}/{part}"
        for version in ("7.4", "8.0", "8.1", "8.2", "8.3", "8.4", "8.5")
        for part in ("cli", "mods-available")
    ),
)
# Data of installed packages outside /usr, and what the processor is like.
DATA = (
    *("/var/cache/fontconfig", "/var/lib/gems", "/var/lib/texmf"),
    "/sys/devices/system/cpu",
)
# Where Debian's servers put their sockets and locks unless they are told otherwise. The targets are
# relative, so that a path of the host can be mounted below `/var/run`.
RUNTIME_LINKS = {
    "/var/run": "../run",
    "/var/lock": "../tmp",
    "/run/lock": "../tmp",
    "/run/mysqld": "../tmp",
    "/run/postgresql": "../tmp",
}
# Files of /proc about the whole machine that name keys, processes and timers of others. Root's
# programs could read them inside, too; they are empty there.
HIDDEN_PROC_FILES = (
    *("/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/latency_stats"),
    "/proc/sched_debug",
)
# The system's programs on NixOS and Guix.
STORES = ("/nix/store", "/gnu/store")
# Shown only if the network is the machine's own.
NAME_SERVICE = ("/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf")

# Directories that hold the paths above.
PARENTS = ("/etc", "/run", "/sys", "/var")

USER = "agent"
USER_ID = 1000
# Who owns the files of all other users, root included, as the kernel shows it.
UNMAPPED_ID = 65534
HOST_NAME = "sandbox"


def system_options(
    network: Network, link_to: Callable[[str], str | None], copied: Mapping[str, int]
) -> list[BubblewrapOption]:
    """The system's paths: copies of the files that are open in `copied`, mounts of the others.
    `link_to` returns the target of a link, None if the path is not a link.

    They come before the host's paths: a copy must never be written through such a mount.
    """
    paths = (*CONFIGURATION, *DATA, *STORES, *(NAME_SERVICE if network == "open" else ()))
    return [
        # Otherwise bubblewrap creates them for a mounted file or a link, for their owner only.
        *(option for path in PARENTS for option in (("--perms", "0755"), ("--dir", path))),
        ("--ro-bind", "/usr", "/usr"),
        *(_top_level_option(path, link_to(path)) for path in TOP_LEVEL),
        *(("--ro-bind-try", path, path) for path in paths if path not in copied),
        *(
            option
            for path, descriptor in copied.items()
            for option in (("--perms", "0444"), ("--file", str(descriptor), path))
        ),
    ]


def runtime_link_options(mounted: Iterable[str]) -> list[BubblewrapOption]:
    """The links of `RUNTIME_LINKS`, except where a path of the host is `mounted`."""
    taken = set(mounted)
    return [
        ("--symlink", target, path) for path, target in RUNTIME_LINKS.items() if path not in taken
    ]


def account_files(home: str, network: Network) -> dict[str, str]:
    """Files of /etc with new content, because the real ones describe the machine."""
    files = {
        "/etc/passwd": (
            f"root:x:0:0::/root:/bin/sh\n{USER}:x:{USER_ID}:{USER_ID}::{home}:/bin/sh\n"
            f"nobody:x:{UNMAPPED_ID}:{UNMAPPED_ID}::/nonexistent:/bin/false\n"
        ),
        "/etc/group": f"root:x:0:\n{USER}:x:{USER_ID}:\nnogroup:x:{UNMAPPED_ID}:\n",
    }
    if network != "open":
        files["/etc/hosts"] = f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost {HOST_NAME}\n"
    return files


def _top_level_option(path: str, target: str | None) -> BubblewrapOption:
    if target is None:
        return ("--ro-bind-try", path, path)
    return ("--symlink", target, path)
