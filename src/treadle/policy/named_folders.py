"""Which folders a script starts files of without naming them, and which plain words. Pure.

`run-parts hooks.d`, `for x in hooks.d/*; do sh "$x"; done`, `exec "$ROOT/hooks/$name"` and
`go run ./tools/lint` name no file. What they start lies in the folder.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

_MOST_COMMANDS = 5_000
_LONGEST_COMMAND = 4_096
_COMMENT = re.compile(r"(?m)(?:^|\s)#.*$")
_SUBSTITUTED = re.compile(r"\$\([^()\n]{0,500}\)|`[^`\n]{0,500}`|\$\{[^}\n]{0,200}\}")
_COMMAND = re.compile(r"[^\n;|&(){}]+")
_WORD = re.compile(r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'])+")
_LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^\n;]{1,2000})")
# `find DIR … -exec sh {}`, `ls DIR/* | xargs -n1 sh`
_EACH = re.compile(
    r"\b(?:find|ls|printf|echo)\s([^\n;]{1,500}?)"
    r"(?:-exec(?:dir)?|-ok|\|\s*xargs(?:\s+-\S+)*(?:\s+\d+)?)\s+(\S+)"
)
_PATH = re.compile(r"[\w.@+~/-]+[*?]?[\w.*?-]*")
_KEYWORDS = frozenset(
    ("then", "do", "else", "elif", "if", "while", "until", "time", "!", "eval", "-")
)
# A command line in JSON, TOML and the like.
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.){1,4096})\"")
_PREFIXES = frozenset(("exec", "env", "command", "nice", "nohup", "sudo", "builtin"))
_INTERPRETERS = re.compile(
    r"(?:.*/)?(?:sh|bash|dash|zsh|ksh|fish|source|python[\d.]*|node|deno|bun|ruby|perl|php|lua)|\."
)
_ASSIGNED = re.compile(r"\w+=.*", re.DOTALL)
_VARIES = re.compile(r"[$*?\[]")
_VARIABLE = re.compile(r"\$\w+|\$")
# Commands that take a folder with a program as it is, after their own first word.
_OF_FOLDERS = {"go": ("run",), "dotnet": ("run",), "cargo": ("run",)}
_FOLDER_OPTIONS = ("--project", "--manifest-path", "-C")


@dataclass(frozen=True, slots=True)
class StartedWords:
    """Folders whose files run, those with all that is below them, and plain names that run."""

    folders: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


def started_words(text: str) -> StartedWords:
    """Read the commands of a script, or a line of a settings file that holds one."""
    strings = (found[1].replace("\\", "") for found in _STRING.finditer(text) if " " in found[1])
    plain = "\n".join([_COMMENT.sub("", text), *strings])
    loops = {found[1]: found[2] for found in _LOOP.finditer(plain)}
    started = [StartedWords(folders=frozenset(_each(found))) for found in _EACH.finditer(plain)]
    for _ in range(2):
        plain = _SUBSTITUTED.sub("$_", plain)
    for command in islice(_COMMAND.finditer(plain), _MOST_COMMANDS):
        words = [_unquoted(word) for word in _WORD.findall(command[0][:_LONGEST_COMMAND])]
        if words := _without_prefix(words):
            started.append(_started_by(words, loops))
    folders, trees, names = (
        frozenset(word for each in started for word in getattr(each, kind) if word)
        for kind in ("folders", "trees", "names")
    )
    return StartedWords(folders, trees, names)


def _started_by(words: list[str], loops: Mapping[str, str]) -> StartedWords:
    """What one command starts; `loops` has the lists of variables."""
    trees = frozenset(_trees(words))
    rest = [word for word in words[1:] if not word.startswith("-")]
    if words[0].rpartition("/")[2] == "run-parts":
        return StartedWords(frozenset(rest))
    is_run = _INTERPRETERS.fullmatch(words[0]) is not None
    program = "".join(rest[:1]) if is_run else words[0]
    variable = re.fullmatch(r"(?:\./)?\$(\w+)", program)
    if variable and variable[1] in loops:
        return StartedWords(frozenset(_listed(loops[variable[1]])))
    if _VARIES.search(program):
        return StartedWords(frozenset((_fixed_folder(program),)))
    named = frozenset((program,) if is_run else ())
    return StartedWords(named, trees, named)


def _unquoted(word: str) -> str:
    return word.replace('"', "").replace("'", "")


def _without_prefix(words: list[str]) -> list[str]:
    """Without `exec`, `X=1`, a key of YAML, and the mark of a git alias that is a command."""
    while words and (
        words[0] in _KEYWORDS
        or words[0] in _PREFIXES
        or words[0].endswith(":")
        or _ASSIGNED.fullmatch(words[0])
    ):
        words = words[1:]
    return [words[0].lstrip("!"), *words[1:]] if words else []


def _trees(words: list[str]) -> Iterator[str]:
    verbs = _OF_FOLDERS.get(words[0], ())
    if not verbs or words[1:2] != list(verbs):
        return
    for at, word in enumerate(words[2:], start=2):
        option, equals, value = word.partition("=")
        if option in _FOLDER_OPTIONS and not equals:
            value = "".join(words[at + 1 : at + 2])
        elif not word.startswith("-") and words[0] == "go":
            value = word
        if value.endswith((".toml", ".csproj", ".fsproj", ".go")):
            value = value.rpartition("/")[0]
        yield _VARIABLE.sub("", value)


def _each(found: re.Match[str]) -> Iterator[str]:
    program = _unquoted(found[2])
    if _INTERPRETERS.fullmatch(program) or program == "{}":
        yield from _listed(found[1])


def _listed(words: str) -> Iterator[str]:
    """The folders among paths and patterns: `DIR/*`, `$(ls DIR)`."""
    for word in _PATH.findall(_unquoted(words)):
        if "/" in word or word not in ("ls", "find", "name", "type"):
            yield _fixed_folder(word) if _VARIES.search(word) else word


def _fixed_folder(word: str) -> str:
    """`hooks` of `$ROOT/hooks/$name.sh` and of `hooks/*.sh`."""
    beginning = _VARIABLE.sub("", word, count=1) if word.startswith("$") else word
    fixed = _VARIES.split(beginning)[0]
    return fixed.rpartition("/")[0]
