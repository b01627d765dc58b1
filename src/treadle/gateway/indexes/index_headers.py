"""Chooses the headers of requests and answers of package indexes. Pure.

What a process sends is not passed on, except for what decides which form an answer has.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from treadle.gateway.indexes.index_cache import CacheEntry

# Of answers: what tools use. Cookies and what servers say about themselves are left out.
_PASSED = (
    *("content-type", "content-encoding", "etag", "last-modified", "cache-control"),
    *("content-range", "accept-ranges", "retry-after", "digest", "repr-digest", "content-language"),
)
_ACCEPT = re.compile(r"[\w/+.*;=, -]{1,300}", re.A)
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.A)
_AGENT = b"treadle"


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The first and the last byte of a part of a file."""

    first: int
    last: int


def accept_of(headers: Mapping[str, str]) -> str:
    """The forms that a process accepts: an index may have a page in several."""
    accept = headers.get("accept", "").strip()
    return accept if _ACCEPT.fullmatch(accept) else "*/*"


def range_of(headers: Mapping[str, str]) -> str:
    """The range that a process asks for; empty for none, or for several."""
    wanted = headers.get("range", "").strip()
    match = _RANGE.fullmatch(wanted)
    return wanted if match and any(match.groups()) and "if-range" not in headers else ""


def request_headers(
    accept: str, *, encoding: str, byte_range: str = "", entry: CacheEntry | None = None
) -> list[tuple[bytes, bytes]]:
    """The headers of a request to an index; with an entry, only a newer answer is wanted."""
    stored = {} if entry is None else entry.headers
    values = {
        "accept": accept,
        "accept-encoding": encoding,
        "range": byte_range,
        "if-none-match": stored.get("etag", ""),
        "if-modified-since": stored.get("last-modified", ""),
    }
    sent = [(name.encode(), value.encode("latin-1")) for name, value in values.items() if value]
    return [*sent, (b"user-agent", _AGENT)]


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer that a process gets, and that are stored with it."""
    return {name: headers[name] for name in _PASSED if name in headers}


def is_unchanged(request: Mapping[str, str], answer: Mapping[str, str]) -> bool:
    """Whether the process has this answer already."""
    wanted = {
        each.strip().removeprefix("W/") for each in request.get("if-none-match", "").split(",")
    }
    etag = answer.get("etag", "").removeprefix("W/")
    if etag:
        return etag in wanted
    since = request.get("if-modified-since", "")
    return bool(since) and since == answer.get("last-modified")


def accepts_gzip(headers: Mapping[str, str]) -> bool:
    codings = (each.strip() for each in headers.get("accept-encoding", "").lower().split(","))
    return any(
        re.fullmatch(r"(?:gzip|\*)(?:\s*;\s*q=(?!0(?:\.0*)?$).*)?", each) for each in codings
    )


def part_of(byte_range: str, size: int) -> ByteRange | None:
    """The bytes that a range stands for; None if there are none."""
    match = _RANGE.fullmatch(byte_range)
    if match is None or size == 0:
        return None
    first, last = match.groups()
    if not first:
        # The last bytes, as many as given.
        length = min(int(last), size)
        return ByteRange(size - length, size - 1) if length else None
    end = min(int(last), size - 1) if last else size - 1
    return ByteRange(int(first), end) if int(first) <= end else None
