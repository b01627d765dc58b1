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
    ("line", "shown"),
    [
        ("cat <<'E' | a\nx\nE", True),
        ("cat - <<'E' | a\nx\nE", True),
        ("cat <<< x | a", True),
        ("cat f <<'E' | a\nx\nE", False),
        ("b <<'E' | a\nx\nE", False),
        ("cat 3<<'E' | a\nx\nE", False),
        ("cat <<'E' | b | a\nx\nE", False),
        ("cat <<'E' | (a; b)\nx\nE", False),
        ("cat f | a", False),
    ],
)
def test_what_a_pipe_sends_is_in_sight_if_it_is_a_text_of_the_line(line: str, shown: bool) -> None:
    assert script(line).commands[-1].input_shown == shown


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
    ("inner", "expands", "objects"),
    [
        ("git merge-base main HEAD", False, True),
        ("git merge-base main HEAD 2>/dev/null", False, True),
        ("git rev-parse --short HEAD~2", False, True),
        ("git rev-parse --verify main@{1}", False, True),
        # A name has no blanks, and might still begin with a dash.
        ("git rev-parse --abbrev-ref HEAD", False, False),
        ("git branch --show-current", False, False),
        ("git merge-base --all main HEAD", True, False),
        ("git rev-parse HEAD main", True, False),
        ("git rev-parse main..HEAD", True, False),
        ("git rev-parse HEAD^@", True, False),
        ("git rev-parse HEAD --output=x", True, False),
        ("git rev-parse --show-toplevel", True, False),
        ("git rev-parse $x", True, False),
        ("git rev-parse HEAD; a", True, False),
        ("git rev-parse HEAD | a", True, False),
        ("git rev-parse HEAD 2>&1", True, False),
        ("x=1 git rev-parse HEAD", True, False),
        ("./git rev-parse HEAD", True, False),
        ("a", True, False),
    ],
)
def test_the_name_of_an_object_is_one_word_also_without_quotes(
    inner: str, expands: bool, objects: bool
) -> None:
    word = script(f"b $({inner})..HEAD").commands[-1].words[1]
    assert (word.substitutes, word.expands, word.objects) == (True, expands, objects)


def test_the_name_of_an_object_beside_something_else_is_not_known() -> None:
    word = script("b $(git rev-parse HEAD)$(a)").commands[-1].words[1]
    assert (word.expands, word.objects) == (True, False)


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
