"""The registries of cargo are found in its files, variables and a failed search."""

import tomllib

import pytest

from tests.unit.adapters.packages.configuration import configured
from treadle.adapters.packages.package_sources import (
    IndexLogin,
    ToolSources,
    UnsupportedIndex,
)
from treadle.adapters.packages.rust_sources import (
    cargo_sources,
    is_git_index,
    parse_cargo_default,
)
from treadle.domain.package_index import PackageIndex

DEFAULT = "https://crates.example/"
# As versions 1.95, 1.97 and 1.65 print it.
STABLE = """
   0.011907614s DEBUG main:exec: network: fetch https://crates.example/config.json
error: failed to update registry `crates-io`
Caused by:
  failed to download from `https://crates.example/config.json`
"""
NIGHTLY = 'DEBUG main:exec: network::fetch: url="https://crates.example/config.json"\n'
OLD = """
    Updating crates.example index
Caused by:
  failed to fetch `https://code.example/rust-lang/crates.example-index`
Caused by:
  [7] Couldn't connect to server (Failed to connect to 127.0.0.1 port 1 after 0 ms)
"""


@pytest.mark.parametrize(
    ("output", "default"), [(STABLE, DEFAULT), (NIGHTLY, DEFAULT), (OLD, ""), ("", "")]
)
def test_cargo_names_its_default_when_it_cannot_reach_it(output: str, default: str) -> None:
    assert parse_cargo_default(output) == default


def test_an_old_cargo_is_recognized_by_its_git_index() -> None:
    assert (is_git_index(OLD), is_git_index(STABLE)) == (True, False)


def test_the_default_of_cargo_needs_nothing_inside() -> None:
    assert cargo_sources(configured(), DEFAULT) == ToolSources(
        indexes=(PackageIndex("rust", DEFAULT),)
    )


CONFIG = """
[registries.my-corp]
index = "sparse+https://corp.example/index/"
token = "old"

[registries.git]
index = "https://git.example/index"

[registry]
default = "my-corp"
global-credential-providers = ["cargo:libsecret"]

[build]
target-dir = "/srv/target"
"""


def test_the_files_of_cargo_become_one_file_inside_without_logins() -> None:
    configuration = configured(
        {
            ".cargo/config.toml": CONFIG,
            ".cargo/credentials.toml": '[registries.other]\ntoken = "hunter2"\n',
        },
        {
            "CARGO_REGISTRIES_OTHER_INDEX": "sparse+https://ada:x@other.example/",
            "CARGO_REGISTRIES_MY_CORP_TOKEN": "hunter3",
        },
    )

    sources = cargo_sources(configuration, DEFAULT)

    assert sources.indexes == (
        PackageIndex("rust", DEFAULT),
        PackageIndex("rust", "https://corp.example/index/", "hunter3"),
        PackageIndex("rust", "https://other.example/", "Basic YWRhOng="),
    )
    assert sources.logins == (
        IndexLogin("old", "rust", name="MY_CORP"),
        IndexLogin("hunter2", "rust", name="OTHER"),
        IndexLogin("hunter3", "rust", name="MY_CORP"),
    )
    assert sources.variables == {
        "CARGO_REGISTRIES_OTHER_INDEX": "sparse+https://other.example/",
        "CARGO_REGISTRIES_OTHER_TOKEN": "placeholder",
        "CARGO_REGISTRIES_MY_CORP_TOKEN": "placeholder",
        "CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS": "cargo:token",
    }
    assert tomllib.loads(sources.home_files[".cargo/config.toml"]) == {
        "registries": {
            "my-corp": {"index": "sparse+https://corp.example/index/"},
            "git": {"index": "https://git.example/index"},
        },
        "registry": {"default": "my-corp"},
    }
    assert sources.unsupported == (
        UnsupportedIndex(
            "cargo",
            "https://git.example/index",
            "it is a git repository; use its sparse index (`sparse+https://…`) to reach it in a "
            "sandbox",
        ),
    )


def test_a_replaced_default_is_not_used() -> None:
    config = (
        '[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\n'
        'registry = "sparse+https://ada:x@mirror.example/"\n[source.disk]\ndirectory = "/srv"\n'
    )
    sources = cargo_sources(configured({".cargo/config.toml": config}), DEFAULT)

    assert sources.indexes == (PackageIndex("rust", "https://mirror.example/", "Basic YWRhOng="),)
    assert tomllib.loads(sources.home_files[".cargo/config.toml"]) == {
        "source": {
            "crates-io": {"replace-with": "mirror"},
            "mirror": {"registry": "sparse+https://mirror.example/"},
        }
    }


def test_the_files_of_cargo_are_where_a_variable_says() -> None:
    configuration = configured(
        {"cargo/config": '[registries.a]\nindex = "sparse+https://a.example/"\n'},
        {"CARGO_HOME": "/home/ada/cargo", "CARGO_HTTP_CAINFO": "/ca.pem"},
    )

    sources = cargo_sources(configuration, "")

    assert sources.indexes == (PackageIndex("rust", "https://a.example/"),)
    assert sources.authorities == ("/ca.pem",)
