"""Which paths a command reads, writes and deletes. Pure."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from treadle.policy.light.pipes import found_paths
from treadle.policy.light.tables import (
    CHANGES_MODE,
    CHOOSING,
    CODE_OPTIONS,
    COPIES,
    DELETES,
    EDITS_IN_PLACE,
    EXCLUDING,
    GIT_READS,
    GIT_VALUES,
    IN_PLACE,
    INTERPRETERS,
    LOOKS,
    OUTPUT_OPTIONS,
    PATTERN_FILES,
    PATTERN_FIRST,
    PATTERN_OPTIONS,
    SHELLS,
    SHOWS,
    WRITES,
)
from treadle.policy.shell.syntax import ShellCommand, Word

# show: it prints the content. use: it may read the file. choose: a filter for files.
Access = Literal["show", "use", "choose", "write", "delete"]


@dataclass(frozen=True, slots=True)
class PathUse:
    word: Word
    access: Access


def find_paths(command: ShellCommand, name: str) -> Iterator[PathUse]:
    """Every word of the command that may be a path, with what happens to it."""
    for redirect in command.redirects:
        match redirect.kind:
            case "read" | "both":
                yield PathUse(redirect.target, "show")
            case "write" | "append":
                yield PathUse(redirect.target, "write")
            case "duplicate" | "heredoc" | "herestring":
                pass
    if command.words:
        yield from _find_in_words(name, command.arguments)


def _find_in_words(name: str, words: tuple[Word, ...]) -> Iterator[PathUse]:
    if name == "git":
        yield from _find_in_git(words)
        return
    if name == "dd":
        yield from _find_in_dd(words)
        return
    if name in ("find", "fd", "fdfind"):
        deletes = any(word.text == "-delete" for word in words)
        paths = found_paths(words) if deletes else ()
        yield from (PathUse(Word(path, expands=True), "delete") for path in paths)
        return
    operands = yield from _find_in_options(name, words)
    brought = PATTERN_OPTIONS | PATTERN_FILES
    if name in PATTERN_FIRST and not any(word.text in brought for word in words):
        operands = operands[1:]
    yield from _use_operands(name, words, operands)


def _use_operands(name: str, words: tuple[Word, ...], operands: list[Word]) -> Iterator[PathUse]:
    if name in COPIES:
        yield from _find_in_copy(name, words, operands)
    elif name in DELETES:
        yield from (PathUse(word, "delete") for word in operands)
    elif name in CHANGES_MODE:
        yield from (PathUse(word, "write") for word in operands[1:])
    elif name in EDITS_IN_PLACE and any(IN_PLACE.fullmatch(word.text) for word in words):
        for word in operands:
            yield PathUse(word, "write")
            yield PathUse(word, "show")
    else:
        yield from (PathUse(word, access) for access in _accesses(name) for word in operands)


def _accesses(name: str) -> Iterator[Access]:
    if name in WRITES:
        yield "write"
    if name in SHOWS or name in PATTERN_FIRST:
        yield "show"
    elif name not in LOOKS:
        yield "use"


def _find_in_options(name: str, words: tuple[Word, ...]) -> Generator[PathUse, None, list[Word]]:
    """Yields the paths in options, and returns the operands."""
    operands: list[Word] = []
    at, ended = 0, False
    while at < len(words):
        word = words[at]
        at += 1
        if ended or not word.text.startswith("-") or word.text == "-":
            operands.append(word)
        elif word.text == "--":
            ended = True
        else:
            option, sign, value = word.text.partition("=")
            kind = _option_kind(name, option)
            if sign:
                given = replace(word, text=value)
            elif kind is not None and at < len(words):
                given = words[at]
                at += 1
            else:
                continue
            if kind != "text":
                yield PathUse(given, kind or "use")
    return operands


def _option_kind(name: str, option: str) -> Access | Literal["text"] | None:
    """What the value of an option is; None if it may have none."""
    if option in CODE_OPTIONS and (INTERPRETERS.fullmatch(name) or name in SHELLS):
        return "text"
    if name in PATTERN_FIRST and option in PATTERN_OPTIONS | PATTERN_FILES:
        return "text" if option in PATTERN_OPTIONS else "show"
    if EXCLUDING.fullmatch(option):
        return "text"
    if option in OUTPUT_OPTIONS:
        return "write"
    return "choose" if option in CHOOSING else None


def _find_in_copy(name: str, words: tuple[Word, ...], operands: list[Word]) -> Iterator[PathUse]:
    into = [
        words[at + 1]
        for at, word in enumerate(words[:-1])
        if word.text in ("-t", "--target-directory")
    ]
    targets = into or operands[-1:]
    sources = [word for word in operands if not any(word is target for target in targets)]
    yield from (PathUse(word, "write") for word in targets)
    for word in sources:
        yield PathUse(word, "show")
        if name == "mv":
            yield PathUse(word, "delete")


def _find_in_dd(words: tuple[Word, ...]) -> Iterator[PathUse]:
    for word in words:
        name, _, path = word.text.partition("=")
        if name == "of":
            yield PathUse(replace(word, text=path), "write")
        elif name == "if":
            yield PathUse(replace(word, text=path), "show")


def git_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The sub-command of git and what follows it."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in GIT_VALUES else 1
    return words[at:]


def _find_in_git(words: tuple[Word, ...]) -> Iterator[PathUse]:
    own = git_words(words)
    sub = own[0].text if own else ""
    operands = [
        word for word in own[1:] if not word.text.startswith(("-", ":!", ":^", ":(exclude"))
    ]
    if sub == "rm":
        cached = any(word.text == "--cached" for word in own)
        yield from (PathUse(word, "delete") for word in operands if not cached)
    elif sub == "mv":
        yield from _find_in_copy("mv", own[1:], operands)
    elif sub in GIT_READS:
        paths = operands[1:] if sub == "grep" else operands
        for word in paths:
            # `HEAD:path` is a file of a commit.
            path = word.text.rpartition(":")[2]
            yield PathUse(replace(word, text=path), "show")
