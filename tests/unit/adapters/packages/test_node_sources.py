"""The registries of npm, pnpm and yarn are found in their answers, files and variables."""

from pathlib import Path

import pytest
import yaml

from tests.unit.adapters.packages.configuration import ADA, configured
from treadle.adapters.packages.node_sources import (
    NpmAnswer,
    npm_sources,
    parse_npm_answer,
    pnpm_sources,
)
from treadle.adapters.packages.npm_configuration import npm_logins, parse_npmrc
from treadle.adapters.packages.package_sources import IndexLogin, ToolSources
from treadle.adapters.packages.yarn_sources import yarn_sources
from treadle.domain.package_index import PackageIndex

DEFAULT = "https://packages.example/"
ANSWER = NpmAnswer({"registry": DEFAULT})


@pytest.mark.parametrize("output", ["npm: command failed", "[]", ""])
def test_other_output_is_no_answer_of_npm(output: str) -> None:
    assert parse_npm_answer(output) is None


def test_an_answer_of_npm_names_registries_and_files() -> None:
    output = (
        '{"registry": "https://packages.example/", "@ours:registry": "http://[::1]:4873/", '
        '"cache": "/x", "proxy": null, "userconfig": "/home/ada/.npmrc", '
        '"globalconfig": "/usr/etc/npmrc", "cafile": "/ca.pem", "registries": {"x": 1}}'
    )

    assert parse_npm_answer(output) == NpmAnswer(
        {"registry": DEFAULT, "@ours:registry": "http://[::1]:4873/"},
        *("/home/ada/.npmrc", "/usr/etc/npmrc", "/ca.pem"),
    )


@pytest.mark.parametrize(
    ("text", "logins"),
    [
        ("//a.example/:_authToken=hunter2", [("Bearer hunter2", "//a.example/")]),
        ("//a.example/:_authToken=${TOKEN}", [("Bearer secret", "//a.example/")]),
        ("//a.example/:_authToken=${NONE}", []),
        ('//a.example/npm/:_auth = "YWRhOmh1bnRlcjI="', [(ADA, "//a.example/npm/")]),
        (
            "//a.example/:username=ada\n//a.example/:_password=aHVudGVyMg==",
            [(ADA, "//a.example/")],
        ),
        ("//a.example/:username=ada\n//a.example/:_password=%", []),
        ("; //a.example/:_authToken=x\n# //a.example/:_authToken=x", []),
        ("//a.example/:always-auth=true", []),
    ],
)
def test_the_logins_of_npm_are_for_addresses(text: str, logins: list[tuple[str, str]]) -> None:
    settings = parse_npmrc(text, {"TOKEN": "secret"}).settings

    assert npm_logins(settings) == tuple(
        IndexLogin(header, "node", url=url) for header, url in logins
    )


def test_the_default_of_npm_needs_nothing_inside() -> None:
    assert npm_sources(configured(), ANSWER, builtin_file=None) == ToolSources(
        indexes=(PackageIndex("node", DEFAULT),)
    )


def test_the_files_of_npm_become_one_file_inside_without_logins() -> None:
    configuration = configured(
        {
            ".npmrc": "@ours:registry=https://ours.example/npm/\n"
            "//ours.example/npm/:_authToken=${TOKEN}\nsave-exact=true\neditor=vi\n"
            "//login-only.example/:_authToken=hunter2\n//bad.example:port/:_authToken=x\n",
            "global/npmrc": "registry=https://ada:hunter2@mirror.example/\nsave-exact=false\n",
        },
        {"TOKEN": "hunter2"},
    )
    answer = NpmAnswer(
        {"registry": "https://ada:hunter2@mirror.example/"}, global_file="/home/ada/global/npmrc"
    )

    assert npm_sources(configuration, answer, builtin_file=Path("/none")) == ToolSources(
        indexes=(
            PackageIndex("node", "https://mirror.example/", ADA),
            PackageIndex("node", "https://ours.example/npm/"),
            # A project may name it for its scopes.
            PackageIndex("node", "https://login-only.example/", "Bearer hunter2"),
        ),
        logins=(
            IndexLogin("Bearer hunter2", "node", url="//ours.example/npm/"),
            IndexLogin("Bearer hunter2", "node", url="//login-only.example/"),
            IndexLogin("Bearer x", "node", url="//bad.example:port/"),
        ),
        home_files={
            ".npmrc": "registry=https://mirror.example/\n"
            "@ours:registry=https://ours.example/npm/\nsave-exact=true\n"
        },
    )


