"""Long texts are cut between words: half a secret would not be known for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.policy.secret_samples import GITHUB
from treadle.adapters.agents.claude.json_fields import shorten, shorten_middle
from treadle.policy.redaction import make_redactor

WORDS = "ordinary words "


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("short", "short"),
        ("one two three", "one two… (6 more)"),
        ("one two thr", "one two… (4 more)"),
        ("x" * 20, "x" * 10 + "… (10 more)"),
    ],
)
def test_the_beginning_of_a_text_ends_with_a_word(text: str, kept: str) -> None:
    assert shorten(text, 10) == kept


def test_both_ends_of_an_output_are_whole_words() -> None:
    assert shorten_middle("one two three four five six", 16) == "one two\n… (12 more) …\nfive six"


@given(st.text(max_size=100), st.integers(1, 60))
def test_what_was_left_out_is_counted(text: str, most: int) -> None:
    for cut in (shorten(text, most), shorten_middle(text, most)):
        if "more)" in cut and "more)" not in text:
            left_out = int(cut.split("… (")[-1].split(" more)")[0])
            marks = f"… ({left_out} more)", f"\n… ({left_out} more) …\n"
            assert any(len(cut) - len(mark) + left_out == len(text) for mark in marks)


@pytest.mark.parametrize("shift", range(0, 60, 3))
def test_a_secret_at_the_cut_is_hidden_whole_or_not_there(shift: int) -> None:
    before = (WORDS * 300)[: 2000 - shift - 1] + " "
    text = f"{before}{GITHUB} {WORDS * 200}"

    for cut in (
        shorten(text, 2000),
        shorten_middle(text, 4000),
        shorten_middle(text[::-1], 4000)[::-1],
    ):
        shown = make_redactor([])(cut)
        assert not any(GITHUB[n : n + 8] in shown for n in range(0, len(GITHUB) - 8))
