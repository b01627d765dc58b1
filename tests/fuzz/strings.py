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
    *("<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "E", "<<E", "<<E | b\n"),
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
    makers = (_soup, _soup, _statement, _mutation)
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
