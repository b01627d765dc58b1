"""Lists the system's own paths that a sandboxed process may see."""

from collections.abc import Callable, Mapping

from treadle.domain.sandbox import Network

BubblewrapOption = tuple[str, ...]

# Programs and libraries. On most systems all but the first are links into it.
TOP_LEVEL = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Named one by one: keys, passwords and indexes with credentials in their addresses lie beside them.
CONFIGURATION = (
    *("/etc/alternatives", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/fonts"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/pki/tls/certs"),
    *("/etc/pki/ca-trust/extracted/pem", "/etc/protocols", "/etc/services", "/etc/ssl/cert.pem"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone", "/etc/chromium.d"),
)
# Where the system's own programs lie on some systems.
STORES = ("/nix/store", "/gnu/store")
# Only where the network is the machine's own.
NAME_SERVICE = ("/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf")

USER = "agent"
USER_ID = 1000
HOST_NAME = "sandbox"


def system_options(
    network: Network, link_to: Callable[[str], str | None], copied: Mapping[str, int]
) -> list[BubblewrapOption]:
    """The system's paths: copies of the files that are open in `copied`, mounts of the others.
    `link_to` tells where a link leads, None if it is no link.

    They come before every path that was asked for: a copy must never go through such a mount.
    """
    asked = (*CONFIGURATION, *STORES, *(NAME_SERVICE if network == "open" else ()))
    return [
        # Made first: the directory of a file that is mounted would be made for its owner alone.
        ("--perms", "0755"),
        ("--dir", "/etc"),
        ("--ro-bind", "/usr", "/usr"),
        *(_top_level_option(path, link_to(path)) for path in TOP_LEVEL),
        *(("--ro-bind-try", path, path) for path in asked if path not in copied),
        *(
            option
            for path, descriptor in copied.items()
            for option in (("--perms", "0444"), ("--file", str(descriptor), path))
        ),
    ]


def account_files(home: str, network: Network) -> dict[str, str]:
    """Files of /etc that are written anew, since the real ones tell of the machine."""
    files = {
        "/etc/passwd": f"{USER}:x:{USER_ID}:{USER_ID}::{home}:/bin/sh\n",
        "/etc/group": f"{USER}:x:{USER_ID}:\n",
    }
    if network != "open":
        files["/etc/hosts"] = f"127.0.0.1 localhost {HOST_NAME}\n::1 localhost {HOST_NAME}\n"
    return files


def _top_level_option(path: str, target: str | None) -> BubblewrapOption:
    if target is None:
        return ("--ro-bind-try", path, path)
    return ("--symlink", target, path)
