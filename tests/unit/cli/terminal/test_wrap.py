"""Untrusted text is broken into lines of a width, whatever is in it and however long it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.views.foreign_text import FOREIGN
from treadle.cli.terminal.wrap import WrappedText, wrap
from treadle.views.safe_text import width_of


@pytest.mark.parametrize(
    ("text", "most", "wrapped"),
    [
        ("one line", 3, WrappedText(("one line",))),
        ("the quick brown fox", 3, WrappedText(("the quick", "brown fox"))),
        ("    indented code goes on", 3, WrappedText(("    indented", "    code", "    goes on"))),
        ("- milk and honey", 3, WrappedText(("- milk and", "  honey"))),
        ("10. milk and honey", 3, WrappedText(("10. milk and", "    honey"))),
        ("-v is an option", 3, WrappedText(("-v is an", "option"))),
        ("a\n\n\n\nb\n\n", 5, WrappedText(("a", "", "b"))),
        ("donaudampfschifffahrt", 3, WrappedText(("donaudampfsc", "hifffahrt"))),
        ("a\nb\nc\nd", 2, WrappedText(("a", "b"), hidden=2)),
        ("the quick brown fox jumps", 1, WrappedText(("the quick",), hidden=1)),
        ("progress 1\rprogress 2", 5, WrappedText(("progress 1", "progress 2"))),
        ("", 5, WrappedText(())),
    ],
)
def test_a_text_is_broken_at_blanks_and_cut_after_some_lines(
    text: str, most: int, wrapped: WrappedText
) -> None:
    assert wrap(text, 12, most=most) == wrapped


@given(FOREIGN, st.integers(min_value=2, max_value=42))
def test_no_line_is_wider_than_the_width(text: str, width: int) -> None:
    for line in wrap(text, width, most=3).lines:
        assert width_of(line) <= width
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]


@given(st.text(alphabet="ab \u0301日", max_size=60), st.integers(min_value=2, max_value=12))
def test_wrapping_loses_no_word(text: str, width: int) -> None:
    wrapped = wrap(text, width, most=100)

    assert "".join("".join(wrapped.lines).split()) == "".join(text.split())
    assert wrapped.hidden == 0


@pytest.mark.parametrize("part", ["x", "word ", "日", "\x1b[31m", "\u0301", "\x1b]", "\n", "\x1b["])
def test_three_megabytes_are_cut_after_some_lines(part: str) -> None:
    wrapped = wrap(part * (3_000_000 // len(part)), 80, most=8)

    assert len(wrapped.lines) <= 8
    assert part == "\n" or wrapped.hidden > 0
