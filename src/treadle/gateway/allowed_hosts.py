"""Decides which hosts the filtering proxy may reach, by the entries of `sandbox.hosts`. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from treadle.domain.errors import SettingsError

Address: TypeAlias = IPv4Address | IPv6Address
HostAndPort: TypeAlias = tuple[str, int]

HTTP_PORT = 80
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)
# Programs parse such names as addresses, each differently: 0x7f.1, 127.1, 2130706433.
_LIKE_AN_ADDRESS = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
_PORT = re.compile(r"[1-9][0-9]{0,4}", re.ASCII)
_LONGEST_NAME = 253

# The end of a host's name, and what downloads from there while packages are installed.
_DOWNLOADS: tuple[tuple[str, str], ...] = (
    ("cdn.playwright.dev", "Playwright downloads browsers from it"),
    ("playwright.download.prss.microsoft.com", "Playwright downloads browsers from it"),
    ("storage.googleapis.com", "Puppeteer and others download browsers from it"),
    ("download.cypress.io", "Cypress downloads its application from it"),
    ("cdn.cypress.io", "Cypress downloads its application from it"),
    ("binaries.prisma.sh", "Prisma downloads its engines from it"),
    ("nodejs.org", "node-gyp downloads headers of Node from it"),
    ("github.com", "git, Electron, sharp, uv and others download from it"),
    ("release-assets.githubusercontent.com", "files of GitHub releases are there"),
    ("objects.githubusercontent.com", "files of GitHub releases are there"),
    ("static.rust-lang.org", "rustup downloads toolchains from it"),
)


@dataclass(frozen=True, slots=True)
class HostEntry:
    """One host and port that may be reached."""

    # In lower case; an address in its usual form.
    host: str
    port: int
    # Set by the user: used instead of a DNS lookup, and it may be private.
    address: Address | None = None


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """What may be reached; `closed` has hosts that the user named and that are refused here, each
    with the reason."""

    entries: tuple[HostEntry, ...] = ()
    closed: Mapping[HostAndPort, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostRequest:
    """A host and port that a process asks the proxy for."""

    host: str
    port: int
    # The path of a plain HTTP request; None for a tunnel.
    target: str | None = None


@dataclass(frozen=True, slots=True)
class HostRefused:
    """The request is refused; the process gets the reason."""

    reason: str


def parse_entries(texts: Iterable[str]) -> tuple[HostEntry, ...]:
    """Parse the entries of `sandbox.hosts`; the first invalid one raises SettingsError."""
    return tuple(_parse_entry(text) for text in texts)


def parse_request_line(method: str, target: str) -> HostRequest | HostRefused:
    """Parse the first line of a request."""
    if method == "CONNECT":
        host_and_port = _parse_host_and_port(target, None)
        if host_and_port is None:
            return HostRefused("no host and port")
        return HostRequest(*host_and_port)
    scheme, separator, rest = target.partition("://")
    if not separator:
        return HostRefused("this is a proxy: the address must be whole")
    if scheme.lower() != "http":
        return HostRefused("only http:// is passed on; anything else needs CONNECT")
    end = re.search(r"[/?#]|\Z", rest)
    authority = rest[: end.start()] if end else rest
    host_and_port = _parse_host_and_port(authority, HTTP_PORT)
    if host_and_port is None:
        return HostRefused("no host and port")
    path = rest[len(authority) :].partition("#")[0]
    return HostRequest(*host_and_port, path if path.startswith("/") else f"/{path}")


def authority(request: HostRequest) -> str:
    """The host and port in the form of a `Host` header."""
    host = f"[{request.host}]" if ":" in request.host else request.host
    return f"{host}:{request.port}"


def find_entry(request: HostRequest, hosts: AllowedHosts) -> HostEntry | HostRefused:
    """The entry that allows a request."""
    for entry in hosts.entries:
        if (entry.host, entry.port) == (request.host, request.port):
            if request.target is None or request.port == HTTP_PORT or entry.address is not None:
                return entry
            return HostRefused(f"unencrypted requests may only go to port {HTTP_PORT}")
    if reason := hosts.closed.get((request.host, request.port)):
        return HostRefused(reason)
    download = _known_download(request.host)
    because = f" ({download})" if download else ""
    return HostRefused(f"{request.host}:{request.port} is not in sandbox.hosts{because}")


def _known_download(host: str) -> str:
    """What is downloaded from a host while packages are installed; empty if nothing is known."""
    return next((text for name, text in _DOWNLOADS if f".{host}".endswith(f".{name}")), "")


def check_addresses(
    entry: HostEntry, addresses: Sequence[Address]
) -> tuple[Address, ...] | HostRefused:
    """The addresses to connect to; one that is not public refuses them all."""
    if entry.address is not None:
        return (entry.address,)
    if not addresses:
        return HostRefused(f"{entry.host} is not known")
    if not all(is_public(each) for each in addresses):
        return HostRefused(f"{entry.host} is at an address that is not public")
    return tuple(addresses)


# Allocated as public, but a cloud provider serves its machines there.
_CLOUD_SERVICES = frozenset({IPv4Address("168.63.129.16")})
# Every allocated IPv6 address is in this range.
_ALLOCATED_V6 = IPv6Network("2000::/3")


def is_public(address: Address) -> bool:
    """Whether an address belongs to the Internet, not to this machine or its network."""
    if isinstance(address, IPv6Address):
        return _is_public_v6(address)
    return address.is_global and not address.is_multicast and address not in _CLOUD_SERVICES


def is_site_address(address: Address) -> bool:
    """Whether an address is public or of a local network, and neither this machine's own nor one
    that serves it."""
    if is_public(address):
        return True
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _nat64_address(address)
        if inner is not None:
            return False
    return not (
        address in _CLOUD_SERVICES
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
    )


def _is_public_v6(address: IPv6Address) -> bool:
    inner = address.sixtofour or _nat64_address(address)
    if inner is not None:
        return is_public(inner)
    return address in _ALLOCATED_V6 and address.is_global and address.teredo is None


def _nat64_address(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address in a NAT64 address."""
    if int(address) >> 32 == int(IPv6Address("64:ff9b::")) >> 32:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _parse_entry(text: str) -> HostEntry:
    name, equals, address_text = text.strip().partition("=")
    host_and_port = _parse_host_and_port(name, None)
    if host_and_port is None:
        raise _invalid_entry(text)
    host, port = host_and_port
    literal = _parse_address(host)
    if not equals:
        return HostEntry(host, port, literal)
    address = _parse_address(address_text)
    if address is None or literal is not None:
        raise _invalid_entry(text)
    return HostEntry(host, port, address)


