"""What setting a project up may reach."""

from ipaddress import ip_address

import pytest

from treadle.domain.package_index import PackageIndex
from treadle.gateway.allowed_hosts import HostEntry
from treadle.gateway.index_network import entry_of


@pytest.mark.parametrize(
    ("index", "entry"),
    [
        # what the user's configuration names may be on this machine or in its network
        (
            PackageIndex("files", "http://127.0.0.1:8080/"),
            HostEntry("127.0.0.1", 8080, ip_address("127.0.0.1")),
        ),
        (
            PackageIndex("files", "http://localhost:8080/"),
            HostEntry("localhost", 8080, ip_address("127.0.0.1")),
        ),
        (PackageIndex("files", "https://files.invalid/"), HostEntry("files.invalid", 443)),
        # what a page links to has no address of its own: the proxy looks for public ones
        (
            PackageIndex("files", "https://files.invalid/", linked=True),
            HostEntry("files.invalid", 443),
        ),
        (PackageIndex("files", "https://localhost/", linked=True), HostEntry("localhost", 443)),
        (PackageIndex("files", "https://127.0.0.1/", linked=True), None),
        (PackageIndex("files", "https://10.0.0.1/", linked=True), None),
        (PackageIndex("files", "https://[fe80::1]/", linked=True), None),
        (PackageIndex("files", "https://a_b/"), None),
    ],
)
def test_only_what_the_configuration_names_may_be_at_a_private_address(
    index: PackageIndex, entry: HostEntry | None
) -> None:
    assert entry_of(index) == entry
