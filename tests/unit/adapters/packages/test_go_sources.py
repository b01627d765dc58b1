"""The module proxies of go are found in its answer."""

import json

import pytest

from tests.unit.adapters.packages.configuration import ADA
from treadle.adapters.packages.go_sources import go_sources
from treadle.adapters.packages.package_sources import ToolSources, UnsupportedIndex
from treadle.domain.package_index import PackageIndex


@pytest.mark.parametrize("output", ["", "[]", "go: unknown"])
def test_other_output_is_no_answer_of_go(output: str) -> None:
    assert go_sources(output) is None


def test_go_gets_the_same_proxies_without_logins() -> None:
    answer = {
        "GOPROXY": "https://ada:hunter2@modules.example|https://second.example/go,direct",
        "GOSUMDB": "sums.example",
        "GONOSUMDB": "*.corp.example",
        "GOPRIVATE": "",
        "OTHER": "x",
    }

    assert go_sources(json.dumps(answer)) == ToolSources(
        indexes=(
            PackageIndex("go", "https://modules.example", ADA),
            PackageIndex("go", "https://second.example/go"),
            PackageIndex("go", "https://sums.example/"),
        ),
        variables={
            "GOPROXY": "https://modules.example|https://second.example/go,direct",
            "GOSUMDB": "sums.example",
            "GONOSUMDB": "*.corp.example",
        },
    )


@pytest.mark.parametrize(
    ("database", "urls"),
    [
        ("off", []),
        ("", []),
        ("sums.example+ae1b+key", ["https://sums.example/"]),
        ("sums.example+ae1b+key https://mirror.example/sums", ["https://mirror.example/sums/"]),
    ],
)
def test_the_checksum_database_is_an_index_too(database: str, urls: list[str]) -> None:
    sources = go_sources(json.dumps({"GOPROXY": "https://m.example", "GOSUMDB": database}))

    assert sources is not None
    assert [index.url for index in sources.indexes[1:]] == urls


@pytest.mark.parametrize("proxy", ["direct", "off", "file:///srv/modules"])
def test_go_without_a_proxy_cannot_download_in_a_sandbox(proxy: str) -> None:
    assert go_sources(json.dumps({"GOPROXY": proxy, "GOSUMDB": "sums.example"})) == ToolSources(
        variables={"GOPROXY": proxy, "GOSUMDB": "sums.example"},
        unsupported=(
            UnsupportedIndex(
                "go",
                proxy,
                "go downloads modules from their repositories, which a sandbox cannot reach; "
                "set GOPROXY",
            ),
        ),
    )


def test_a_login_of_an_unusual_proxy_does_not_enter() -> None:
    sources = go_sources(json.dumps({"GOPROXY": "ftp://ada:hunter2@m.example,direct"}))

    assert sources is not None
    assert sources.variables == {"GOPROXY": "off,direct"}
