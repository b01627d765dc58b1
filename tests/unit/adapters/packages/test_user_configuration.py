"""The files of package tools are parsed; what is not valid is empty."""

import pytest

from tests.unit.adapters.packages.configuration import ADA, configured
from treadle.adapters.packages.package_sources import IndexLogin
from treadle.adapters.packages.user_configuration import (
    parse_ini,
    parse_netrc,
    parse_toml,
    parse_yaml,
)

LOGINS = (
    IndexLogin(ADA, "python", host="index.example"),
    IndexLogin(ADA, "go", host="index.example"),
)


@pytest.mark.parametrize(
    ("text", "logins"),
    [
        ("machine index.example login ada password hunter2", LOGINS),
        ("# mine\nmachine INDEX.example\n  login ada\n  password hunter2\n", LOGINS),
        ("machine index.example login ada", ()),
        # it fits every host
        ("default login ada password hunter2", ()),
        ("macdef init\nmachine index.example login ada password hunter2\n\n", ()),
        (
            "machine a.example login x\ndefault login y password z\n"
            "machine index.example login ada password hunter2",
            LOGINS,
        ),
    ],
)
def test_the_logins_of_netrc_are_for_the_tools_that_read_it(
    text: str, logins: tuple[IndexLogin, ...]
) -> None:
    assert parse_netrc(text) == logins


def test_netrc_is_in_the_home_unless_a_variable_names_it() -> None:
    text = "machine index.example login ada password hunter2"

    assert configured({".netrc": text}).netrc_logins() == LOGINS
    assert configured({"_netrc": text}).netrc_logins() == LOGINS
    variables = {"NETRC": "/home/ada/other"}
    assert configured({"other": text}, variables).netrc_logins() == LOGINS
    assert configured({".netrc": text}, variables).netrc_logins() == ()


@pytest.mark.parametrize("text", ["= 1", "a = " + "[" * 5000])
def test_a_toml_file_that_is_not_valid_is_empty(text: str) -> None:
    assert parse_toml(text) == {}


@pytest.mark.parametrize(
    "text", ["a: [", "- a", "[" * 5000, "a: &a [x]\nb: *a", "a: &a {b: *a}", "\x00"]
)
def test_a_yaml_file_that_is_not_valid_or_repeats_itself_is_empty(text: str) -> None:
    assert parse_yaml(text) == {}


def test_an_ini_file_that_is_not_valid_is_empty() -> None:
    assert parse_ini("no section = 1").sections() == []
