"""Foreign text is made safe and made to fit, whatever is in it and however long it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.views.foreign_text import FOREIGN
from treadle.views.safe_text import (
    escape_controls,
    escape_patch,
    fit,
    head,
    sanitize,
    width_of,
)


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x1b(Bcharset", "charset"),
        ("\x1bPq#0\x1b\\device", "device"),
        ("\x1b]0;never ends", "\N{REPLACEMENT CHARACTER}]0;never ends"),  # no end, so no sequence
        ("\x1b[", "\N{REPLACEMENT CHARACTER}["),
        (
            "bell\x07 and back\x08",
            "bell\N{REPLACEMENT CHARACTER} and back\N{REPLACEMENT CHARACTER}",
        ),
        ("a\tb", "a   b"),
        ("safe\u202eevil", "safeevil"),
        ("cafe\u0301", "cafe\u0301"),
        ("lone \ud800", "lone \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_escape_sequences_and_control_characters_lose_their_power(foreign: str, shown: str) -> None:
    assert sanitize(foreign) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("eleven char", 10, "eleven ch…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),  # half a wide character is never shown
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("\x1b[31mcoloured\x1b[0m", 8, "coloured"),
        ("two\nlines", 20, "two\N{REPLACEMENT CHARACTER}lines"),
        ("", 5, ""),
        ("any", 1, "…"),
        ("any", 0, ""),
    ],
)
def test_a_line_is_cut_by_what_it_takes_on_the_screen(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


@given(FOREIGN, st.integers(min_value=0, max_value=40))
def test_no_text_is_wider_than_its_width(text: str, width: int) -> None:
    line = fit(text, width)

    assert width_of(line) <= width
    assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]


@pytest.mark.parametrize("part", ["x", "word ", "日", "\x1b[31m", "\u0301", "\x1b]", "\n", "\x1b["])
def test_three_megabytes_are_cut_and_only_their_beginning_is_looked_at(part: str) -> None:
    text = part * (3_000_000 // len(part))

    assert width_of(fit(text, 80)) <= 80
    assert len(fit(text, 80)) <= 80 * 16 + 1


@pytest.mark.parametrize(
    "part", ["\x90", "\x98", "\x9d", "\x9e", "\x9f", "\x1b]", "\x9b0", "\x1b[ "]
)
def test_a_text_of_unfinished_sequences_is_read_in_a_moment(part: str) -> None:
    # The square of it takes minutes.
    assert not set(sanitize(part * 300_000)) & set("\x1b\x90\x98\x9b\x9d\x9e\x9f")


def test_the_head_of_a_text_keeps_marks_with_their_letter() -> None:
    assert head("e\u0301a", 1) == "e\u0301"


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("+a\tb\n-日本 é\n", "+a\tb\n-日本 é\n"),
        ("\x1b]0;title\x07\x1b[2J", r"\x1b]0;title\x07\x1b[2J"),
        ("one\r\ntwo\x9b31m\x7f", "one\\x0d\ntwo\\x9b31m\\x7f"),
        ("admin\u202e // \u2066", r"admin\u202e // \u2066"),
        (b"\xff\xfe".decode(errors="surrogateescape"), r"\xff\xfe"),
        ("\U000e0041", r"\ue0041"),
    ],
)
def test_a_whole_text_shows_what_a_terminal_would_obey(foreign: str, shown: str) -> None:
    assert escape_controls(foreign) == shown


@given(FOREIGN)
def test_nothing_of_a_whole_text_is_left_for_a_terminal_to_obey(foreign: str) -> None:
    lines = escape_controls(foreign).split("\n")

    assert [sanitize(line) for line in lines] == [line.expandtabs(4) for line in lines]
    assert len(lines) == foreign.count("\n") + 1


@pytest.mark.parametrize(
    ("patch", "escaped"),
    [
        ("+a\x1b[2J\n", "+a\\x1b[2J\n"),
        ("+a\x9b1A\udc9b1A\x7f\n", "+a\\x9b1A\\x9b1A\\x7f\n"),
        ("+a\u202e\u2066\u200f\u061c\n", "+a\\u202e\\u2066\\u200f\\u061c\n"),
        ("+a\u2028b\rc\r\r\n", "+a\\u2028b\\x0dc\\x0d\r\n"),
        ("+a\x08\x08\n", "+a\\x08\\x08\n"),
    ],
)
def test_a_patch_shows_what_would_deceive_its_reader(patch: str, escaped: str) -> None:
    assert escape_patch(patch) == escaped


@pytest.mark.parametrize(
    "patch", ["+a\tb\r\n \x0c\n", "+lac\udce9 \ufeff\n", "+❤\ufe0f 👩\u200d💻 \u00ad é\n"]
)
def test_an_ordinary_patch_stays_the_same(patch: str) -> None:
    assert escape_patch(patch) == patch
