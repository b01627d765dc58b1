"""Parses and compares the addresses of package indexes. Pure."""

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """An address without its login, and the login."""

    url: str
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> str | None:
        """The header for the login; None if there is none. A user name alone may be a token."""
        if not self.username and not self.password:
            return None
        return basic_authorization(self.username, self.password)


def parse_address(text: str) -> IndexAddress | None:
    """The parts of an address of HTTP or HTTPS; None for any other text."""
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host:
        return None
    # The tools write the address as it is into lock files, so only the login is cut off.
    authority = parts.netloc.rpartition("@")[2]
    return IndexAddress(
        urlunsplit((parts.scheme, authority, parts.path, "", "")),
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def with_password(address: IndexAddress, password: str) -> str:
    """The address with its user name and a password."""
    scheme, _, rest = address.url.partition("://")
    return f"{scheme}://{quote(address.username, safe='')}:{quote(password, safe='')}@{rest}"


def without_login(text: str) -> str:
    """The address without its login; empty if the text is not an address."""
    address = parse_address(text)
    return address.url if address else ""


def basic_authorization(username: str, password: str) -> str:
    """The header that sends a user name and a password."""
    return "Basic " + b64encode(f"{username}:{password}".encode()).decode()


def is_below(url: str, prefix: str) -> bool:
    """Whether an address is another one or below its path, on the same host and port.

    Without a scheme, `prefix` stands for both schemes. An address with `..` is below none.
    """
    inner, outer = urlsplit(url), urlsplit(prefix)
    try:
        if _origin(inner, inner.scheme) != _origin(outer, outer.scheme or inner.scheme):
            return False
    except ValueError:
        # One of them has no valid port.
        return False
    if ".." in unquote(inner.path).split("/"):
        return False
    return f"{inner.path.rstrip('/')}/".startswith(f"{outer.path.rstrip('/')}/")


def is_same(url: str, other: str) -> bool:
    """Whether two addresses differ in a slash at their end at most. Without a scheme, `other`
    stands for both schemes."""
    path, outer = urlsplit(url).path, urlsplit(other).path
    return is_below(url, other) and path.rstrip("/") == outer.rstrip("/")


def _origin(parts: SplitResult, scheme: str) -> tuple[str, str | None, int | None]:
    return scheme, parts.hostname, parts.port or _PORTS.get(scheme)
