"""Where the API of each of GitHub's hosts is."""

import pytest

from treadle.adapters.forges.github.hosts import graphql_url, rest_url
from treadle.domain.forge import RepositoryAddress


@pytest.mark.parametrize(
    ("host", "rest", "graphql"),
    [
        ("github.com", "https://api.github.com", "https://api.github.com/graphql"),
        (
            "company.ghe.com",
            "https://api.company.ghe.com",
            "https://api.company.ghe.com/graphql",
        ),
        (
            "git.example.com:8443",
            "https://git.example.com:8443/api/v3",
            "https://git.example.com:8443/api/graphql",
        ),
    ],
)
def test_every_host_has_its_api(host: str, rest: str, graphql: str) -> None:
    address = RepositoryAddress("github", host, "ada", "engine")

    assert (rest_url(address), graphql_url(address)) == (rest, graphql)
