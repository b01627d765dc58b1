"""The addresses that the client of package indexes connects to."""

from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

import pytest

from tests.unit.gateway.indexes.registry import nowhere
from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import Address, is_site_address
from treadle.gateway.indexes.certificates import authority_files, trusted_certificates
from treadle.gateway.indexes.index_client import IndexClient, IndexUnreachable
from treadle.gateway.indexes.index_routes import IndexRoute, Origin

INDEX = PackageIndex("python", "https://index.example/simple")


async def addresses(index: str, files: str) -> list[str]:
    """The addresses of a host that an index links to."""

    async def resolve(host: str, port: int) -> Sequence[Address]:
        return (ip_address(index if host == "index.example" else files),)

    client = IndexClient([INDEX], resolve=resolve, upstream=lambda host, port: "")
    assert await client.addresses_of("index.example", 443) == (ip_address(index),)
    assert ip_address(files).is_global or await client.addresses_of("files.example", 443) == ()
    client.link(Origin("https", "files.example", 443), INDEX)
    return [str(each) for each in await client.addresses_of("files.example", 443)]


@pytest.mark.parametrize(
    ("index", "files", "reached"),
    [
        ("93.184.216.34", "93.184.216.35", True),
        ("10.0.0.5", "93.184.216.35", True),
        # The index itself is in the local network, and may lead to a host next to it.
        ("10.0.0.5", "10.0.0.6", True),
        ("10.0.0.5", "127.0.0.1", False),
        ("10.0.0.5", "169.254.169.254", False),
        ("93.184.216.34", "10.0.0.6", False),
        ("93.184.216.34", "127.0.0.1", False),
        ("93.184.216.34", "169.254.169.254", False),
    ],
)
async def test_a_linked_host_is_public_unless_the_index_is_not(
    index: str, files: str, reached: bool
) -> None:
    assert await addresses(index, files) == ([files] if reached else [])


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("10.0.0.5", True),
        ("203.0.113.80", True),
        ("fd00::5", True),
        ("93.184.216.34", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("169.254.169.254", False),
        ("168.63.129.16", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("::ffff:127.0.0.1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
    ],
)
def test_a_site_has_private_addresses_but_not_those_of_this_machine(
    address: str, expected: bool
) -> None:
    assert is_site_address(ip_address(address)) is expected


async def test_an_index_without_an_address_is_not_reached() -> None:
    client = IndexClient([INDEX], resolve=nowhere, upstream=lambda host, port: "")
    route = IndexRoute("https://index.example/simple/tiny/", "page", INDEX)

    with pytest.raises(IndexUnreachable, match=r"index\.example was not reached"):
        async with client.open("GET", route, []):
            pass


def test_tools_inside_trust_what_the_users_tools_trust(tmp_path: Path) -> None:
    own, missing = tmp_path / "own.pem", tmp_path / "missing.pem"
    own.write_text("-----BEGIN CERTIFICATE-----\nown\n-----END CERTIFICATE-----\n")
    variables = {"NODE_EXTRA_CA_CERTS": str(own), "PIP_CERT": str(missing), "SSL_CERT_FILE": ""}

    assert authority_files(variables) == (missing, own)
    trusted = trusted_certificates(authority_files(variables))
    assert trusted.endswith(own.read_bytes())
    assert trusted.count(b"BEGIN CERTIFICATE") > 1
