"""Lists the system's own paths that a sandboxed process may see."""

from collections.abc import Callable, Mapping

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
)
# The system's programs on NixOS and Guix.
STORES = ("/nix/store", "/gnu/store")
# Shown only if the network is the machine's own.
NAME_SERVICE = ("/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf")

USER = "agent"
USER_ID = 1000
HOST_NAME = "sandbox"


def system_options(
    network: Network, link_to: Callable[[str], str | None], copied: Mapping[str, int]
) -> list[BubblewrapOption]:
    """The system's paths: copies of the files that are open in `copied`, mounts of the others.
    `link_to` returns the target of a link, None if the path is not a link.

    They come before the host's paths: a copy must never be written through such a mount.
    """
    paths = (*CONFIGURATION, *STORES, *(NAME_SERVICE if network == "open" else ()))
    return [
        # Otherwise bubblewrap creates /etc for a mounted file, readable by its owner only.
        ("--perms", "0755"),
        ("--dir", "/etc"),
        ("--ro-bind", "/usr", "/usr"),
        *(_top_level_option(path, link_to(path)) for path in TOP_LEVEL),
        *(("--ro-bind-try", path, path) for path in paths if path not in copied),
        *(
            option
            for path, descriptor in copied.items()
            for option in (("--perms", "0444"), ("--file", str(descriptor), path))
        ),
    ]


def account_files(home: str, network: Network) -> dict[str, str]:
    """Files of /etc with new content, because the real ones describe the machine."""
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
