"""Random lines: shell tokens in any order, and cases with tokens taken out, put in and swapped."""

import random
import re
from collections.abc import Iterator, Sequence

TOKENS = (
    *("a", "b", "rm", "ls", "cat", "x", "y", "git", "-v", "-f", "--", "f1", "f2", "1", "2"),
    *(" ", " ", " ", " ", "\t", "\n", "\\\n", "\\", "#", "!", "~", "=", "x=1", "y=", "+="),
    *(";", ";;", "&", "&&", "|", "||", "|&", "(", ")", "{", "}", "{ ", "; }", "((", "))"),
    *("'", '"', "`", "$(", "${", "$((", "$'", '$"', "$x", '"$x"', "${x}", "${x:-a}", "${x:=b}"),
    *("<", ">", ">>", "<<<", "<>", ">|", "&>", ">&", "2>&1", "2>", "<(", ">(", "<&-", "{fd}>"),
    *(
        "<<E\n",
        "<<'E'\n",
        "<<-E\n",
        "\nE\n",
        "E",
        "<<E",
        "<<E | b\n",
        "<<'E' 2>&1 | b\n",
        "<<'E'; a\n",
    ),
    *("if ", "; then ", "; else ", "; elif ", "; fi", "for x in ", "; do ", "; done"),
    *("while ", "until ", "case x in ", "a) ", ";; esac", "esac", "in"),
    *("function ", "time ", "coproc ", "select ", "=~", "==", "[ ", " ]", "[[ ", " ]]"),
    *("echo ", "printf ", "true", "false", "export ", "test ", "cd ", ":", "read "),
    *("*", "?", "[a]", "{a,b}", "a[0]=1", "@(a|b)", "'a b'", '"a b"', "$'\\x61'", "\\x61"),
    *('"a \\\n b"', "\\a", '"$(a b)"', "$(b)", "`a`", "HEAD~1", "'$(a)'", '"\\$(a)"'),
)
_PIECES = re.compile(r"\w+|[ \t]+|.", re.DOTALL)


