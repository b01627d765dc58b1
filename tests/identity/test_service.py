"""The fake service itself: tokens that are good once, two hosts and no others."""

import json
import ssl
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.identity.service import API, PLATFORM, PROFILE_PATH, TOKEN_PATH, IdentityService
from treadle.rehearsal.fixtures import Rehearse

pytestmark = pytest.mark.slow

ASKED = {"model": "claude-opus-5-5", "max_tokens": 100, "messages": []}


def client_of(identity: IdentityService) -> httpx2.Client:
    context = ssl.create_default_context(cafile=identity.environment["NODE_EXTRA_CA_CERTS"])
    return httpx2.Client(trust_env=False, proxy=identity.environment["HTTPS_PROXY"], verify=context)


def renew(client: httpx2.Client, token: str) -> tuple[int, dict[str, Any]]:
    body = {"grant_type": "refresh_token", "refresh_token": token}
    answer = client.post(f"https://{PLATFORM}{TOKEN_PATH}", json=body)
    return answer.status_code, json.loads(answer.content)


def test_a_refresh_token_is_good_once(identity: IdentityService, home: Path) -> None:
    identity.write_login(home)
    assert identity.live is not None
    first = identity.live.refresh

    with client_of(identity) as client:
        status, issued = renew(client, first)
        refused, error = renew(client, first)
        again, _ = renew(client, issued["refresh_token"])

    assert (status, issued["expires_in"], again) == (200, 3600, 200)
    assert (refused, error["error"]) == (400, "invalid_grant")
    assert [each.spent for each in identity.renewals] == [first, issued["refresh_token"]]
    assert (identity.refused_tokens, identity.is_logged_in(home)) == ((first,), False)


def test_only_the_live_access_token_opens_the_account_and_the_model(
    identity: IdentityService, home: Path, rehearse: Rehearse
) -> None:
    api = rehearse("{version: 1, sessions: [{turns: [{text: hello}]}]}")
    identity.model_url = api.base_url
    identity.write_login(home)
    assert identity.live is not None
    good, bad = ({"authorization": f"Bearer {each}"} for each in (identity.live.access, "old"))

    with client_of(identity) as client:
        profiles = [
            client.get(f"https://{API}{PROFILE_PATH}", headers=each).status_code
            for each in (good, bad)
        ]
        answers = [
            client.post(f"https://{API}/v1/messages?beta=true", headers=each, json=ASKED)
            for each in (bad, good)
        ]

    assert (profiles, [each.status_code for each in answers]) == ([200, 401], [401, 200])
    assert answers[1].json()["content"] == [{"type": "text", "text": "hello"}]
    assert (len(identity.model_requests), api.request_count) == (2, 1)


def test_no_other_host_is_reached(identity: IdentityService) -> None:
    with client_of(identity) as client, pytest.raises(httpx2.ProxyError, match="403"):
        client.get("https://example.com/")

    assert (identity.refused_hosts, identity.requests) == (("example.com:443",), ())
