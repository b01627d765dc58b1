"""The light policy beyond its table: broken input, long lines, databases within reach."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk
from treadle.domain.agent import Allow, Ask, Deny
from treadle.domain.shell import ParserUnavailable, SyntaxTree
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.light.line_decision import (
    LONGEST_BYTES,
    LONGEST_LINE,
    decide_light_line,
)
from treadle.wiring.policy import system_lookups

HERE = ShellContext("/project")
LOOKS = system_lookups()


def rule_of(line: str, context: ShellContext = HERE) -> str:
    return decide_light_line(line, context, lookups=LOOKS).rule


def test_a_question_has_the_whole_line_as_its_subject() -> None:
    line = "npm test && timeout 60 npm publish"

    assert decide_light_line(line, HERE, lookups=LOOKS) == Ask(
        "A person must agree: It publishes to people outside this project.", line, "gate-publish"
    )


def test_a_refusal_wins_over_a_question() -> None:
    assert rule_of("npm publish; cat .env") == "secret-file"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("for f in a b; do echo $f; done", "light"),
        ("for f in a b; do cat .env; done", "secret-file"),
        ("x=$(sudo id)", "escape"),
        ("`printf %s sudo` id", "escape"),
    ],
)
def test_without_the_parser_the_text_is_searched(line: str, rule: str) -> None:
    assert decide_light_line(line, HERE, lookups=empty_disk()).rule == rule


@pytest.mark.parametrize("tree", [b"{", b'{"Stmts": [{"Cmd": {"Args": 1}}]}'])
def test_a_tree_that_cannot_be_read_is_searched_as_text(tree: bytes) -> None:
    lookups = replace(empty_disk(), shfmt=lambda line: SyntaxTree(tree))

    decision = decide_light_line("echo $(cat .env)", HERE, lookups=lookups)

    assert decision.rule == "secret-file"


def test_a_long_here_document_is_read_and_a_longer_one_is_searched_without_its_text() -> None:
    text = "sudo cat .env\n"
    for size in (LONGEST_BYTES // 2, LONGEST_BYTES * 2):
        document = text * (size // len(text))
        assert rule_of(f"cat > notes.md <<'EOF'\n{document}EOF") == "light"
        assert rule_of(f"bash <<'EOF'\n{document}EOF") != "light"
        assert rule_of(f"cat > .git/config <<'EOF'\n{document}EOF") == "protected-path"


HELD = ("sudo id", "cat .env", "git push -f", "npm publish", "echo x > treadle.toml")


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize(
    "spelling", [":;" * 1001 + "{}", ":;" * 501 + "{} '", "echo " + "a " * 4100 + "\n{}"]
)
def test_nothing_is_hidden_by_more_than_can_be_read(held: str, spelling: str) -> None:
    line = spelling.replace("{}", held)

    assert decide_light_line(line, HERE, lookups=LOOKS) == Deny(
        "The line is too long to be read. Split it into several lines.", "line-too-long"
    )


@pytest.mark.parametrize("held", HELD)
def test_every_word_of_a_line_that_cannot_be_read_is_searched(held: str) -> None:
    line = f"env {'A=1 ' * 14}nice -n 5 {held} '"

    assert not isinstance(decide_light_line(line, HERE, lookups=LOOKS), Allow)


def test_many_secret_variables_in_a_line_that_cannot_be_read_are_found_at_once() -> None:
    line = "echo ' " + "".join(f"$A{number}_KEY " for number in range(600))

    assert rule_of(line) == "secret-variable"
    assert rule_of(line * 20) == "line-too-long"


@pytest.mark.parametrize(
    "line",
    [
        "(" * 3000,
        "$(" * 500 + ")" * 500,
        "`" * 999,
        "{a,b}" * 200,
        "x " * 50_000,
        "echo \ud800",
        "cat <<",
        "\0",
        "[[ ",
        "${x[",
        "+=[[ x",
    ],
)
def test_nothing_makes_it_fail(line: str) -> None:
    assert isinstance(decide_light_line(line, HERE, lookups=LOOKS), Allow | Ask | Deny)


@pytest.mark.parametrize(
    ("line", "closed", "opened"),
    [
        ("alembic upgrade head", "light", "gate-database"),
        ("npm run migrate", "light", "gate-script"),
        ("DATABASE_URL=sqlite:///x.db alembic upgrade head", "light", "light"),
        ("DATABASE_URL=postgres://localhost/x alembic upgrade head", "light", "light"),
        ("DATABASE_URL=postgres://db.example.com/x alembic upgrade head", *["gate-database"] * 2),
        ("NODE_ENV=production node seed.js", "light", "gate-production"),
    ],
)
def test_a_database_elsewhere_is_asked_about_if_it_is_named_or_can_be_reached(
    line: str, closed: str, opened: str
) -> None:
    reachable = replace(HERE, reachable=True)

    assert (rule_of(line), rule_of(line, reachable)) == (closed, opened)


def test_the_parser_that_fails_is_no_refusal() -> None:
    lookups = replace(LOOKS, shfmt=lambda line: ParserUnavailable("too slow"))

    assert decide_light_line("a=(1 2); npm test", HERE, lookups=lookups) == Allow(rule="light")


# A pattern that tried every brace with every comma would take hours.
@pytest.mark.parametrize(
    "word",
    [
        "{a," * 30_000,
        "{a," * 30_000 + "}" * 30_000,
        "{" * 60_000 + "}" * 60_000,
        "{" * 40_000 + "," * 40_000,
        "{a..a}" * 20_000,
        "{1..1}" * 20_000,
        "{" + "." * 90_000,
        "$(echo " + " " * 90_000,
        "$(echo " + "-a " * 30_000,
    ],
    ids=lambda word: word[:8],
)
def test_a_line_of_braces_or_blanks_is_judged_in_a_moment(word: str) -> None:
    assert rule_of(f"echo {word}")
    assert rule_of(f"sudo {word}") in ("escape", "line-too-long")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["a[", "a[$", "a[(", "`a["])
def test_a_value_of_many_subscripts_is_judged_in_a_moment(piece: str) -> None:
    assert rule_of(f"X='{piece * 100_000}' make")


def test_words_hidden_among_too_many_parts_of_a_list_are_found() -> None:
    assert rule_of("{sudo,id" + "," * 90 + "}") == "escape"


def test_a_line_that_no_shell_could_be_given_is_refused_unread() -> None:
    document = "a" * LONGEST_LINE

    assert rule_of(f"cat > notes.md <<'EOF'\n{document}\nEOF") == "line-too-long"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("cat /dev/zero", "endless"),
        ("sha256sum /dev/urandom", "endless"),
        ("cat /dev/zero | head -c 9", "light"),
        ("timeout 9 cat /dev/zero", "light"),
        ("head -c 9 /dev/urandom", "light"),
    ],
)
def test_reading_a_device_that_never_ends_is_refused_unless_something_ends_it(
    line: str, rule: str
) -> None:
    assert rule_of(line) == rule
