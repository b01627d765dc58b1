"""Credentials are found in content of any size, which comes in pieces."""

from collections.abc import Iterator
from hashlib import sha256

import pytest

from tests.unit.policy.secret_samples import GITHUB
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.content_scan import MOST_MATCHES, ContentMatch, find_in_pieces


def pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


@pytest.mark.parametrize("before", [0, 1, (1 << 20) - 20, (1 << 20) + (1 << 16) - 20, 3 << 20])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_credential_is_found_once_wherever_the_content_is_cut(before: int, encoding: str) -> None:
    text = "é\n" + "x" * before + f"\n'{GITHUB}'\n" + "y" * (1 << 20)

    matches = find_in_pieces(pieces(text.encode(encoding), 65_521), SecretSearch([]))

    assert matches == (ContentMatch(3, "a GitHub token", GITHUB),)


def test_a_part_of_a_longer_word_is_no_credential_where_the_content_is_cut() -> None:
    key = "AKIAQ7RT2MZK4WXB9LDP"
    words = f"x{key} {key}x ".encode() * 120_000

    assert find_in_pieces(pieces(words, 4099), SecretSearch([])) == ()


def test_a_known_value_that_is_longer_than_a_piece_is_found() -> None:
    value = "".join(f"{number:x}" for number in range(40_000))
    content = b"x" * 1_000_000 + value.encode() + b"x" * 2_000_000

    [match] = find_in_pieces(pieces(content, 65_536), SecretSearch([value]))

    assert (match.line, match.kind) == (1, "a credential of yours")


def test_very_many_credentials_end_in_one_that_nothing_explains() -> None:
    content = "".join(
        f"'ghp_{sha256(b'%d' % number).hexdigest()[:36]}'\n" for number in range(9_000)
    )

    matches = find_in_pieces(pieces(content.encode(), 65_536), SecretSearch([]))

    assert len(matches) == MOST_MATCHES + 1
    assert matches[-1].value == "\0"


def test_one_credential_again_and_again_ends_in_one_that_nothing_explains() -> None:
    # In four windows; counting lines from the start for each would take minutes.
    content = f"{GITHUB} ".encode() * 100_000

    first, last = find_in_pieces(pieces(content, 1 << 20), SecretSearch(()))

    assert (first, last.line, last.value) == (ContentMatch(1, "a GitHub token", GITHUB), 1, "\0")


def test_lines_are_counted_from_match_to_match() -> None:
    known = "correct-horse-battery-staple"
    content = f"\n{GITHUB}\n\n{GITHUB}\n{known}\n".encode()

    found = find_in_pieces([content], SecretSearch((known,)))

    assert sorted((match.line, match.kind) for match in found) == [
        (2, "a GitHub token"),
        (4, "a GitHub token"),
        (5, "a credential of yours"),
    ]
