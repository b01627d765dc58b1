"""Shell lines and the commands that are read from them."""

from functools import cache

import pytest

from treadle.adapters.shell.shfmt import Shfmt, find_shfmt
from treadle.domain.shell import ParserOutput, ParserUnavailable
from treadle.policy.shell.line_parser import parse_line
from treadle.policy.shell.syntax import (
    Assignment,
    Loop,
    ParsedLine,
    Redirect,
    ShellCommand,
    UnreadableLine,
    Word,
)


@cache
def shfmt() -> Shfmt:
    return find_shfmt()


def words(text: str) -> tuple[Word, ...]:
    return tuple(Word(each) for each in text.split())


def command(text: str, *, scope: tuple[int, ...] = (), certain: bool = True) -> ShellCommand:
    return ShellCommand(words(text), scope=scope, certain=certain)


def script(line: str) -> ParsedLine:
    found = parse_line(line, shfmt=shfmt())
    assert isinstance(found, ParsedLine), found
    return found


def only_word(line: str) -> Word:
    """The one argument of the one command of a line."""
    (found,) = script(line).commands
    (word,) = found.arguments
    return word


def rule(line: str) -> str:
    found = parse_line(line, shfmt=shfmt())
    return found.rule if isinstance(found, UnreadableLine) else ""


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("", ()),
        ("# nothing", ()),
        ("ls -la", (command("ls -la"),)),
        ("ls # -la", (command("ls"),)),
        ("ls\n\n  rm x\n", (command("ls"), command("rm x"))),
        ("ls; rm x;", (command("ls"), command("rm x"))),
        ("ls \\\n  -la", (command("ls -la"),)),
        ("ls|wc", (command("ls", scope=(1,)), command("wc", scope=(2,)))),
        ("ls |\nwc", (command("ls", scope=(1,)), command("wc", scope=(2,)))),
        ("ls |& wc", (command("ls", scope=(1,)), command("wc", scope=(2,)))),
        ("(cd a; ls)", (command("cd a", scope=(1,)), command("ls", scope=(1,)))),
        ("{ cd a; ls; }", (command("cd a"), command("ls"))),
        ("! ls", (command("ls"),)),
        ("test -f x", (command("test -f x"),)),
        ("[ -f x ]", (command("[ -f x ]"),)),
        ("[[ -f x && ! 1 -lt 2 ]]", (command("[[ -f x && ! 1 -lt 2 ]]"),)),
        ("unset x", (command("unset x"),)),
        ("export x", (command("export x"),)),
    ],
)
def test_every_command_of_a_line_is_listed(line: str, commands: tuple[ShellCommand, ...]) -> None:
    assert script(line) == ParsedLine(commands)


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        ("a; b", "a b"),
        ("a && b && c", "a b c"),
        ("a && b; c", "a c"),
        ("a && b || c", "a"),
        ("a || b; c", "a c"),
        ("! a && b", "a b"),
        ("if a; then b; elif c; then d; else e; fi; f", "a f"),
        ("while a; do b; done", "a"),
        ("until a; do b; done", "a"),
        ("for x in 1; do b; done; c", "c"),
        ("case 1 in 1) a ;; *) b ;; esac; c", "c"),
        ("a || (b; c && d)", "a b c d"),
    ],
)
def test_what_may_be_passed_over_is_not_certain(line: str, certain: str) -> None:
    found = [each for each in script(line).commands if each.certain]
    assert [each.words for each in found] == [words(name) for name in certain.split()]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("a 'b c'", Word("b c", quoted=True)),
        ('a "b c"', Word("b c", quoted=True)),
        ("a ''", Word("", quoted=True)),
        ("a b'c'\"d\"e", Word("bcde", quoted=True)),
        ("a b\\ c", Word("b c", quoted=True)),
        ("a \\$x", Word("$x", quoted=True)),
        ("a '$x `y`'", Word("$x `y`", quoted=True)),
        (r'a "\$x \` \" \\ \n"', Word(r'$x ` " \ \n', quoted=True)),
        ('a "b \\\nc"', Word("b c", quoted=True)),
        ('a "100$"', Word("100$", quoted=True)),
        (r"a $'\x72\155\u0020\'\n'", Word("rm '\n", quoted=True)),
        ("a b#c", Word("b#c")),
        ("a HEAD~1", Word("HEAD~1")),
        ("a HEAD@{1}", Word("HEAD@{1}")),
        ("a {}", Word("{}")),
        ("a *.ts", Word("*.ts", expands=True)),
        ("a '*'.ts", Word("*.ts", quoted=True)),
        ("a \\*.ts", Word("*.ts", quoted=True)),
        ("a [ab]", Word("[ab]", expands=True)),
        ("a {b,c}", Word("{b,c}", expands=True)),
        ("a {1..3}", Word("{1..3}", expands=True)),
        ("a ~/b", Word("~/b", expands=True)),
        ("a b=~/c", Word("b=~/c", expands=True)),
        ("a '~'/b", Word("~/b", quoted=True)),
        ("a $x", Word("$x", expands=True, variables=("x",))),
        ('a "$x"', Word("$x", variables=("x",), quoted=True)),
        ('a "$x/$y$x"', Word("$x/$y$x", variables=("x", "y"), quoted=True)),
        ('a "$@"', Word("$@", variables=("@",), quoted=True)),
        ('a "${x}"', Word("${x}", variables=("x",), quoted=True)),
        ('a "${#x}"', Word("${#x}", variables=("x",), substitutes=True, quoted=True)),
        ('a "${x:-b}"', Word("${x:-b}", variables=("x",), substitutes=True, quoted=True)),
        ('a "${x%.ts}"', Word("${x%.ts}", variables=("x",), substitutes=True, quoted=True)),
        ('a "${x/b/c}"', Word("${x/b/c}", variables=("x",), substitutes=True, quoted=True)),
        ("a $((1 + 2 * (5 - 3)))", Word("5")),
        ('a "x$((10 + 5))"', Word("x15", quoted=True)),
        ("a $((1 - 2))", Word("$((1 - 2))", expands=True, substitutes=True)),
        ("a $((010 + 1))", Word("$((010 + 1))", expands=True, substitutes=True)),
        ("a $((7 / 2))", Word("$((7 / 2))", expands=True, substitutes=True)),
        ("a $((99999 * 99999))", Word("$((99999 * 99999))", expands=True, substitutes=True)),
        ("a 'Grüße – ✨'", Word("Grüße – ✨", quoted=True)),
    ],
)
def test_a_word_is_what_bash_makes_of_it_or_says_what_it_stands_on(line: str, word: Word) -> None:
    assert only_word(line) == word


