"""Reads the URL of a git remote: where it is, in every form that git accepts. Pure."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

RemoteScheme: TypeAlias = Literal["https", "http", "ssh", "git"]

# `host:path`, as scp has it; a slash before the colon makes it a local path.
_SCP = re.compile(r"(?:[^@/:\s]+@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^@/:\s\[\]]+):(?!//|:)(?P<path>.+)")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEMES: dict[str, RemoteScheme] = {
    "https": "https",
    "http": "http",
    "ssh": "ssh",
    "git+ssh": "ssh",
    "ssh+git": "ssh",
    "git": "git",
}
_SEGMENT = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class RemoteAddress:
    """A remote on another host. The login that a URL may hold is left out."""

    scheme: RemoteScheme
    # In lower case, without a port.
    host: str
    port: int | None
    # Without slashes at its ends and without `.git`.
    path: str

    @property
    def web_host(self) -> str:
        """The host of its web pages: a port counts only if it is one of HTTP."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        if self.port is None or self.scheme not in ("https", "http"):
            return name
        return f"{name}:{self.port}"

    @property
    def owner_and_name(self) -> tuple[str, str] | None:
        """The two parts of a path as forges have them."""
        owner, slash, name = self.path.partition("/")
        valid = slash and all(
            _SEGMENT.fullmatch(part) and part.strip(".") for part in (owner, name)
        )
        return (owner, name) if valid else None


def parse_remote_url(url: str) -> RemoteAddress | None:
    """Where a remote is; None for a folder of this machine, or a form that is none of these."""
    url = url.strip()
    if "://" in url:
        return _parse_url(url)
    match = _SCP.fullmatch(url)
    if match is None or _DRIVE.match(url):
        return None
    return RemoteAddress("ssh", match["host"].strip("[]").lower(), None, _path(match["path"]))


def _parse_url(url: str) -> RemoteAddress | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = _SCHEMES.get(parts.scheme.lower())
    if scheme is None or not parts.hostname:
        return None
    return RemoteAddress(scheme, parts.hostname.lower(), port, _path(unquote(parts.path)))


def _path(path: str) -> str:
    return path.strip("/").removesuffix(".git").strip("/")


def without_login(url: str) -> str:
    """The URL as it may be shown: a name and a password before the host are cut out."""
    return re.sub(r"://[^/\s@]*(?:@[^/\s@]*)*@", "://", url)