def _invalid_entry(text: str) -> SettingsError:
    return SettingsError(
        f"sandbox.hosts has an entry that is not a host and port: {text[:100]!a}",
        hint='write each as "host:port", such as "example.com:443"; there are no wildcards',
    )


def _parse_host_and_port(text: str, default_port: int | None) -> tuple[str, int] | None:
    """None for any text that two programs could parse differently."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, "" if default_port is None else str(default_port)
    # Lower-casing turns some letters of other scripts into ASCII ones.
    if not text.isascii() or not _PORT.fullmatch(port) or int(port) > 0xFFFF:
        return None
    canonical = _canonical_host(host.lower())
    return None if canonical is None else (canonical, int(port))


def _canonical_host(host: str) -> str | None:
    if host.startswith("[") and host.endswith("]"):
        address = _parse_address(host[1:-1])
        return str(address) if isinstance(address, IPv6Address) else None
    if len(host) > _LONGEST_NAME or not _NAME.fullmatch(host):
        return None
    if _LIKE_AN_ADDRESS.fullmatch(host):
        address = _parse_address(host)
        return str(address) if isinstance(address, IPv4Address) else None
    return host


def _parse_address(text: str) -> Address | None:
    if "%" in text:
        return None  # a zone names an interface of this machine
    try:
        return ip_address(text)
    except ValueError:
        return None
