"""A program that is asked on the host gets no variable that makes it load code of the project."""

from pathlib import Path

import pytest

from treadle.adapters.host_variables import host_variables

PROJECT = Path("/home/ada/shop")


@pytest.mark.parametrize("name", ["PYTHONPATH", "NODE_OPTIONS", "RUBYOPT", "PERL5LIB", "BASH_ENV"])
def test_variables_that_load_code_are_left_out(name: str) -> None:
    assert host_variables({name: "/opt/lib", "HOME": "/home/ada"}) == {"HOME": "/home/ada"}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("/opt/lib", True),
        ("/opt/lib:/home/ada/shop/lib", False),
        ("/opt/../home/ada/shop", False),
        ("vendor/bundle", False),
        ("stable-x86_64", True),
        ("/opt/a.so /home/ada/shop/b.so", False),
        ("/home/ada/shopping", True),
    ],
)
def test_a_variable_of_libraries_is_left_out_if_it_leads_into_the_project(
    value: str, *, kept: bool
) -> None:
    left = host_variables({"GEM_PATH": value}, PROJECT)

    assert left == ({"GEM_PATH": value} if kept else {})


def test_what_names_indexes_and_proxies_is_kept() -> None:
    given = {
        "PIP_INDEX_URL": "https://a.example/",
        "HTTPS_PROXY": "http://p.example:1",
        "PATH": "/x",
    }

    assert host_variables(given, PROJECT) == given
