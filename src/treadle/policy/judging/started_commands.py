"""Commands and scripts that a tool of the project starts because its line names them. Pure."""

import re
import shlex
from collections.abc import Iterator

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import ITEM

_ASSIGNED = re.compile(r"\w+=.*", re.DOTALL)
_PYTHON = re.compile(r"python[\d.]*|coverage")
# They start what follows, with variables.
_PREFIXES = names("cross-env cross-env-shell dotenv dotenvx dotenv-cli env-cmd")
# They start each text with blanks; some of them also scripts by name.
_OF_LINES = names(
    "concurrently nodemon start-server-and-test onchange chokidar tsc-watch watchexec entr"
)
_OF_SCRIPTS = names("npm-run-all npm-run-all2 run-s run-p concurrently")
_TARGETS = names("make gmake rake just task gulp grunt ant invoke poe mage")
_PACKAGE_TOOLS = names("npm pnpm yarn bun")
_OF_TARGETS = names("ant mage poe lein")
_RUNNERS = [(tool, "run") for tool in ("hatch", "pdm", "rye", "pipenv")]
_RUN_SCRIPTS = {
    *_RUNNERS,
    *(("lerna", "run"), ("bazel", "run"), ("bazelisk", "run")),
    *(("cargo", "make"), ("cargo", "xtask")),
}
_RUN_COMMANDS = {*_RUNNERS, ("lerna", "exec")}
# Options whose values are names of scripts.
_OPTIONS = {
    "node": names("--run"),
    "tox": names("-e --env"),
    "nox": names("-s --session --sessions -e"),
}
_MOST_WORDS = 200


def started_commands(words: list[str]) -> Iterator[list[str]]:
    """The further commands of a line. A script by its name is `npm run NAME`; what `xargs` puts in
    the place of a name may be any."""
    name, rest = words[0], [_unmarked(word) for word in words[1:_MOST_WORDS]]
    if ITEM in rest:
        yield from _with_any_name(name, rest)
    if name in _PREFIXES:
        yield _first_command(rest)
    if name in _OF_LINES:
        yield from (_split(word) for word in rest if " " in word)
    if name in _OF_SCRIPTS:
        plain = [word for word in rest if not word.startswith("-") and " " not in word]
        yield from (["npm", "run", word.removeprefix("npm:")] for word in plain)
    if _PYTHON.fullmatch(name):
        # `coverage run -m twine upload`: what measures a module runs it.
        at = [number for number, word in enumerate(rest) if word == "-m"]
        yield from (rest[number + 1 :] for number in at[name != "coverage" :])
    yield from _by_command(name, rest)


def _unmarked(word: str) -> str:
    return ITEM if word == f"${ITEM}" else word


def _by_command(name: str, rest: list[str]) -> Iterator[list[str]]:
    """Scripts that sub-commands name."""
    command, operands = "".join(rest[:1]), [each for each in rest[1:] if not each.startswith("-")]
    if name in _OF_TARGETS:
        yield ["make", *(word for word in rest if not word.startswith("-"))]
    if (name, command) in _RUN_SCRIPTS:
        yield ["make", *(operands[:1] or [command])]
    if (name, command) in _RUN_COMMANDS:
        yield _first_command(rest[1:])
    if name in _OPTIONS:
        listed = ",".join(_values(rest, _OPTIONS[name]))
        yield ["make", *listed.split(",")]


def _with_any_name(name: str, rest: list[str]) -> Iterator[list[str]]:
    if name in _TARGETS and any(
        word == ITEM and not before.startswith("-")
        for before, word in zip(["", *rest], rest, strict=False)
    ):
        yield ["make", "deploy"]
    if name in _PACKAGE_TOOLS and ITEM in (*rest[:1], *(rest[1:2] if rest[:1] == ["run"] else ())):
        yield ["npm", "publish"]


def _first_command(words: list[str]) -> list[str]:
    if "--" in words:
        return words[words.index("--") + 1 :]
    for at, word in enumerate(words):
        if not word.startswith("-") and not _ASSIGNED.fullmatch(word):
            return words[at:]
    return []


def _values(words: list[str], options: frozenset[str]) -> list[str]:
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        if name in options:
            found.append(value if equals else following)
        elif word[:2] in options and word[:2] != "--":
            found.append(word[2:])
    return found


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