def test_the_variables_of_npm_are_passed_without_logins() -> None:
    variables = {
        "NPM_CONFIG_REGISTRY": "https://ada:hunter2@a.example/",
        "npm_config_@ours:registry": "https://b.example/",
        "npm_config_//b.example/:_authToken": "hunter2",
        "npm_config_save_exact": "true",
        "npm_config_loglevel": "warn",
    }

    sources = npm_sources(configured({}, variables), ANSWER, builtin_file=None)

    assert sources.variables == {
        "NPM_CONFIG_REGISTRY": "https://a.example/",
        "npm_config_@ours:registry": "https://b.example/",
        "npm_config_save_exact": "true",
    }
    assert sources.logins == (IndexLogin("Bearer hunter2", "node", url="//b.example/"),)


def test_a_login_without_an_address_is_for_the_default_registry() -> None:
    configuration = configured({".npmrc": "_auth=YWRhOmh1bnRlcjI="})

    assert npm_sources(configuration, ANSWER, builtin_file=None).logins == (
        IndexLogin(ADA, "node", url=DEFAULT),
    )


def test_the_own_files_of_pnpm_are_kept_apart() -> None:
    configuration = configured(
        {
            ".config/pnpm/rc": "@ours:registry=https://ours.example/\nstore-dir=/srv\n",
            ".config/pnpm/auth.ini": "//ours.example/:_authToken=hunter2\n",
        }
    )

    assert pnpm_sources(configuration, ANSWER) == ToolSources(
        indexes=(PackageIndex("node", DEFAULT), PackageIndex("node", "https://ours.example/")),
        logins=(IndexLogin("Bearer hunter2", "node", url="//ours.example/"),),
        home_files={".config/pnpm/rc": "@ours:registry=https://ours.example/\n"},
    )


def test_yarn_has_a_default_registry_of_its_own() -> None:
    sources = yarn_sources(configured(), ["https://yarn.example\n", "undefined\n"])

    assert sources == ToolSources(indexes=(PackageIndex("node", "https://yarn.example"),))


BERRY = """
npmRegistryServer: https://a.example/npm
npmAuthToken: "${TOKEN:-none}"
npmAlwaysAuth: true
enableTelemetry: false
unsafeHttpWhitelist: ["*.corp.example"]
npmScopes:
  ours:
    npmRegistryServer: https://b.example/
    npmAuthIdent: ada:hunter2
npmRegistries:
  "//c.example/":
    npmAuthToken: hunter2
"""


def test_the_files_of_yarn_are_written_inside_without_logins() -> None:
    configuration = configured(
        {
            ".yarnrc.yml": BERRY,
            ".yarnrc": '# yarn lockfile v1\nregistry "https://d.example/"\nlastUpdateCheck 1\n',
        },
        {"TOKEN": "hunter2", "YARN_NPM_REGISTRY_SERVER": "https://ada:hunter2@e.example/"},
    )

    sources = yarn_sources(configuration, ["https://yarn.example"])

    assert [(index.url, index.authorization) for index in sources.indexes] == [
        ("https://yarn.example", None),
        ("https://e.example/", ADA),
        ("https://d.example/", None),
        ("https://a.example/npm", None),
        ("https://b.example/", None),
    ]
    assert sources.logins == (
        IndexLogin("Bearer hunter2", "node", url="https://a.example/npm"),
        IndexLogin(ADA, "node", url="https://b.example/"),
        IndexLogin("Bearer hunter2", "node", url="//c.example/"),
    )
    assert sources.variables == {"YARN_NPM_REGISTRY_SERVER": "https://e.example/"}
    assert sources.home_files[".yarnrc"] == '"registry" "https://d.example/"\n'
    assert yaml.safe_load(sources.home_files[".yarnrc.yml"]) == {
        "npmRegistryServer": "https://a.example/npm",
        "npmAuthToken": "placeholder",
        "npmAlwaysAuth": True,
        "unsafeHttpWhitelist": ["*.corp.example"],
        "npmScopes": {
            "ours": {"npmRegistryServer": "https://b.example/", "npmAuthToken": "placeholder"}
        },
        "npmRegistries": {"//c.example/": {"npmAuthToken": "placeholder"}},
    }


def test_a_login_in_a_variable_of_yarn_is_for_its_default_registry() -> None:
    configuration = configured({}, {"YARN_NPM_AUTH_TOKEN": "hunter2"})

    assert yarn_sources(configuration, ["https://yarn.example"]).logins == (
        IndexLogin("Bearer hunter2", "node", url="https://yarn.example"),
    )
