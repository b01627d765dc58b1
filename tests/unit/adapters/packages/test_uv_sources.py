"""The indexes of uv are found in its files, variables and help."""

import tomllib

import pytest

from tests.unit.adapters.packages.configuration import ADA, configured
from treadle.adapters.packages.package_sources import IndexLogin, ToolSources
from treadle.adapters.packages.uv_sources import parse_uv_default, uv_sources
from treadle.domain.package_index import PackageIndex

DEFAULT = "https://index.example/simple"


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("The default package index (by default: <https://index.example/simple>)", DEFAULT),
        ("--index-url (by\n   default: <https://index.example/simple>) [env: X]", DEFAULT),
        ("error: unrecognized subcommand", ""),
    ],
)
def test_uv_names_its_default_in_its_help(text: str, default: str) -> None:
    assert parse_uv_default(text) == default


def test_the_default_of_uv_needs_nothing_inside() -> None:
    assert uv_sources(configured(), DEFAULT) == ToolSources(
        indexes=(PackageIndex("python", DEFAULT),)
    )


FILE = """
exclude-newer = "2024-01-01"
cache-dir = "/srv/cache"
extra-index-url = ["https://ada:hunter2@extra.example/"]

[[index]]
name = "my-corp"
url = "https://corp.example/simple"
authenticate = "always"
default = true
"""


def test_the_file_of_uv_is_written_inside_without_logins_and_other_options() -> None:
    variables = {"UV_INDEX_MY_CORP_USERNAME": "ada", "UV_INDEX_MY_CORP_PASSWORD": "hunter2"}
    sources = uv_sources(configured({".config/uv/uv.toml": FILE}, variables), DEFAULT)

    assert sources.indexes == (
        PackageIndex("python", "https://corp.example/simple"),
        PackageIndex("python", "https://corp.example/simple", ADA),
        PackageIndex("python", "https://extra.example/", ADA),
    )
    assert sources.variables == {
        "UV_INDEX_MY_CORP_USERNAME": "placeholder",
        "UV_INDEX_MY_CORP_PASSWORD": "placeholder",
    }
    assert list(sources.home_files) == [".config/uv/uv.toml"]
    assert tomllib.loads(sources.home_files[".config/uv/uv.toml"]) == {
        "exclude-newer": "2024-01-01",
        "extra-index-url": ["https://extra.example/"],
        "index": [{"name": "my-corp", "default": True, "url": "https://corp.example/simple"}],
    }


def test_the_systems_file_counts_where_the_users_says_nothing() -> None:
    system = '[[index]]\nurl = "https://system.example/"\n'
    user = 'resolution = "lowest"\n[[index]]\nurl = "https://user.example/"\n'
    configuration = configured(
        {".config/uv/uv.toml": user, "xdg/uv/uv.toml": f'resolution = "highest"\n{system}'},
        {"XDG_CONFIG_DIRS": "/home/ada/none:/home/ada/xdg"},
    )

    sources = uv_sources(configuration, DEFAULT)

    assert [index.url for index in sources.indexes] == [
        *(DEFAULT, "https://user.example/", "https://system.example/")
    ]
    assert tomllib.loads(sources.home_files[".config/uv/uv.toml"])["resolution"] == "lowest"


def test_the_variables_of_uv_are_passed_without_logins() -> None:
    variables = {
        "UV_DEFAULT_INDEX": "https://ada:hunter2@a.example/simple",
        "UV_INDEX": "corp=https://ada:hunter2@b.example/ https://c.example/ /srv/packages",
        "UV_EXCLUDE_NEWER": "2024-01-01",
    }

    sources = uv_sources(configured({}, variables), DEFAULT)

    assert sources.variables == {
        "UV_DEFAULT_INDEX": "https://a.example/simple",
        "UV_INDEX": "corp=https://b.example/ https://c.example/",
        "UV_EXCLUDE_NEWER": "2024-01-01",
    }
    assert sources.indexes == (
        PackageIndex("python", "https://a.example/simple", ADA),
        PackageIndex("python", "https://b.example/", ADA),
        PackageIndex("python", "https://c.example/"),
    )
    assert [each.url for each in sources.unsupported] == ["/srv/packages"]


def test_the_logins_of_uv_auth_are_for_their_services() -> None:
    text = """
[[credential]]
service = "https://a.example/"
username = "ada"
scheme = "basic"
password = "hunter2"

[[credential]]
service = "https://b.example/"
scheme = "bearer"
token = "hunter2"

[[credential]]
service = "not an address"
password = "x"
"""
    configuration = configured({".local/share/uv/credentials/credentials.toml": text})

    assert uv_sources(configuration, DEFAULT).logins == (
        IndexLogin(ADA, "python", url="https://a.example/"),
        IndexLogin("Bearer hunter2", "python", url="https://b.example/"),
    )


@pytest.mark.parametrize("text", ["index = 1", "index = [1]", "credential = [1]", "index-url = 1"])
def test_a_file_with_unusual_values_is_no_failure(text: str) -> None:
    files = {".config/uv/uv.toml": text, ".local/share/uv/credentials/credentials.toml": text}

    assert uv_sources(configured(files), DEFAULT).indexes == (PackageIndex("python", DEFAULT),)
