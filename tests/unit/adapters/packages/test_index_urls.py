"""Addresses of indexes are split from their logins and compared."""

import pytest

from tests.unit.adapters.packages.configuration import ADA
from treadle.adapters.packages.index_urls import (
    IndexAddress,
    is_below,
    parse_address,
    with_password,
)
from treadle.domain.package_index import PackageIndex


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://index.example/simple", IndexAddress("https://index.example/simple")),
        (" http://[::1]:4873/ \n", IndexAddress("http://[::1]:4873/")),
        (
            "https://ada:hunter%402@index.example/simple?token=x#y",
            IndexAddress("https://index.example/simple", "ada", "hunter@2"),
        ),
        ("https://token@index.example", IndexAddress("https://index.example", "token")),
        ("https://index.example:notaport/", None),
        ("file:///srv/packages", None),
        ("https://", None),
        ("None", None),
        ("", None),
    ],
)
def test_an_address_is_split_from_its_login(text: str, address: IndexAddress | None) -> None:
    assert parse_address(text) == address


def test_a_login_becomes_a_header_and_is_not_shown() -> None:
    address = parse_address("https://ada:hunter2@index.example/")

    assert address is not None
    assert address.authorization == ADA
    assert "hunter2" not in repr(address)
    assert IndexAddress("https://index.example", "token").authorization == "Basic dG9rZW46"
    assert IndexAddress("https://index.example").authorization is None


def test_a_password_can_be_put_into_an_address() -> None:
    address = IndexAddress("https://index.example/simple", "ada")

    assert with_password(address, "hun@ter") == "https://ada:hun%40ter@index.example/simple"


@pytest.mark.parametrize(
    ("url", "prefix", "below"),
    [
        ("https://a.example/simple", "https://a.example/simple/", True),
        ("https://a.example/simple/tiny", "https://a.example/simple", True),
        ("https://a.example/simple2", "https://a.example/simple", False),
        ("https://A.example:443/x", "https://a.example/", True),
        ("https://a.example/x", "//a.example/", True),
        ("http://a.example/x", "//a.example:80/", True),
        ("http://a.example/x", "https://a.example/", False),
        ("https://a.example/simple/../x", "https://a.example/simple", False),
        ("https://a.example/simple/%2e%2e/x", "https://a.example/simple", False),
        ("https://a.example/x", "//a.example:port/", False),
    ],
)
def test_an_address_is_below_another_on_the_same_host_and_path(
    url: str, prefix: str, below: bool
) -> None:
    assert is_below(url, prefix) is below


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://index.example/simple", "index.example:443"),
        ("http://index.example/simple", "index.example:80"),
        ("http://[::1]:4873/", "[::1]:4873"),
    ],
)
def test_an_index_is_let_through_by_its_host_and_port(url: str, host: str) -> None:
    assert PackageIndex("files", url).host == host
