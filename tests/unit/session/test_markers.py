"""Markers become signals as soon as they are closed, and nothing that only looks like one does."""

from collections.abc import Iterable
from itertools import groupby, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treadle.domain.signal import SIGNAL_KINDS, Signal, SignalKind
from treadle.session.markers import BODY_LIMIT, MarkerReader, Piece, PlainText


def read(*chunks: str, body_limit: int = BODY_LIMIT) -> list[Piece]:
    reader = MarkerReader(body_limit=body_limit)
    pieces = [piece for chunk in chunks for piece in reader.feed(chunk)]
    return joined([*pieces, *reader.close()])


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    whole: list[Piece] = []
    for are_text, group in groupby(pieces, key=lambda piece: isinstance(piece, PlainText)):
        if are_text:
            whole.append(PlainText("".join(piece.text for piece in group)))
        else:
            whole.extend(group)
    return whole


@pytest.mark.parametrize("kind", SIGNAL_KINDS)
def test_every_kind_of_signal_has_a_tag(kind: SignalKind) -> None:
    tag = "auto-complete" if kind == "auto_complete" else kind.upper()

    assert read(f"Before\n<{tag}>\nwhy\n</{tag}>\nafter") == [
        PlainText("Before\n"),
        Signal(kind, "why"),
        PlainText("\nafter"),
    ]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("<DONE>All done.</DONE>", [Signal("done", "All done.")]),
        ("<DONE></DONE>", [Signal("done", "")]),
        ("<DONE>\r\nyes\r\n</DONE>\r\n", [Signal("done", "yes"), PlainText("\r\n")]),
        ("   <DONE>x</DONE>", [PlainText("   "), Signal("done", "x")]),
        ("<NOTE>a</NOTE><DONE>b</DONE>", [Signal("note", "a"), Signal("done", "b")]),
        (
            "<NOTE>a</NOTE> <DONE>b</DONE>",
            [Signal("note", "a"), PlainText(" "), Signal("done", "b")],
        ),
        ("<NOTE>a </DONE> b</NOTE>", [Signal("note", "a </DONE> b")]),
        ("<NOTE>\n<DONE>x</DONE>\n</NOTE>", [Signal("note", "<DONE>x</DONE>")]),
        ("<NOTE>see `a` and\n```\nb\n```\n</NOTE>", [Signal("note", "see `a` and\n```\nb\n```")]),
        ("<NOTE>an odd ` tick</NOTE>", [Signal("note", "an odd ` tick")]),
        ("``` not `closed\n<DONE>x</DONE>", [PlainText("``` not `closed\n"), Signal("done", "x")]),
        ("``\n<DONE>x</DONE>", [PlainText("``\n"), Signal("done", "x")]),
        ("    ```\n<DONE>x</DONE>", [PlainText("    ```\n"), Signal("done", "x")]),
        ("```\na\n```\n<DONE>x</DONE>", [PlainText("```\na\n```\n"), Signal("done", "x")]),
        ("~~~\n```\n~~~ \n<DONE>x</DONE>", [PlainText("~~~\n```\n~~~ \n"), Signal("done", "x")]),
        ("```\na\n```\r\n<DONE>x</DONE>", [PlainText("```\na\n```\r\n"), Signal("done", "x")]),
    ],
)
def test_a_closed_tag_that_begins_its_line_is_a_signal(text: str, pieces: list[Piece]) -> None:
    assert read(text) == pieces


@pytest.mark.parametrize(
    "text",
    [
        "I will emit <DONE> when the work is finished, closed by </DONE>.",
        "Use `<DONE>x</DONE>` at the end.",
        "`<DONE>x</DONE>`",
        "``<DONE>x</DONE>``",
        "- <DONE>x</DONE>",
        "> <DONE>x</DONE>",
        "**<DONE>x</DONE>**",
        "    <DONE>x</DONE>",  # indented by four: a code block
        "\t<DONE>x</DONE>",
        "```\n<DONE>x</DONE>\n```",
        "```xml title=a\n<DONE>x</DONE>\n```",
        "~~~ xml `a`\n<DONE>x</DONE>\n~~~",
        "   ```\n<DONE>x</DONE>\n   ```",
        "````\n```\n<DONE>x</DONE>\n```\n<DONE>x</DONE>\n````",  # a shorter fence closes nothing
        "```\n~~~\n<DONE>x</DONE>",  # the other kind of fence closes nothing
        "```\n``` xml\n<DONE>x</DONE>",  # a closing fence has no words behind it
        "```\n    ```\n<DONE>x</DONE>",
        "```\n<DONE>x</DONE>",  # a fence that is never closed runs to the end
        "<done>x</done>",
        "<Done>x</Done>",
        "<DONE/>",
        "<DONE />",
        "<DONE why='x'>x</DONE>",
        "< DONE>x</DONE>",
        "<DONE>x",
        "<DONE>x</NOTE>",
        "<DONE>x</done>",
        "<DONE>x</DON",
        "x</DONE>",
        "<DON",
        "<DONEX>x</DONEX>",
        "<",
        "  ",
        "",
    ],
)
def test_everything_else_stays_text(text: str) -> None:
    assert read(text) == ([PlainText(text)] if text else [])


