"""Which hosts a process in a sandbox may reach: decided by tables, and never by half."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.errors import SettingsError
from treadle.gateway.allowed_hosts import (
    AllowedHosts,
    HostEntry,
    HostRefused,
    HostRequest,
    check_addresses,
    find_entry,
    parse_entries,
    parse_request_line,
)

NO_HOST = HostRefused("no host and port")


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("example.com:443", HostEntry("example.com", 443)),
        (" Example.COM:80 ", HostEntry("example.com", 80)),
        ("xn--bcher-kva.example:443", HostEntry("xn--bcher-kva.example", 443)),
        ("localhost:5000", HostEntry("localhost", 5000)),
        ("127.0.0.1:4873", HostEntry("127.0.0.1", 4873, ip_address("127.0.0.1"))),
        ("[::1]:80", HostEntry("::1", 80, ip_address("::1"))),
        ("[0:0::1]:80", HostEntry("::1", 80, ip_address("::1"))),
        ("index.corp:443=10.0.0.5", HostEntry("index.corp", 443, ip_address("10.0.0.5"))),
        ("index.corp:443=fd00::5", HostEntry("index.corp", 443, ip_address("fd00::5"))),
    ],
)
def test_an_entry_is_a_host_and_a_port(text: str, entry: HostEntry) -> None:
    assert parse_entries([text]) == (entry,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "example.com:",
        "example.com:0",
        "example.com:65536",
        "example.com:0443",
        "example.com:+443",
        "example.com:443/path",
        "https://example.com:443",
        "*.example.com:443",
        "*:443",
        "example.com.:443",
        ".example.com:443",
        "bücher.example:443",
        "\u212a.example:443",  # a letter of another script, which is this one in lower case
        "user@example.com:443",
        "exa mple.com:443",
        "example.com\x00.evil:443",
        "under_score.example:443",
        "-example.com:443",
        "0x7f.1:80",
        "127.1:80",
        "2130706433:80",
        "127.0.0.01:80",
        "::1:80",
        "[127.0.0.1]:80",
        "[fe80::1%eth0]:80",
        "127.0.0.1:80=127.0.0.1",
        "index.corp:443=",
        "index.corp:443=other.corp",
        f"{'a' * 64}.example:443",
        f"{'a.' * 127}example:443",
    ],
)
def test_what_is_no_host_and_port_is_for_a_person_to_put_right(text: str) -> None:
    with pytest.raises(
        SettingsError, match=r"sandbox\.hosts has an entry that is not a host and port"
    ):
        parse_entries(["example.com:443", text])


@pytest.mark.parametrize(
    ("method", "target", "found"),
    [
        ("CONNECT", "example.com:443", HostRequest("example.com", 443)),
        ("CONNECT", "EXAMPLE.com:443", HostRequest("example.com", 443)),
        ("CONNECT", "[::1]:443", HostRequest("::1", 443)),
        ("CONNECT", "[0:0:0:0:0:0:0:1]:443", HostRequest("::1", 443)),
        ("CONNECT", "example.com", NO_HOST),
        ("CONNECT", "example.com:443:443", NO_HOST),
        ("CONNECT", "example.com.:443", NO_HOST),
        ("CONNECT", "user:pass@example.com:443", NO_HOST),
        ("CONNECT", "example.com%00.evil:443", NO_HOST),
        ("CONNECT", "example.com\x00:443", NO_HOST),
        ("CONNECT", "0x7f000001:80", NO_HOST),
        ("CONNECT", "0x7f.0.0.1:80", NO_HOST),
        ("CONNECT", "0177.0.0.1:80", NO_HOST),
        ("CONNECT", "127.1:80", NO_HOST),
        ("CONNECT", "2130706433:80", NO_HOST),
        ("CONNECT", "1.2.3.4.5:80", NO_HOST),
        ("CONNECT", "169.254.169.254:80", HostRequest("169.254.169.254", 80)),
        ("CONNECT", "http://example.com:443", NO_HOST),
        ("GET", "http://example.com/a?b#c", HostRequest("example.com", 80, "/a?b")),
        ("GET", "HTTP://example.com", HostRequest("example.com", 80, "/")),
        ("GET", "http://example.com?b", HostRequest("example.com", 80, "/?b")),
        ("POST", "http://example.com:8080/", HostRequest("example.com", 8080, "/")),
        ("GET", "http://[::1]/", HostRequest("::1", 80, "/")),
        ("GET", "http://example.com@evil.example/", NO_HOST),
        ("GET", "http://evil.example\\@example.com/", NO_HOST),
        ("GET", "http:///path", NO_HOST),
        (
            "GET",
            "https://example.com/",
            HostRefused("only http:// is passed on; anything else needs CONNECT"),
        ),
        (
            "GET",
            "ftp://example.com/",
            HostRefused("only http:// is passed on; anything else needs CONNECT"),
        ),
        ("GET", "/v1/messages", HostRefused("this is a proxy: the address must be whole")),
        ("OPTIONS", "*", HostRefused("this is a proxy: the address must be whole")),
    ],
)
def test_what_a_request_asks_for_can_be_read_in_one_way_alone(
    method: str, target: str, found: HostRequest | HostRefused
) -> None:
    assert parse_request_line(method, target) == found


LISTED = parse_entries(["example.com:443", "example.com:80", "odd.example:8080", "127.0.0.1:4873"])


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (HostRequest("example.com", 443), LISTED[0]),
        (HostRequest("example.com", 80), LISTED[1]),
        (HostRequest("example.com", 80, "/"), LISTED[1]),
        (HostRequest("odd.example", 8080), LISTED[2]),
        (
            HostRequest("odd.example", 8080, "/"),
            HostRefused("unencrypted requests may only go to port 80"),
        ),
        (HostRequest("127.0.0.1", 4873, "/"), LISTED[3]),
        (HostRequest("example.com", 22), HostRefused("example.com:22 is not in sandbox.hosts")),
        (
            HostRequest("a.example.com", 443),
            HostRefused("a.example.com:443 is not in sandbox.hosts"),
        ),
        (HostRequest("com", 443), HostRefused("com:443 is not in sandbox.hosts")),
        (HostRequest("127.0.0.1", 80), HostRefused("127.0.0.1:80 is not in sandbox.hosts")),
    ],
)
def test_only_what_is_listed_goes_out(asked: HostRequest, answer: HostEntry | HostRefused) -> None:
    assert find_entry(asked, AllowedHosts(LISTED)) == answer


def test_an_empty_list_lets_nothing_out() -> None:
    refused = HostRefused("example.com:443 is not in sandbox.hosts")

    assert find_entry(HostRequest("example.com", 443), AllowedHosts()) == refused


BY_NAME = HostEntry("example.com", 443)
NOT_PUBLIC = HostRefused("example.com is at an address that is not public")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",  # noqa: S104  # nobody binds it here
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:93.184.216.34",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001::1",
        "2001:db8::1",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
    ],
)
def test_a_name_at_an_address_that_is_not_public_is_not_reached(address: str) -> None:
    assert check_addresses(BY_NAME, [ip_address(address)]) == NOT_PUBLIC
    # Not even when it is at a public one besides.
    assert (
        check_addresses(BY_NAME, [ip_address("93.184.216.34"), ip_address(address)]) == NOT_PUBLIC
    )


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "2002:5db8:d822::1"]
)
def test_a_name_at_a_public_address_is_reached_there(address: str) -> None:
    assert check_addresses(BY_NAME, [ip_address(address)]) == (ip_address(address),)


def test_an_address_that_the_user_wrote_is_reached_whatever_it_is() -> None:
    pinned = HostEntry("index.corp", 443, ip_address("10.0.0.5"))

    assert check_addresses(pinned, ()) == (ip_address("10.0.0.5"),)
    # A name that says so has no such right.
    assert check_addresses(HostEntry("localhost", 80), [ip_address("127.0.0.1")]) == HostRefused(
        "localhost is at an address that is not public"
    )


def test_an_unknown_name_is_reported() -> None:
    assert check_addresses(BY_NAME, ()) == HostRefused("example.com is not known")


@given(st.text(), st.sampled_from(["CONNECT", "GET"]))
def test_whatever_is_asked_for_is_understood_or_refused(text: str, method: str) -> None:
    for target in (text, f"http://{text}", f"{text}:443"):
        asked = parse_request_line(method, target)
        if isinstance(asked, HostRequest):
            assert asked.host == asked.host.lower()
            assert set(asked.host) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.:")
