"""The headers of requests and answers of package indexes."""

import pytest

from treadle.gateway.indexes.index_cache import CacheEntry
from treadle.gateway.indexes.index_headers import (
    ByteRange,
    accept_of,
    accepts_gzip,
    is_unchanged,
    part_of,
    passed_headers,
    range_of,
    request_headers,
)


def test_a_request_has_what_decides_the_form_of_its_answer_and_nothing_else() -> None:
    entry = CacheEntry("0" * 64, 1, {"etag": '"1"', "last-modified": "Mon", "content-type": "x"})

    assert request_headers("text/html", encoding="gzip", entry=entry) == [
        (b"accept", b"text/html"),
        (b"accept-encoding", b"gzip"),
        (b"if-none-match", b'"1"'),
        (b"if-modified-since", b"Mon"),
        (b"user-agent", b"treadle"),
    ]


@pytest.mark.parametrize(
    ("accept", "sent"),
    [
        (
            "application/vnd.npm.install-v1+json; q=1.0, */*",
            "application/vnd.npm.install-v1+json; q=1.0, */*",
        ),
        ("", "*/*"),
        ("x" * 301, "*/*"),
        ('text/html; x="secret"', "*/*"),
    ],
)
def test_the_accepted_forms_are_passed_on_if_they_are_ordinary(accept: str, sent: str) -> None:
    assert accept_of({"accept": accept}) == sent


def test_cookies_and_words_of_the_server_about_itself_do_not_reach_a_process() -> None:
    answer = {
        "content-type": "text/html",
        "etag": '"1"',
        "set-cookie": "session=1",
        "www-authenticate": "Bearer",
        "server": "x",
        "location": "https://elsewhere.example/?token=1",
    }

    assert passed_headers(answer) == {"content-type": "text/html", "etag": '"1"'}


@pytest.mark.parametrize(
    ("wanted", "sent"),
    [
        ("bytes=0-99", "bytes=0-99"),
        ("bytes=-500", "bytes=-500"),
        ("bytes=5-", "bytes=5-"),
        ("bytes=-", ""),
        ("bytes=0-1,5-6", ""),
        ("lines=1-2", ""),
        ("", ""),
    ],
)
def test_one_range_is_passed_on(wanted: str, sent: str) -> None:
    assert range_of({"range": wanted}) == sent
    assert range_of({"range": wanted, "if-range": '"1"'}) == ""


@pytest.mark.parametrize(
    ("wanted", "size", "part"),
    [
        ("bytes=0-99", 10, ByteRange(0, 9)),
        ("bytes=2-4", 10, ByteRange(2, 4)),
        ("bytes=5-", 10, ByteRange(5, 9)),
        ("bytes=-3", 10, ByteRange(7, 9)),
        ("bytes=-30", 10, ByteRange(0, 9)),
        ("bytes=10-", 10, None),
        ("bytes=5-4", 10, None),
        ("bytes=-0", 10, None),
        ("bytes=0-", 0, None),
        ("", 10, None),
    ],
)
def test_a_range_stands_for_bytes_of_the_file(
    wanted: str, size: int, part: ByteRange | None
) -> None:
    assert part_of(wanted, size) == part


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ({"if-none-match": '"1"'}, {"etag": '"1"'}, True),
        ({"if-none-match": 'W/"1", "2"'}, {"etag": '"1"'}, True),
        ({"if-none-match": '"1"'}, {"etag": '"2"', "last-modified": "Mon"}, False),
        ({"if-modified-since": "Mon"}, {"last-modified": "Mon"}, True),
        ({"if-modified-since": "Mon"}, {"last-modified": "Tue"}, False),
        ({}, {"etag": '"1"'}, False),
        ({}, {}, False),
    ],
)
def test_a_process_that_has_the_page_does_not_get_it_again(
    asked: dict[str, str], answer: dict[str, str], expected: bool
) -> None:
    assert is_unchanged(asked, answer) is expected


@pytest.mark.parametrize(
    ("codings", "expected"),
    [
        ("gzip, deflate, br", True),
        ("gzip;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("identity", False),
        ("", False),
    ],
)
def test_gzip_is_sent_to_those_who_read_it(codings: str, expected: bool) -> None:
    assert accepts_gzip({"accept-encoding": codings}) is expected