def test_a_tag_that_is_never_closed_hides_no_later_signal() -> None:
    assert read("<NOTE>forgot\n<DONE>x</DONE>\nbye") == [
        PlainText("<NOTE>forgot\n"),
        Signal("done", "x"),
        PlainText("\nbye"),
    ]


def test_of_two_openings_before_one_closing_the_later_counts() -> None:
    assert read("<DONE> comes at the end.\nWork.\n<DONE>x</DONE>") == [
        PlainText("<DONE> comes at the end.\nWork.\n"),
        Signal("done", "x"),
    ]


def test_a_signal_is_given_with_the_chunk_that_closes_it() -> None:
    reader = MarkerReader()

    assert [reader.feed(c) for c in ("Hi\n", "<DO", "NE>all", " done</DONE", ">", " bye")] == [
        [PlainText("Hi\n")],
        [],
        [],
        [],
        [Signal("done", "all done")],
        [PlainText(" bye")],
    ]


def test_only_what_could_become_a_tag_is_held_back() -> None:
    reader = MarkerReader()

    assert [reader.feed(c) for c in ("a <", "D", "\n ", " <", "D", "I", "``", "\n`", "`")] == [
        [PlainText("a <")],
        [PlainText("D")],
        [PlainText("\n")],
        [],
        [],
        [PlainText("  <DI")],
        [PlainText("``")],
        [PlainText("\n`")],
        [PlainText("`")],
    ]


def test_a_block_begins_with_a_clean_slate() -> None:
    reader = MarkerReader()
    reader.feed("```\n<NOTE>")
    reader.close()

    assert reader.feed("<DONE>x</DONE>") == [Signal("done", "x")]


def test_the_longest_body_is_a_signal_and_one_character_more_is_text() -> None:
    fits, long = "x" * BODY_LIMIT, "x" * (BODY_LIMIT + 1)

    assert read(f"<NOTE>{fits}</NOTE>") == [Signal("note", fits)]
    assert read(f"<NOTE>{long}</NOTE>\n<DONE>x</DONE>") == [
        PlainText(f"<NOTE>{long}</NOTE>\n"),
        Signal("done", "x"),
    ]


def test_a_body_beyond_the_limit_is_not_kept_in_memory() -> None:
    reader = MarkerReader()
    reader.feed("<NOTE>")

    shown = sum(len(p.text) for _ in range(200) for p in reader.feed("x" * 1000))

    assert shown == len("<NOTE>") + 200 * 1000


WORDS = st.sampled_from(
    [
        *("<NOTE>", "</NOTE>", "<DONE>", "</DONE>", "<DON", "<", ">", "</", "`", "```", "````"),
        *("~~~", "\n", "\n", "\n", "\r\n", " ", "    ", "- ", "a", "some words ", "é"),
    ]
)


@given(
    st.lists(WORDS, max_size=40).map("".join),
    st.sets(st.integers(0, 200)),
    st.sampled_from([0, 5, 20, BODY_LIMIT]),
)
@example("<NOTE>a\n<NOTE>b</NOTE></NOTE>", set(range(30)), BODY_LIMIT)
def test_where_the_chunks_break_changes_nothing(text: str, cuts: set[int], limit: int) -> None:
    edges = [0, *sorted(cuts), max(200, len(text))]
    chunks = [text[a:b] for a, b in pairwise(edges)]

    assert read(*chunks, body_limit=limit) == read(text, body_limit=limit)


@given(st.lists(WORDS, max_size=40).map("".join))
def test_text_without_a_closing_tag_comes_back_as_it_was(text: str) -> None:
    plain = text.replace("</", "<_")

    assert read(plain) == ([PlainText(plain)] if plain else [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "times", "chunk"),
    [
        ("x", 3_000_000, 3_000_000),
        ("x", 3_000_000, 100),
        ("`", 1_000_000, 10),
        (" ", 1_000_000, 10),
        ("<", 1_000_000, 10),
        ("x\n", 500_000, 1_000_000),
        ("<NOTE>\n", 140_000, 1_000_000),
        ("<NOTE>\n<DONE>\n", 70_000, 1_000_000),
    ],
)
def test_long_text_is_read_in_one_pass(unit: str, times: int, chunk: int) -> None:
    text = unit * times  # a reader that looked at it again and again would run into the timeout

    assert read(*(text[n : n + chunk] for n in range(0, len(text), chunk))) == [PlainText(text)]
