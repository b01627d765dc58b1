"""Decides by the first bytes of a tunnel whether it leads to the host that was allowed. Pure.

One address serves many hosts, and the name that a program sends decides which one answers.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeAlias, assert_never

from treadle.gateway.allowed_hosts import HostRefused
from treadle.gateway.client_hello import (
    HANDSHAKE,
    ClientHello,
    HelloUnfinished,
    HelloUnreadable,
    read_client_hello,
)

MAX_LINE = 64 * 1024
# Servers skip empty lines before a request.
_EMPTY_LINES = b"\r\n"
# What may still become the first line of a request: a word, then more.
_LINE_START = re.compile(rb"[!-~]{0,64}\Z|[!-~]{1,64} [^\n]*\Z")
# Also one without a version, which servers answer for any host.
_REQUEST_LINE = re.compile(rb"[^\n]*\bHTTP/[0-9]|[!-~]+ +/", re.I)


@dataclass(frozen=True, slots=True)
class OpeningUnfinished:
    """More bytes are needed to decide."""


@dataclass(frozen=True, slots=True)
class PassedOpening:
    """The tunnel is passed on as it is: TLS to the right host, or another protocol."""


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """A request without encryption: its `Host` has to be set."""


Opening: TypeAlias = OpeningUnfinished | PassedOpening | PlainRequest | HostRefused


def judge_opening(data: bytes, host: str) -> Opening:
    """The decision about a tunnel to this host that begins with these bytes."""
    if not data:
        return OpeningUnfinished()
    if data[0] == HANDSHAKE:
        return _judge_hello(data, host)
    line, newline, _ = data.lstrip(_EMPTY_LINES).partition(b"\n")
    if newline:
        return PlainRequest() if _REQUEST_LINE.match(line) else PassedOpening()
    if not _LINE_START.match(line):
        return PassedOpening()
    if len(data) > MAX_LINE:
        return HostRefused(f"the first line to {host} does not end")
    return OpeningUnfinished()


def _judge_hello(data: bytes, host: str) -> Opening:
    match read_client_hello(data):
        case HelloUnfinished():
            return OpeningUnfinished()
        case HelloUnreadable():
            return HostRefused(f"the TLS connection to {host} cannot be read")
        case ClientHello(has_encrypted_part=True):
            return HostRefused(f"the TLS connection to {host} hides a name (ECH)")
        case ClientHello(server_name=None):
            if _is_address(host):
                return PassedOpening()  # TLS has no names for addresses
            return HostRefused(f"the TLS connection to {host} names no server (SNI)")
        case ClientHello(server_name=name):
            if name == host:
                return PassedOpening()
            return HostRefused(f"the TLS connection to {host} names another server (SNI)")
        case other:
            assert_never(other)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
