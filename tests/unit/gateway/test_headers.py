"""What passes the gateway: which requests, which headers, and what those tell."""

from datetime import UTC, datetime

import pytest

from treadle.domain.ledger import WindowShare
from treadle.domain.model_access import HeaderPairs, Login, PlaceholderSecret, StaticSecret
from treadle.gateway.credentials import Credentials, FilledHeaders
from treadle.gateway.headers import (
    Headers,
    is_from_subscription,
    to_agent,
    to_service,
    window_shares,
)
from treadle.gateway.request_rules import RequestKind, request_kind, split_token


@pytest.mark.parametrize(
    ("method", "target", "kind"),
    [
        ("POST", "/v1/messages?beta=true", "message"),
        ("POST", "/v1/messages", "message"),
        ("POST", "/v1/messages/count_tokens?beta=true", "count"),
        ("HEAD", "/", "greeting"),
        ("GET", "/api/hello", "greeting"),
        ("GET", "/v1/messages", None),
        ("PUT", "/v1/messages", None),
        ("POST", "/v1/files", None),
        ("POST", "/v1/messages/", None),
        ("POST", "/v1/messages/../files", None),
        ("POST", "/v1/messages%2f..%2ffiles", None),
        ("POST", "/v1/messages/batches", None),
        ("POST", "//v1/messages", None),
        ("POST", "/V1/messages", None),
        ("POST", "/", None),
        ("POST", "http://elsewhere/v1/messages", None),
        ("CONNECT", "elsewhere:443", None),
    ],
)
def test_only_requests_for_messages_have_a_way_through(
    method: str, target: str, kind: RequestKind | None
) -> None:
    assert request_kind(method, target) == kind


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("/secret/v1/messages?beta=true", ("secret", "/v1/messages?beta=true")),
        ("/secret", ("secret", "/")),
        ("/secret/", ("secret", "/")),
        ("/secret//v1/messages", ("secret", "//v1/messages")),
        ("/v1/messages", ("v1", "/messages")),
        ("/", ("", "/")),
        ("http://elsewhere/v1/messages", ("http:", "//elsewhere/v1/messages")),
        ("elsewhere:443", ("elsewhere:443", "/")),
    ],
)
def test_the_first_part_of_a_path_says_whose_request_it_is(
    target: str, found: tuple[str, str]
) -> None:
    assert split_token(target) == found


GIVEN = [
    (b"Host", b"127.0.0.1:1"),
    (b"x-api-key", b"word-1"),
    (b"Authorization", b"Bearer word-2"),
    (b"Connection", b"keep-alive"),
    (b"Accept-Encoding", b"gzip, br, zstd"),
    (b"Content-Length", b"5"),
    (b"Cookie", b"c"),
    (b"anthropic-beta", b"effort-2025-11-24"),
    (b"X-Forwarded-For", b"10.0.0.1"),
]
UNPACKED = (b"accept-encoding", b"identity")


def held(**secrets: bytes) -> tuple[PlaceholderSecret, ...]:
    """Placeholders, and the secrets that they stand for."""
    return tuple(
        PlaceholderSecret(word.replace("_", "-").encode(), StaticSecret(secret))
        for word, secret in secrets.items()
    )


async def sent_for(given: Headers, login: Login) -> Headers:
    """What the service gets of these headers."""
    filled = await Credentials(login).fill(to_service(given, login).headers)
    assert isinstance(filled, FilledHeaders)
    return filled.headers


def test_an_agents_own_login_goes_on_and_what_belongs_to_a_connection_stays_behind() -> None:
    assert to_service(GIVEN).headers == [
        (b"x-api-key", b"word-1"),
        (b"authorization", b"Bearer word-2"),
        (b"anthropic-beta", b"effort-2025-11-24"),
        UNPACKED,
    ]


async def test_the_words_of_an_agent_are_replaced_by_what_they_stand_for() -> None:
    assert await sent_for(GIVEN, Login(held(word_1=b"key", word_2=b"token"))) == [
        (b"x-api-key", b"key"),
        (b"authorization", b"Bearer token"),
        (b"anthropic-beta", b"effort-2025-11-24"),
        UNPACKED,
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-api-key", "a key of somebody else's"),
        ("X-Api-Key", "word-1 "),
        ("authorization", "Basic word-1"),
        ("authorization", "bearer word-1"),
        ("authorization", "Bearer word-1, word-1"),
        ("authorization", ""),
        ("cookie", "word-1"),
        ("proxy-authorization", "Bearer word-1"),
    ],
)
async def test_a_credential_that_is_not_of_ours_does_not_go_on(name: str, value: str) -> None:
    given = [(name.encode(), value.encode())]

    assert await sent_for(given, Login(held(word_1=b"key"))) == [UNPACKED]


async def test_a_secret_is_put_nowhere_but_where_a_credential_belongs() -> None:
    sent = await sent_for([(b"x-app", b"word-1")], Login(held(word_1=b"key")))

    assert sent == [(b"x-app", b"word-1"), UNPACKED]


async def test_own_headers_take_the_place_of_the_agents_but_for_what_it_is_able_to() -> None:
    own: HeaderPairs = (
        (b"x-team", b"7"),
        (b"authorization", b"Bearer corp"),
        (b"cookie", b"mine"),
        (b"anthropic-beta", b"b"),
    )

    assert await sent_for(GIVEN, Login(held(word_1=b"key"), own)) == [
        (b"x-api-key", b"key"),
        (b"anthropic-beta", b"effort-2025-11-24"),
        (b"x-team", b"7"),
        (b"authorization", b"Bearer corp"),
        (b"cookie", b"mine"),
        UNPACKED,
    ]


def test_a_login_does_not_show_itself() -> None:
    login = Login(held(word=b"s3cret"), ((b"x-team", b"s3cret"),))

    assert "s3cret" not in repr(login)


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


TOKENS = Login(
    secrets=held(key=b"k", token=b"t", corp=b"c"),
    subscriptions=frozenset({b"token"}),
    paid_by_use=frozenset({b"key"}),
)


@pytest.mark.parametrize(
    ("request_headers", "response_headers", "subscription"),
    [
        ([(b"x-api-key", b"key")], {}, False),
        ([(b"x-api-key", b"key")], QUOTA, False),
        ([(b"authorization", b"Bearer corp")], {}, False),  # somebody's own proxy
        ([(b"authorization", b"Bearer corp")], QUOTA, True),
        ([(b"authorization", b"Bearer token")], {}, True),
        ([(b"authorization", b"Bearer token"), (b"x-api-key", b"key")], QUOTA, False),
        ([(b"anthropic-beta", b"oauth-2025-04-20")], {}, False),
        ([(b"x-api-key", b"key"), (b"X-Api-Key", b"")], QUOTA, False),
    ],
)
def test_a_subscription_is_known_by_the_login_that_we_put_in(
    request_headers: list[tuple[bytes, bytes]],
    response_headers: dict[str, str],
    *,
    subscription: bool,
) -> None:
    sent = to_service(request_headers, TOKENS)

    assert is_from_subscription(sent, response_headers) is subscription


async def test_of_two_logins_only_the_first_goes_on() -> None:
    twice = [(b"x-api-key", b"key"), (b"x-api-key", b"token"), (b"X-API-KEY", b"mine")]

    assert await sent_for(twice, TOKENS) == [(b"x-api-key", b"k"), UNPACKED]
