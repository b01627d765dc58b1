"""The judge of the client can say no, and it is the one that GitHub publishes."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.contracts.forges import GitHubSite, github_site
from tests.github.schema_check import (
    ApiRequest,
    graphql_errors,
    request_errors,
    response_errors,
    sample,
)
from tests.github.vendor_schema import DOCUMENTS, SCHEMA, SOURCE

PULLS = "/repos/ada/engine/pulls"
NEW = {"title": "T", "head": "b", "base": "main"}


def test_the_schema_is_the_one_that_its_source_names() -> None:
    sources = json.loads(SOURCE.read_text("utf-8"))

    assert [(each["package"], each["licence"]) for each in sources] == [
        ("@octokit/openapi", "MIT"),
        ("@octokit/graphql-schema", "MIT"),
    ]
    for each in sources:
        content = (SCHEMA / each["pruned"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == each["pruned_sha256"]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (ApiRequest("GET", PULLS, "state=bogus"), "bogus"),
        (ApiRequest("GET", PULLS, "stat=open"), "unknown parameter stat"),
        (ApiRequest("GET", "/repos/ada/engine/pull"), "is no operation"),
        (ApiRequest("DELETE", PULLS), "is no operation"),
        (ApiRequest("POST", PULLS, body=json.dumps({"title": "T"}).encode()), "head"),
        (ApiRequest("POST", PULLS, body=json.dumps({**NEW, "drat": True}).encode()), "drat"),
        (ApiRequest("POST", PULLS, body=json.dumps({**NEW, "draft": "yes"}).encode()), "draft"),
        (ApiRequest("GET", f"{PULLS}/one"), "one"),
    ],
)
def test_a_request_that_is_none_of_githubs_is_a_violation(
    request_: ApiRequest, reason: str
) -> None:
    assert reason in str(request_errors(request_))


def test_a_good_request_is_none() -> None:
    good = ApiRequest("POST", PULLS, body=json.dumps({**NEW, "draft": True}).encode())

    assert request_errors(good) == []
    assert request_errors(ApiRequest("GET", PULLS, "state=all&head=ada:b&per_page=100")) == []


def test_an_answer_of_the_fake_that_is_none_of_githubs_is_a_violation() -> None:
    request = ApiRequest("GET", f"{PULLS}/7")
    good = sample({"$ref": "#/components/schemas/pull-request"})
    kind = {"content-type": "application/json"}

    assert response_errors(request, 200, kind, json.dumps(good).encode()) == []
    for wrong in ({**good, "number": "7"}, {**good, "state": "merged"}, {"number": 7}):
        assert response_errors(request, 200, kind, json.dumps(wrong).encode()) != []


def test_graphql_is_held_to_its_schema() -> None:
    for document in DOCUMENTS:
        assert graphql_errors(json.dumps({"query": document}).encode()) == []
    wrong = DOCUMENTS[0].replace("isDraft", "isDrat")
    assert graphql_errors(json.dumps({"query": wrong}).encode()) != []


async def test_a_violation_fails_the_test_that_made_it(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        async with github_site(tmp_path) as site:
            await ask_wrongly(site)


async def ask_wrongly(site: GitHubSite) -> None:
    await site.client.get(site.client.url("/pulls", state="bogus"), "it", list)