def test_the_commands_of_a_substitution_run_first_in_a_scope_of_their_own() -> None:
    line = 'x=$(a) b "$(c | d)" <<< "$(e)"'
    assert script(line).commands == (
        ShellCommand(words("a"), scope=(1,), inside="assignment"),
        ShellCommand(words("c"), scope=(2, 3), inside="argument"),
        ShellCommand(words("d"), scope=(2, 4), inside="argument"),
        ShellCommand(words("e"), scope=(5,), inside="heredoc"),
        ShellCommand(
            (Word("b"), Word("$(c | d)", substitutes=True, quoted=True)),
            (Assignment("x", Word("$(a)", substitutes=True)),),
            (Redirect("herestring", Word("$(e)", substitutes=True, quoted=True)),),
        ),
    )


def test_a_job_in_the_background_is_a_scope_and_says_so() -> None:
    assert script("a & b").commands == (
        ShellCommand(words("a"), scope=(1,), background=True),
        ShellCommand(words("b")),
    )


@pytest.mark.parametrize(
    ("line", "redirects"),
    [
        ("a > f", (Redirect("write", Word("f")),)),
        ("a >| f", (Redirect("write", Word("f")),)),
        ("a &> f", (Redirect("write", Word("f")),)),
        ("a >& f", (Redirect("write", Word("f")),)),
        ("a 2>> f", (Redirect("append", Word("f"), "2"),)),
        ("a &>> f", (Redirect("append", Word("f")),)),
        ("a < f", (Redirect("read", Word("f")),)),
        ("> f a", (Redirect("write", Word("f")),)),
        ("a > f 2>&1", (Redirect("write", Word("f")), Redirect("duplicate", Word("1"), "2"))),
        ("a 2>&-", (Redirect("duplicate", Word("-"), "2"),)),
        ("a > $x", (Redirect("write", Word("$x", expands=True, variables=("x",))),)),
        ("a <<'E'\n$x\nE\n", (Redirect("heredoc", Word("$x\n", quoted=True)),)),
        ("a <<-'E'\n\tx\n\tE\n", (Redirect("heredoc", Word("x\n", quoted=True)),)),
        ("a <<E\nb \\$x\nE\n", (Redirect("heredoc", Word("b $x\n", quoted=True)),)),
        ("a <<E\n$x\nE", (Redirect("heredoc", Word("$x\n", variables=("x",), quoted=True)),)),
    ],
)
def test_redirections_are_listed_with_what_they_touch(
    line: str, redirects: tuple[Redirect, ...]
) -> None:
    assert script(line).commands == (ShellCommand(words("a"), (), redirects),)


