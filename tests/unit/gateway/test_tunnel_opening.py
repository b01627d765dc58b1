"""Which tunnels lead to the host that was allowed, by their first bytes."""

import pytest

from tests.unit.gateway.hellos import client_hello, in_pieces, name_extension, with_extension
from treadle.gateway.allowed_hosts import HostRefused
from treadle.gateway.client_hello import ClientHello, HelloUnreadable, read_client_hello
from treadle.gateway.tunnel_opening import (
    Opening,
    OpeningUnfinished,
    PassedOpening,
    PlainRequest,
    judge_opening,
)

HOST = "listed.example"
HELLO = client_hello(HOST)
OTHER = HostRefused(f"the TLS connection to {HOST} names another server (SNI)")
UNREADABLE = HostRefused(f"the TLS connection to {HOST} cannot be read")


@pytest.mark.parametrize(
    ("data", "opening"),
    [
        (HELLO, PassedOpening()),
        (client_hello("LISTED.example"), PassedOpening()),
        (in_pieces(HELLO, 7), PassedOpening()),
        (client_hello("evil.example"), OTHER),
        (client_hello("evil.listed.example"), OTHER),
        (client_hello("listed.example.evil"), OTHER),
        (in_pieces(client_hello("evil.example"), 3), OTHER),
        (
            client_hello(None),
            HostRefused(f"the TLS connection to {HOST} names no server (SNI)"),
        ),
        # Encrypted Client Hello, and what browsers send in its place.
        (
            with_extension(HELLO, 0xFE0D, b"x" * 100),
            HostRefused(f"the TLS connection to {HOST} hides a name (ECH)"),
        ),
        # Two names, in one extension or in two.
        (with_extension(HELLO, 0, name_extension(b"evil.example")), UNREADABLE),
        (
            with_extension(
                client_hello(None), 0, b"\x00\x22" + 2 * (b"\x00\x00\x0e" + HOST.encode())
            ),
            UNREADABLE,
        ),
        (with_extension(HELLO, 0, b"\xff\xff"), UNREADABLE),
        (b"\x16\x03\x01\x00\x00", UNREADABLE),
        (b"\x16\x02\x01\x00\x05hello", UNREADABLE),
        # A message that announces megabytes.
        (b"\x16\x03\x01\x00\x04\x01\xff\xff\xff", UNREADABLE),
    ],
)
def test_tls_must_name_the_host_and_no_other(data: bytes, opening: Opening) -> None:
    assert judge_opening(data, HOST) == opening


def test_tls_to_an_address_names_no_server() -> None:
    assert judge_opening(client_hello(None), "10.0.0.5") == PassedOpening()
    assert judge_opening(client_hello(None), "2001:db8::1") == PassedOpening()
    assert judge_opening(client_hello("evil.example"), "10.0.0.5") == HostRefused(
        "the TLS connection to 10.0.0.5 names another server (SNI)"
    )


@pytest.mark.parametrize(
    ("data", "opening"),
    [
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", PlainRequest()),
        (b"\r\n\n\r\nGET / HTTP/1.1\r\n", PlainRequest()),
        (b"BREW / http/1.1\r\n", PlainRequest()),
        (b"PRI * HTTP/2.0\r\n", PlainRequest()),
        (b"GET /old\r\n", PlainRequest()),
        (b"GET http://evil.example/ HTTP/1.1\r\n", PlainRequest()),
        (b"SSH-2.0-OpenSSH\r\n", PassedOpening()),
        (b"EHLO me\r\n", PassedOpening()),
        (b"\x00\x00\x00\x08\x04\xd2\x16\x2f", PassedOpening()),
        (b"*1\r\n$4\r\nPING\r\n", PassedOpening()),
        (b"GET /" + b"x" * 70_000, HostRefused(f"the first line to {HOST} does not end")),
    ],
)
def test_a_request_in_the_clear_is_told_from_other_protocols(data: bytes, opening: Opening) -> None:
    assert judge_opening(data, HOST) == opening


@pytest.mark.parametrize("data", [HELLO, b"\r\nGET / HTTP/1.1\r\n"])
def test_nothing_is_decided_before_enough_is_there(data: bytes) -> None:
    decided = [judge_opening(data[:size], HOST) for size in range(len(data))]

    assert decided == [OpeningUnfinished()] * len(data)


def test_no_bytes_break_the_reader() -> None:
    """Every single changed byte gives an answer; none gives another name than the two there."""
    names = set()
    for at in range(len(HELLO)):
        for value in (0, 1, 0x7F, 0xFF):
            found = read_client_hello(HELLO[:at] + bytes([value]) + HELLO[at + 1 :])
            if isinstance(found, ClientHello) and not found.has_encrypted_part:
                names.add(found.server_name)
    assert HOST in names
    assert read_client_hello(b"\x16\x03\x01\x00\x05\x02\x00\x00\x01x") == HelloUnreadable()