def lines(seed: int, cases: Sequence[str]) -> Iterator[str]:
    """Lines without end, the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311  # strings to try, no secrets
    makers = (_soup, _soup, _statement, _mutation, _grown)
    while True:
        yield chance.choice(makers)(chance, cases)


def _soup(chance: random.Random, cases: Sequence[str]) -> str:
    return "".join(chance.choices(TOKENS, k=chance.randint(2, 10)))


def _statement(chance: random.Random, cases: Sequence[str]) -> str:
    """Soup between commands, where more of it is well formed."""
    parts = [chance.choice(("a", "ls ", "cat f1", "x=1", "echo ", "rm "))]
    for _ in range(chance.randint(1, 4)):
        parts.append(chance.choice((" ", "", ";", "\n", " && ", " | ", " || ")))
        parts.extend(chance.choices(TOKENS, k=chance.randint(1, 4)))
    return "".join(parts)


def _mutation(chance: random.Random, cases: Sequence[str]) -> str:
    pieces = _PIECES.findall(chance.choice(cases))
    for _ in range(chance.randint(1, 3)):
        spot = chance.randrange(len(pieces) + 1)
        match chance.randrange(4):
            case 0:
                pieces[spot : spot + 1] = []
            case 1:
                pieces.insert(spot, chance.choice(TOKENS))
            case 2:
                pieces[spot : spot + 1] = [chance.choice(TOKENS)]
            case _:
                pieces[spot : spot + 2] = reversed(pieces[spot : spot + 2])
    return "".join(pieces)


def _grown(chance: random.Random, cases: Sequence[str]) -> str:
    """A line after the rules of the language, then at times a token where none belongs."""
    line = _script(chance, chance.choice((0, 0, 1, 1, 2)))
    if chance.random() < 0.3:
        spot = chance.randrange(len(line) + 1)
        line = line[:spot] + chance.choice(TOKENS) + line[spot:]
    return line


def _script(chance: random.Random, depth: int) -> str:
    joins = ("; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";", "&&", "|")
    parts = [_command(chance, depth)]
    for _ in range(chance.choice((0, 0, 1, 2))):
        parts.extend((chance.choice(joins), _command(chance, depth)))
    return "".join(parts)


def _command(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.6:
        return _call(chance, depth)
    inner, other = _script(chance, depth - 1), _script(chance, depth - 1)
    word = _word(chance, depth - 1)
    return chance.choice(
        (
            f"({inner})",
            f"{{ {inner}; }}",
            f"! {inner}",
            f"if {inner}; then {other}; fi",
            f"if {inner}; then {other}; else {inner}; fi",
            f"for x in {word} {word}; do {inner}; done",
            f"case {word} in a) {inner} ;; *) {other} ;; esac",
            f"until {inner}; do {other}; break; done",
            f"[ {word} = {word} ]",
            f"[[ {word} == {word} ]]",
            f"({inner}) > f1",
            f"{{ {inner}; }} 2>&1 | a",
        )
    )


def _call(chance: random.Random, depth: int) -> str:
    words = [chance.choice(("a", "b", "'a'", "\\a", "echo", "r'm'", "x", "printf", "cd", "test"))]
    words += [_word(chance, depth) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.2:
        words.insert(0, f"x={_word(chance, depth)}")
    if chance.random() < 0.3:
        operator = chance.choice((">", ">>", "<", "2>", "&>", ">&", "<<<", ">|", "1>&"))
        words.insert(chance.randint(0, len(words)), f"{operator}{_word(chance, depth)}")
    if chance.random() < 0.15:
        words.append(chance.choice(_HERE_DOCUMENTS))
    return chance.choice((" ", " ", " ", "  ", " \\\n")).join(words)


def _word(chance: random.Random, depth: int) -> str:
    return "".join(_part(chance, depth) for _ in range(chance.choice((1, 1, 1, 2, 3))))


def _part(chance: random.Random, depth: int) -> str:
    if depth > 0 and chance.random() < 0.2:
        inner = _script(chance, depth - 1)
        return chance.choice(
            (f"$({inner})", f'"$({inner})"', f"`{inner}`", f"${{x:-{inner}}}", f"<({inner})")
        )
    return chance.choice(_ODD_PARTS if chance.random() < 0.1 else _PARTS)


_HERE_DOCUMENTS = (
    *("<<E\n$x $(b)\nE\n", "<<'E'\n$(b) `b`\nE\n", "<<E | a\nb\nE\n", "<<'E'; a\n$(b)\nE\n"),
    *(
        "<<'E' 2>&1 | a\nb\nE\n",
        '<<"E" > f1 2>&1 && a\nb\nE\nx',
        "<<'E'\na\n E\nE\n",
        "<<-E\n\ta\n\tE\n",
    ),
)
_PARTS = (
    *("a", "f1", "-v", "1", "~", "*", "{a,b}", "[a]", ":", "%", "@", "+", ",", "a#b", "HEAD~1"),
    *("''", '""', "'a b'", '"a b"', "'$x'", "'`a`'", "'\\'", '"\\\\"', '"\\$x"', '"\\`"', '"\\a"'),
    *("\\ ", "\\$", "\\'", '\\"', "\\\\", "$'\\''", "$'a\\tb'", "$'\\x41'", "'é'", '"é"'),
    *("$x", "${x}", '"$x"', '"${x}"', "$?", '"$@"', "${#x}", "${x%a}", "${x/a/b}", "$((1+2))"),
    *('"$"', "'a\nb'", '"a\nb"'),
)
_ODD_PARTS = (
    *(
        "=",
        "#",
        "!",
        "^",
        "\\;",
        "\\|",
        "\\\n",
        "$1",
        "$",
        "a$",
        "é",
        "{",
        "}",
        "]",
        "if",
        "do",
        "in",
    ),
    *('"\\\n"', '"a \\\nb"', "$'\\e'", "$[1]", "&", "${x", "$(", "`", "<", ">", "(", ")"),
)
