"""Facts about a command besides its words: loops, input, time; and words that stay one."""

import pytest

from treadle.policy.shell.syntax import Word

from .test_reading import command, only_word, script, words


def test_a_command_in_a_loop_knows_its_variables_also_in_a_shell_of_its_own() -> None:
    found = script("for x in 1; do for y in 2; do a | (b); done; c; done; d")
    assert [(each.words, each.loops) for each in found.commands] == [
        (words("a"), ("x", "y")),
        (words("b"), ("x", "y")),
        (words("c"), ("x",)),
        (words("d"), ()),
    ]


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("while a; do b; done < f", [False, True, True]),
        ("{ a; b; } < f", [False, True, True]),
        ("while a; do b; done > f", [False, False, False]),
        ("while a; do b; done", [False, False]),
    ],
)
def test_a_redirection_of_a_compound_command_feeds_what_is_in_it(
    line: str, fed: list[bool]
) -> None:
    assert [each.fed for each in script(line).commands] == fed


@pytest.mark.parametrize(
    ("line", "before"),
    [
        ("a | b | c", ["a", "b"]),
        ("a | while b; do c; done", ["a"]),
        ("d; a | c", ["a"]),
        ("a | (b; c)", []),
        ("(a; b) | c", []),
        ("a | b; c", []),
        ("c", []),
    ],
)
def test_a_command_knows_the_simple_ones_before_it_in_its_pipeline(
    line: str, before: list[str]
) -> None:
    assert [each.words[0].text for each in script(line).commands[-1].piped] == before


@pytest.mark.parametrize("line", ["time a b", "time -p a b"])
def test_the_keyword_time_only_measures(line: str) -> None:
    assert script(line).commands == (command("a b"),)


def test_the_keyword_time_is_none_in_quotes() -> None:
    (found,) = script("'time' a").commands
    assert [word.text for word in found.words] == ["time", "a"]


@pytest.mark.parametrize("index", ["0", "12", "@", "*"])
def test_how_the_last_pipeline_ended_is_read_by_a_literal_index(index: str) -> None:
    word = only_word(f'a "${{PIPESTATUS[{index}]}}"')
    assert word == Word(f"${{PIPESTATUS[{index}]}}", variables=("PIPESTATUS",), quoted=True)


@pytest.mark.parametrize(
    ("text", "expands"),
    [
        ("stash@{0}", False),
        ("HEAD@{1}..HEAD@{0}", False),
        ("@{u}..", False),
        ("x@{1,2}", True),
        ("x@{1..2}", True),
        # Bash looks for another end behind the first brace.
        ("x@{1},y}", True),
        ("{x@{1},y}", True),
    ],
)
def test_braces_without_a_list_stand_for_themselves(text: str, expands: bool) -> None:
    assert only_word(f"a {text}") == Word(text, expands=expands)