def test_words_behind_a_redirection_belong_to_the_command() -> None:
    assert script("a > f b").commands == (
        ShellCommand(words("a b"), (), (Redirect("write", Word("f")),)),
    )


def test_a_redirection_of_a_group_is_listed_before_the_group() -> None:
    opened = ShellCommand((), (), (Redirect("write", Word("f")),))
    assert script("{ a; } > f").commands == (opened, command("a"))
    assert script("> f").commands == (opened,)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("x=1", ShellCommand((), (Assignment("x", Word("1")),))),
        (
            "x= y='b c'",
            ShellCommand(
                (), (Assignment("x", Word("")), Assignment("y", Word("b c", quoted=True)))
            ),
        ),
        ("x=$y", ShellCommand((), (Assignment("x", Word("$y", variables=("y",))),))),
        ("x=1 a", ShellCommand(words("a"), (Assignment("x", Word("1")),))),
        ("export x=1", ShellCommand(words("export"), (Assignment("x", Word("1")),))),
        ('export "x=1"', ShellCommand(words("export"), (Assignment("x", Word("1", quoted=True)),))),
    ],
)
def test_assignments_are_no_words(line: str, found: ShellCommand) -> None:
    assert script(line).commands == (found,)


def test_a_loop_gives_the_values_of_its_variable() -> None:
    found = script("for x in 1 *.ts; do a; done")
    assert found.loops == (Loop("x", (Word("1"), Word("*.ts", expands=True))),)
    assert found.commands == (ShellCommand(words("a"), certain=False, loops=("x",)),)


def test_a_message_in_a_here_document_inside_quotes_reads_well() -> None:
    line = "git commit -m \"$(cat <<'EOF'\nfeat: x (y)\n\nIt's done; a && b – é\nEOF\n)\""
    message = Redirect("heredoc", Word("feat: x (y)\n\nIt's done; a && b – é\n", quoted=True))
    inner, outer = script(line).commands
    assert inner == ShellCommand(words("cat"), (), (message,), scope=(1,), inside="argument")
    assert outer.words[:3] == words("git commit -m")
    assert (outer.words[3].substitutes, outer.words[3].expands) == (True, False)


def test_a_program_from_a_here_document_reads_well() -> None:
    (found,) = script("python3 - <<'EOF'\nprint('$x')\nEOF").commands
    assert found.words == words("python3 -")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("a <<'E' 2>&1 | b\nx\nE", "a b"),
        ("a <<'E'; b\nrm y\nE\nc", "a b c"),
        ('a <<"E" > f 2>&1 && b\nx\nE\n', "a b"),
        ("a <<'E'; b\nx\nE\nc <<'F' 2>&1 | d\ny\nF", "a b c d"),
    ],
)
def test_a_here_document_may_be_followed_by_more_on_its_line(line: str, named: str) -> None:
    assert [each.name for each in script(line).commands] == list(words(named))


def asked_never(line: str) -> ParserOutput:
    return ParserUnavailable(f"asked about {line}")


@pytest.mark.parametrize(
    "line",
    [
        "git status",
        "npm test -- --run 2>&1 | tail -50 && echo 'it is done' || true",
        "NODE_ENV=test npx vitest run > out.log; ls *.ts ~",
        'git commit -m "fix: \\$5 & more"\nls\n',
    ],
)
def test_a_plain_line_needs_no_second_program(line: str) -> None:
    assert parse_line(line, shfmt=asked_never) == parse_line(line, shfmt=shfmt())
    assert isinstance(parse_line(line, shfmt=asked_never), ParsedLine)
