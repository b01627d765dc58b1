"""Which paths a command reads, writes and deletes. Pure."""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from posixpath import basename
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

_TARGET = re.compile(r"(?:-[A-Za-z]*t|--target-directory=?)(?P<given>.*)")
_GIT_OUTPUT = re.compile(r"(?:-o|--output(?:-directory)?(?:=|$))(?P<path>.*)")
_GIT_NO_PATH = ("-", ":!", ":^", ":(exclude")
# With these, `git log` and `git stash show` print the changes of files.
_GIT_SHOWS = ("-p", "--patch", "-L")

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
            case "read":
                yield PathUse(redirect.target, "show")
            case "both":
                yield PathUse(redirect.target, "show")
                yield PathUse(redirect.target, "write")
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
            option, sign, value = _split_option(word.text)
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


def _split_option(text: str) -> tuple[str, str, str]:
    """`--name=value`; a filter of ripgrep may follow its letter at once."""
    if text.startswith("-g") and len(text) > len("-g"):
        return "-g", "=", text.removeprefix("-g").removeprefix("=")
    return text.partition("=")


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
    targets = list(_target_directories(words)) or operands[-1:]
    taken = {target.text for target in targets}
    sources = [word for word in operands if word.text not in taken]
    for target in targets:
        yield PathUse(target, "write")
        # If the target is a directory, the names stay as they are.
        for source in sources:
            inside = f"{target.text.rstrip('/')}/{basename(source.text.rstrip('/'))}"
            yield PathUse(replace(source, text=inside), "write")
    for word in sources:
        yield PathUse(word, "show")
        if name == "mv":
            yield PathUse(word, "delete")


def _target_directories(words: tuple[Word, ...]) -> Iterator[Word]:
    """`-t DIR`, `-tDIR`, `-at DIR`, `--target-directory=DIR`."""
    for at, word in enumerate(words):
        if found := _TARGET.fullmatch(word.text):
            if found["given"]:
                yield replace(word, text=found["given"])
            else:
                yield from words[at + 1 : at + 2]


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
    sub, texts = own[0].text if own else "", [word.text for word in own[1:]]
    for at, text in enumerate(texts):
        if found := _GIT_OUTPUT.fullmatch(text):
            path = found["path"] or (texts[at + 1] if at + 1 < len(texts) else "")
            yield PathUse(Word(path), "write")
    operands = [word for word in own[1:] if not word.text.startswith(_GIT_NO_PATH)]
    if sub == "rm":
        yield from (PathUse(word, "delete") for word in operands if "--cached" not in texts)
    elif sub == "mv":
        yield from _find_in_copy("mv", own[1:], operands)
    elif sub in GIT_READS or any(text.startswith(_GIT_SHOWS) for text in texts):
        paths = operands[1:] if sub == "grep" else operands
        traced = [word for word in own[1:] if word.text.startswith("-L")]
        for word in (*paths, *traced):
            # `HEAD:path` is a file of a commit; git itself matches patterns.
            path = word.text.rpartition(":")[2]
            yield PathUse(replace(word, text=path, expands=True), "show")
