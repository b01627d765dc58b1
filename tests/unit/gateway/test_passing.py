"""What passes the gateway: which requests, which headers, and what those tell."""

from datetime import UTC, datetime

import pytest

from treadle.domain.ledger import WindowShare
from treadle.gateway.headers import from_subscription, to_agent, to_service, window_shares
from treadle.gateway.routes import Route, route

MESSAGE = Route("secret", "/v1/messages?beta=true", "message")


@pytest.mark.parametrize(
    ("method", "target", "found"),
    [
        ("POST", "/secret/v1/messages?beta=true", MESSAGE),
        (
            "POST",
            "/secret/v1/messages/count_tokens",
            Route("secret", "/v1/messages/count_tokens", "count"),
        ),
        ("HEAD", "/secret", Route("secret", "/", "greeting")),
        ("HEAD", "/secret/", Route("secret", "/", "greeting")),
        ("GET", "/secret/api/hello", Route("secret", "/api/hello", "greeting")),
        ("GET", "/secret/v1/messages", Route("secret", "/v1/messages", None)),
        ("POST", "/secret/v1/files", Route("secret", "/v1/files", None)),
        ("POST", "/secret/v1/messages/", Route("secret", "/v1/messages/", None)),
        ("POST", "/secret/v1/messages/../files", Route("secret", "/v1/messages/../files", None)),
        ("POST", "/secret/v1/messages/batches", Route("secret", "/v1/messages/batches", None)),
        ("POST", "/secret//v1/messages", Route("secret", "//v1/messages", None)),
        ("POST", "/v1/messages", Route("v1", "/messages", None)),
        ("POST", "/", Route("", "/", None)),
        ("POST", "http://elsewhere/v1/messages", Route("http:", "//elsewhere/v1/messages", None)),
        ("CONNECT", "elsewhere:443", Route("elsewhere:443", "/", None)),
    ],
)
def test_only_requests_for_messages_have_a_way_through(
    method: str, target: str, found: Route
) -> None:
    assert route(method, target) == found


def test_credentials_go_on_unchanged_and_what_belongs_to_a_connection_stays_behind() -> None:
    given = [
        (b"Host", b"127.0.0.1:1"),
        (b"x-api-key", b"k"),
        (b"Authorization", b"Bearer t"),
        (b"Connection", b"keep-alive"),
        (b"Accept-Encoding", b"gzip, br, zstd"),
        (b"Content-Length", b"5"),
        (b"Cookie", b"c"),
        (b"anthropic-beta", b"a"),
    ]

    assert to_service(given) == [
        (b"x-api-key", b"k"),
        (b"authorization", b"Bearer t"),
        (b"anthropic-beta", b"a"),
        (b"accept-encoding", b"identity"),
    ]


@pytest.mark.parametrize(("length", "last"), [(None, []), ("12", [(b"content-length", b"12")])])
def test_an_answer_keeps_its_headers(length: str | None, last: list[tuple[bytes, bytes]]) -> None:
    given = [
        (b"Content-Type", b"application/json"),
        (b"Retry-After", b"3"),
        (b"Content-Encoding", b"gzip"),
        (b"Content-Length", b"12"),
        (b"Transfer-Encoding", b"chunked"),
        (b"Set-Cookie", b"c"),
    ]

    kept = [(b"content-type", b"application/json"), (b"retry-after", b"3")]
    assert to_agent(given, length) == kept + last


QUOTA = {
    "anthropic-ratelimit-unified-status": "allowed",
    "anthropic-ratelimit-unified-5h-utilization": "0.42",
    "anthropic-ratelimit-unified-5h-reset": "1794729553",
    "anthropic-ratelimit-unified-7d-utilization": "1.0",
    "anthropic-ratelimit-unified-odd-utilization": "much",
    "anthropic-ratelimit-unified-far-utilization": "inf",
}


def test_a_subscriptions_windows_are_read_from_the_headers() -> None:
    assert window_shares(QUOTA) == (
        WindowShare("5h", 0.42, datetime.fromtimestamp(1794729553, UTC)),
        WindowShare("7d", 1.0),
    )
    assert window_shares({"content-type": "text/plain"}) == ()


@pytest.mark.parametrize(
    ("request_headers", "response_headers", "subscription"),
    [
        ({"x-api-key": "k"}, {}, False),
        ({"x-api-key": "k"}, QUOTA, False),
        ({"authorization": "Bearer t"}, {}, False),  # somebody's own proxy
        ({"authorization": "Bearer t"}, QUOTA, True),
        ({"authorization": "Bearer t", "anthropic-beta": "a,oauth-2025-04-20"}, {}, True),
    ],
)
def test_a_subscription_is_known_by_its_login(
    request_headers: dict[str, str], response_headers: dict[str, str], *, subscription: bool
) -> None:
    assert from_subscription(request_headers, response_headers) is subscription
