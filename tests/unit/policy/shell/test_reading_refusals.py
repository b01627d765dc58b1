"""Lines that are refused before any command of them is judged, each with its rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.policy.shell.test_reading import rule, shfmt
from treadle.domain.shell import MalformedLine, ParserOutput, ParserUnavailable, SyntaxTree
from treadle.policy.shell import treesitter_outline
from treadle.policy.shell.line_parser import parse_line
from treadle.policy.shell.refusals import REASONS
from treadle.policy.shell.syntax import ParsedLine, UnreadableLine


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ("line-too-long", "echo " + "a" * 16384),
        ("line-too-long", "echo '" + "é" * 9000 + "'"),
        ("hidden-characters", "ls\rrm x"),
        ("hidden-characters", "ls \x1b[2K"),
        ("hidden-characters", "ls\x00"),
        ("hidden-characters", "ls\u2028rm x"),
        ("hidden-characters", "ls\u00a0x"),
        ("hidden-characters", "echo 'a\u200bb'"),
        ("hidden-characters", "echo 'a\u202eb'"),
        ("hidden-characters", "echo '\ud800'"),
        ("unquoted-characters", "ls –la"),
        ("unquoted-characters", 'echo "$(ls –la)"'),
        ("hidden-by-space", "ls" + " " * 201 + "; rm x"),
        ("too-many-commands", "; ".join(["a"] * 65)),
        ("nested-too-deep", "echo " + "$(a " * 17 + ")" * 17),
        ("comment-goes-on", "echo x # \\\nrm y"),
        ("line-goes-on", "r\\\nm x"),
        ("line-goes-on", "$\\\n{x} a"),
        ("not-shell", 'echo "x'),
        ("not-shell", "ls |"),
        ("not-shell", ") rm x"),
        ("not-shell", "a <<'E' && b <<'F'\nx\nE\ny\nF"),
        ("not-shell", "a <<E 2>&1 | b\nx\nE"),
        ("not-shell", "echo \"<<'E'\nx\nE\"; ls |"),
        ("dynamic-name", "$x a"),
        ("dynamic-name", "r${x}m a"),
        ("dynamic-name", "$(a) b"),
        ("dynamic-name", "r? a"),
        ("dynamic-name", "~/a"),
        ("function", "a() { b; }"),
        ("function", "function a { b; }"),
        ("coproc", "coproc a"),
        ("time", "time"),
        ("time", "time -p"),
        ("time", "a | time b"),
        ("time", "a | time b | c"),
        ("read-in-two-ways", "time A=1 a"),
        ("read-in-two-ways", "time time a"),
        ("array", "echo ${x[0]}"),
        ("array", "echo ${PIPESTATUS[x]}"),
        ("array", "echo ${PIPESTATUS[$(a)]}"),
        ("array", "echo ${PIPESTATUS[0]:-a}"),
        ("array", "echo ${#PIPESTATUS[@]}"),
        ("array", "PIPESTATUS[0]=1"),
        ("process-substitution", "a x<(b)"),
        ("process-substitution", "x=<(b)"),
        ("process-substitution", "a >(b)"),
        ("process-substitution", "a > >(b)"),
        ("arithmetic", "echo $((x + 1))"),
        ("arithmetic", "echo $((`a` + 1))"),
        ("arithmetic", "let x=1"),
        ("indirect-expansion", "echo ${!x}"),
        ("indirect-expansion", "echo ${x@P}"),
        ("expansion-operator", "echo ${x:=a}"),
        ("expansion-operator", "echo ${x:-$(a)}"),
        ("expansion-operator", "echo ${x:1:2}"),
        ("array", "x=(a b)"),
        ("array", "x[$(a)]=1"),
        ("array", "echo ${x[$(a)]}"),
        ("append-assignment", "x+=a"),
        ("declaration", "declare x=1"),
        ("declaration", "export {a,b}=1"),
        ("declaration", 'export "$x"'),
        ("select", "select x in a; do b; done"),
        ("counting-loop", "for ((i = 0; i < 3; i++)); do a; done"),
        ("case-falls-through", "case a in a) b ;& c) d ;; esac"),
        ("case-pattern", "case a in $x) b ;; esac"),
        ("test-of-variable", "[[ -v x ]]"),
        ("test-of-variable", "[ -v x ]"),
        ("test-of-variable", "test -v x"),
        ("test-of-number", "[[ $x -eq 1 ]]"),
        ("test-of-number", "[[ a -eq 1 ]]"),
        ("test-not-quoted", "[ $x = a ]"),
        ("test-operator", 'test "$x" a'),
        ("subscript", "printf -v 'a[$(b)]' x"),
        ("subscript", "read 'a[`b`]'"),
        ("subscript", "x='a[$(b)]'"),
        ("subscript", "for x in 'a[$(b)]'; do c; done"),
        ("translated-string", 'echo $"a"'),
        ("escape", r"echo $'\cA'"),
        ("escape", r"echo $'\x00'"),
        ("backquotes", r"echo `echo \`rm x\``"),
        ("backquotes", "echo `cat <<'E'\n$(b) `b`\nE\n`"),
        ("heredoc-mark", "cat <<E-F\nx\nE-F"),
        ("heredoc-empty", "cat <<EOF\nEOF"),
        ("heredoc-in-substitution", "y $(a <<E\nb\nE\nx;c f1)"),
        ("heredoc-in-substitution", "y \"$(a <<'E'\nb\nE\nx;c f1)\""),
        ("heredoc-in-substitution", "x=$( (a <<E\nb\nE\nx;c f1))"),
        ("heredoc-in-substitution", "y $(if a; then b <<E\nb\nE\nx;c f1; fi)"),
        ("heredoc-escape", "cat <<EOF\na\\\nb\nEOF"),
        ("redirect", "a {fd}> f"),
        ("redirect", "a >& -b"),
        ("redirect", "a >& $x"),
        ("redirect", "a >& 'b$(c)'"),
        ("dynamic-name", "1=a[0]=1 x=1"),
        ("too-many-parts", "echo " + "a " * 5000),
        ("too-many-parts", "echo " + "$x " * 400),
        ("too-many-parts", "echo '" + "$" * 1501 + "'"),
        ("too-many-parts", "a " + "<<E " * 17),
    ],
)
def test_what_cannot_be_judged_is_refused_by_a_rule(expected: str, line: str) -> None:
    assert rule(line) == expected


def test_special_numbers_are_safe_in_tests() -> None:
    assert [rule(line) for line in ("[ $? -eq 0 ]", "[[ $# -gt 1 ]]", '[ "$x" -gt 1 ]')] == [""] * 3


def test_the_most_that_is_read() -> None:
    assert rule("; ".join(["a"] * 64)) == ""
    assert rule("echo " + "$(a " * 16 + ")" * 16) == ""
    assert rule("echo " + "a" * 16379) == ""


@pytest.mark.parametrize(
    "line",
    [
        "echo " + "$(" * 300 + "a" + ")" * 300,
        "$(" * 8000,
        "{ " * 5000,
        "a;" * 8000,
        "a &&" * 4000 + " a",
        "[[ " + "( " * 5000,
        "a | " * 4000 + "a",
        "<<E " * 4000,
    ],
)
def test_no_amount_of_anything_is_too_much_to_refuse(line: str) -> None:
    assert isinstance(parse_line(line, shfmt=shfmt()), UnreadableLine)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (ParserUnavailable("missing"), "no-parser"),
        (MalformedLine("1:1: no"), "not-shell"),
        (SyntaxTree(b"no json"), "parser-failed"),
        (SyntaxTree(b"{}"), "read-in-two-ways"),
        (SyntaxTree(b'{"Type": "File", "News": 1}'), "construct"),
        (SyntaxTree(b'{"Stmts": [{"Cmd": {"Type": "NewClause"}}]}'), "construct"),
        (SyntaxTree(b'{"Stmts": [{"Cmd": {"Type": "CallExpr", "Args": [{}]}}]}'), "parser-failed"),
    ],
)
def test_a_second_parser_that_does_not_say_the_same_refuses_the_line(
    printed: ParserOutput, expected: str
) -> None:
    found = parse_line("echo $x", shfmt=lambda _: printed)
    assert found == UnreadableLine(REASONS[expected], expected)


def test_a_parser_that_raises_refuses_the_line() -> None:
    def broken(line: str) -> ParserOutput:
        raise RecursionError(line)

    found = parse_line("echo $x", shfmt=broken)
    assert found == UnreadableLine(REASONS["parser-failed"], "parser-failed")


def test_a_missing_tree_sitter_refuses_every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("No module named 'tree_sitter'")

    monkeypatch.setattr(treesitter_outline, "_parser", missing)
    found = parse_line("ls", shfmt=shfmt())
    assert found == UnreadableLine(REASONS["parser-failed"], "parser-failed")


@given(st.text(alphabet=st.sampled_from("ab1 \n\t;&|(){}[]<>$`'\"\\#!=~*?é"), max_size=40))
def test_no_text_makes_the_reader_raise(line: str) -> None:
    assert isinstance(
        parse_line(line, shfmt=lambda _: ParserUnavailable("none")), ParsedLine | UnreadableLine
    )


@given(st.text(max_size=60))
def test_no_characters_make_the_reader_raise(line: str) -> None:
    assert isinstance(
        parse_line(line, shfmt=lambda _: ParserUnavailable("none")), ParsedLine | UnreadableLine
    )


@pytest.mark.parametrize(
    "line", ["{\U000dbba0", "a {\U0010ffff,b}", "a[\U000dbba0]=1", "${x\U000dbba0}"]
)
def test_characters_of_high_numbers_do_not_bring_the_parser_down(line: str) -> None:
    assert isinstance(parse_line(line, shfmt=shfmt()), UnreadableLine)


def test_every_reason_is_a_sentence_of_its_own() -> None:
    assert len(set(REASONS.values())) == len(REASONS)
    assert [text for text in REASONS.values() if not text.endswith(".")] == []
