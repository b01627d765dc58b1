"""Front matter as people, agents and attackers write it."""

import pytest

from treadle.workflows.auto.front_matter import (
    FrontMatter,
    FrontMatterError,
    read_front_matter,
    split_front_matter,
)


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("# Login\n", ("", "# Login\n")),
        ("", ("", "")),
        ("---\nwip: 1\n---\n# Login\n", ("wip: 1\n", "# Login\n")),
        ("\ufeff---\r\nwip: 1\r\n---  \r\n# Login\r\n", ("wip: 1\r\n", "# Login\r\n")),
        ("---\n---\n", ("", "")),
        # A rule further down is no front matter.
        ("# Login\n---\nwip: 1\n---\n", ("", "# Login\n---\nwip: 1\n---\n")),
    ],
)
def test_front_matter_stands_at_the_very_top(text: str, split: tuple[str, str]) -> None:
    assert split_front_matter(text) == split


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("", FrontMatter()),
        ("# only a comment\n", FrontMatter()),
        ("depends_on:\n", FrontMatter()),
        ("depends_on: []\nwip:\n", FrontMatter()),
        ("depends_on: [0001-login, 2, '3']", FrontMatter(("0001-login", "2", "3"))),
        # YAML itself would read an octal number.
        ("depends_on: [0010, 0010]", FrontMatter(("0010",))),
        ("depends_on:\n  - 0001-login\n  - 0002-mail\n", FrontMatter(("0001-login", "0002-mail"))),
        ("depends_on: 0001-login, 2", FrontMatter(("0001-login", "2"))),
        ("wip: 3", FrontMatter(wip=3)),
        ("title: Log in\nowner: Ada\ntags: {a: [1]}", FrontMatter(title="Log in")),
        ("? [a, b]\n: c\nwip: 1", FrontMatter(wip=1)),
    ],
)
def test_known_keys_are_read_and_others_are_left_to_their_author(
    text: str, matter: FrontMatter
) -> None:
    assert read_front_matter(text) == matter


BOMB = "a: &a [x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{new}: &{new} [*{old},*{old},*{old},*{old},*{old},*{old},*{old},*{old}]"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_aliases_are_not_expanded() -> None:
    assert read_front_matter(BOMB) == FrontMatter()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b", "its front matter must be keys with values, such as depends_on: []"),
        ("just words", "its front matter must be keys with values, such as depends_on: []"),
        ("title: a\ndepends_on: [a", "line 3: expected ',' or ']', but got '<stream end>'"),
        ("wip: 1\nwip: 2", "line 3: 'wip' appears twice"),
        ("depends_on: {a: b}", "depends_on must be a list of increments, such as [0001-login]"),
        ("depends_on: [[a]]", "an entry of depends_on must be plain text"),
        ("depends_on: [' ']", "an entry of depends_on must be plain text"),
        ("wip: 0", "wip must be a number from 1 to 999, and is '0'"),
        ("wip: -1", "wip must be a number from 1 to 999, and is '-1'"),
        ("wip: two", "wip must be a number from 1 to 999, and is 'two'"),
        ("wip: ٣", "wip must be a number from 1 to 999, and is '٣'"),
        (f"wip: {'9' * 5000}", f"wip must be a number from 1 to 999, and is '{'9' * 39}…'"),
        ("wip: [1]", "wip must be plain text"),
        ("a: *nobody", "line 2: found undefined alias 'nobody'"),
        ("[" * 5000, "its front matter is not YAML that can be read"),
        ("a: \x00", "its front matter is not YAML that can be read"),
        ("x" * 20_000, "its front matter has more than 16,384 characters"),
        (f"depends_on: [{','.join('a' * 201)}]", "depends_on has more than 200 entries"),
        # No tag makes an object.
        ("depends_on: !!python/object/apply:os.system [[id]]", "an entry of depends_on must be"),
    ],
)
def test_front_matter_that_cannot_be_used_gets_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(FrontMatterError) as refused:
        read_front_matter(text)

    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_front_matter_without_an_end_is_said_to_have_none() -> None:
    with pytest.raises(FrontMatterError, match="has no end: close it with a line ---"):
        split_front_matter("---\nwip: 1\n# Login\n")
