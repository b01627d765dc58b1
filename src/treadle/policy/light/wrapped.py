"""Finds the commands and lines that a command runs: `env`, `xargs`, `sh -c`, `find -exec`. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from posixpath import basename
from typing import TypeAlias

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.program_lookup import BINSTUBS, TOOL_FOLDERS
from treadle.policy.light.pipes import found_paths
from treadle.policy.light.tables import (
    CODE_OPTIONS,
    EVALUATING,
    INTERPRETERS,
    RUNNERS,
    SHELLS,
    WRAPPERS,
    Wrapper,
)
from treadle.policy.shell.syntax import Assignment, ShellCommand, Word

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_SHELL_LINE = re.compile(r"-[A-Za-z]*c")
_SHELL_VALUES = names("-o +o -O +O --rcfile --init-file")
_ENDS = names("timeout gtimeout")
_FIND_RUNS = names("-exec -execdir -ok -okdir")
_FIND_ENDS = (";", "+")
_MOST_PATHS = 8
_FD_RUNS = names("-x -X --exec --exec-batch")
_TEXTS = frozenset({"heredoc", "herestring"})
_STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0"})
_ASKS_WHERE = names("-v -V")
_LONGEST_NAME = 3
_CONSOLES = names("artisan console manage.py")


@dataclass(frozen=True, slots=True)
class InnerCommand:
    command: ShellCommand
    # Whether something ends it after a time.
    ends: bool = False


@dataclass(frozen=True, slots=True)
class InnerLine:
    """A text that a shell runs."""

    text: str


Inner: TypeAlias = InnerCommand | InnerLine


def find_inner(command: ShellCommand, name: str) -> Iterator[Inner]:
    """All that the command named `name` runs, as far as the line says it."""
    words = command.arguments
    if name in SHELLS:
        yield from _run_by_shell(command)
    elif name in ("source", ".") and words and words[0].text in _STDIN:
        yield from _input_lines(command)
    elif name in EVALUATING:
        yield from _evaluated(name, words)
    elif name in ("find", "fd", "fdfind"):
        yield from _run_by_find(command, name)
    elif wrapper := WRAPPERS.get(name):
        yield from _unwrap(command, words, wrapper, name)
    elif INTERPRETERS.fullmatch(name):
        yield from _run_by_interpreter(command)
    else:
        yield from _run_by_runner(command, name)


def _run_by_shell(command: ShellCommand) -> Iterator[Inner]:
    waits_for_line = skips = False
    for word in command.arguments:
        if skips:
            skips = False
        elif word.text in _SHELL_VALUES:
            skips = True
        elif word.text.startswith(("-", "+")) and word.text != "-":
            waits_for_line |= bool(_SHELL_LINE.fullmatch(word.text))
        elif waits_for_line:
            yield InnerLine(word.text)
            return
        elif word.text not in _STDIN:
            return  # a script, which is not read here
    yield from _input_lines(command)


def _input_lines(command: ShellCommand) -> Iterator[Inner]:
    for redirect in command.redirects:
        if redirect.kind in _TEXTS:
            yield InnerLine(redirect.target.text)


def _evaluated(name: str, words: tuple[Word, ...]) -> Iterator[Inner]:
    if name == "eval":
        yield InnerLine(" ".join(word.text for word in words if word.text != "--"))
    elif name == "trap":
        yield from (InnerLine(word.text) for word in words[:1] if not word.text.startswith("-"))
    else:
        yield from (InnerLine(word.text.partition("=")[2]) for word in words if "=" in word.text)


def _run_by_find(command: ShellCommand, name: str) -> Iterator[Inner]:
    words = command.arguments
    runs = _FIND_RUNS if name == "find" else _FD_RUNS
    at = 0
    while at < len(words):
        at += 1
        if words[at - 1].text not in runs:
            continue
        rest = tuple(takewhile(lambda word: word.text not in _FIND_ENDS, words[at:]))
        before = words[: at - 1]
        named = [word.text for word in before if not word.text.startswith("-")]
        found = found_paths(before) if name == "find" else named
        at += len(rest)
        for path in found[:_MOST_PATHS] if rest else ():
            inner = _with_path(rest, path)
            if name != "find" and inner == rest:
                inner = (*rest, Word(path, expands=True))
            yield InnerCommand(replace(command, words=inner, redirects=()))


def _with_path(words: tuple[Word, ...], path: str) -> tuple[Word, ...]:
    return tuple(
        replace(word, text=word.text.replace("{}", path), expands=True)
        if "{}" in word.text
        else word
        for word in words
    )


def _unwrap(
    command: ShellCommand, words: tuple[Word, ...], wrapper: Wrapper, name: str
) -> Iterator[Inner]:
    if name == "command" and any(word.text in _ASKS_WHERE for word in words[:1]):
        return
    yield from _lines_in_options(words, wrapper)
    assignments, rest = _after_options(words, wrapper)
    if not rest:
        return
    if name == "xargs":
        rest = (*rest, *_piped_words(command))
    if wrapper.runs:
        rest = (Word(wrapper.runs), *rest)
    given = (*command.assignments, *assignments)
    # A wrapped command has the input of its wrapper.
    inner = replace(command, words=rest, assignments=given)
    yield InnerCommand(inner, ends=name in _ENDS)


def _lines_in_options(words: tuple[Word, ...], wrapper: Wrapper) -> Iterator[Inner]:
    for at, word in enumerate(words):
        option, sign, value = word.text.partition("=")
        if option not in wrapper.lines:
            continue
        following = words[at + 1 : at + 2]
        if sign:
            yield InnerLine(value)
        elif following:
            yield InnerLine(following[0].text)


def _after_options(
    words: tuple[Word, ...], wrapper: Wrapper
) -> tuple[tuple[Assignment, ...], tuple[Word, ...]]:
    """The assignments before the second command, and its words."""
    assignments: list[Assignment] = []
    operands, at = wrapper.operands, 0
    while at < len(words):
        text = words[at].text
        # A lone dash is an option of `env`, and no command's name.
        if text.startswith("-"):
            at += 2 if text in wrapper.values or text in wrapper.lines else 1
            continue
        if found := _ASSIGNED.fullmatch(text):
            assignments.append(Assignment(found[1], replace(words[at], text=found[2])))
        elif operands:
            operands -= 1
        else:
            break
        at += 1
    return tuple(assignments), words[at:]


def _piped_words(command: ShellCommand) -> Iterator[Word]:
    for redirect in command.redirects:
        if redirect.kind in _TEXTS:
            yield from (Word(text, expands=True) for text in redirect.target.text.split()[:32])


def _run_by_interpreter(command: ShellCommand) -> Iterator[Inner]:
    """`python -m flask` and `php artisan` as the tool that they run."""
    words = command.arguments
    for at, word in enumerate(words):
        if word.text in ("-m", "--module") and words[at + 1 : at + 2]:
            yield InnerCommand(replace(command, words=words[at + 1 :]))
            return
        if word.text in CODE_OPTIONS:
            return
        if not word.text.startswith("-"):
            if _is_tool(word.text):
                tool = replace(word, text=basename(word.text))
                yield InnerCommand(replace(command, words=(tool, *words[at + 1 :])))
            return


def _is_tool(path: str) -> bool:
    """Whether a file is the program of a tool; scripts of the project are not read."""
    name, parts = basename(path), path.split("/")
    in_tools = tuple(parts[-3:-1]) in TOOL_FOLDERS or (name in BINSTUBS and "bin" in parts)
    return in_tools or name in _CONSOLES


def _run_by_runner(command: ShellCommand, name: str) -> Iterator[Inner]:
    """`uv run`, `bundle exec`: options may stand between the words of the runner's name."""
    texts = [name]
    for at, word in enumerate(command.arguments):
        if word.text.startswith("-"):
            continue
        texts.append(word.text)
        if wrapper := RUNNERS.get(tuple(texts)):
            yield from _unwrap(command, command.arguments[at + 1 :], wrapper, name)
            return
        if len(texts) == _LONGEST_NAME:
            return
