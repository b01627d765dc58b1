"""What an interpreter or a test runner does with the files it gets. Pure."""

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest

from treadle.verify.commands import programs
from treadle.verify.commands.file_mentions import (
    CallFiles,
    FileMention,
    FileUse,
    mentions_of,
    plain_arguments,
)

_SHELL_CODE = re.compile(r"-[A-Za-z]*c")
_IMPORTED = re.compile(r"\b(?:import|from)\s+([\w.]+)")
_CODE_WORD = re.compile(r"[\w./-]+")


def is_interpreter(program: str) -> bool:
    """Whether a program runs the script that it gets."""
    return program in programs.INTERPRETERS or bool(programs.PYTHON.fullmatch(program))


def read_shell(program: str, arguments: tuple[str, ...]) -> CallFiles:
    """A shell with a script, or with code of the line."""
    for number, word in enumerate(arguments):
        if _SHELL_CODE.fullmatch(word):
            code = arguments[number + 1 : number + 2]
            return CallFiles(program, code=code[0] if code else "")
        if not word.startswith("-"):
            break
    return read_interpreter(program, arguments)


def read_python(program: str, arguments: tuple[str, ...]) -> CallFiles:
    """Python with a script, a module or code of the line."""
    is_value = False
    for number, word in enumerate(arguments):
        rest = arguments[number + 1 :]
        if is_value:
            is_value = False
            continue
        is_value = word in ("-W", "-X")
        if word == "-m" and rest:
            return _read_module(program, rest[0], rest[1:])
        if word == "-c":
            mentions = (*_code_mentions(rest[:1]), *_imported_files(rest[:1]))
            return CallFiles(program, mentions, is_judge=True)
        if not word.startswith("-"):
            script = FileMention(word, "script")
            return CallFiles(program, (script, *mentions_of(plain_arguments(rest), "mention")))
    return CallFiles(program)


def _read_module(program: str, module: str, arguments: tuple[str, ...]) -> CallFiles:
    name = module.partition(".")[0]
    if name in programs.WRAPPER_MODULES:
        rest = arguments[1:] if arguments[:1] == ("run",) else arguments
        return read_python(program, rest)
    if name in programs.RUNNERS:
        return read_runner(name, arguments)
    if name in programs.TOOL_MODULES or name in sys.stdlib_module_names:
        return CallFiles(name, mentions_of(plain_arguments(arguments), "mention"))
    first = FileMention(module, "module")
    return CallFiles(program, (first, *mentions_of(plain_arguments(arguments), "mention")))


def read_runner(program: str, arguments: tuple[str, ...]) -> CallFiles:
    """A test runner: every file that it gets judges, unless it is the product's own doctests."""
    runs_doctests = program == "doctest" or any("doctest" in word for word in arguments)
    use: FileUse = "mention" if runs_doctests else "test"
    words = [word.partition("::")[0] for word in plain_arguments(arguments)]
    mentions = list(mentions_of(words, use))
    if program in ("unittest", "nose2", "trial", "green"):
        mentions += mentions_of(words, "test_module")
    # The modules of `pytest -p name`.
    plugins = [name for option, name in pairwise(arguments) if option == "-p"]
    mentions += mentions_of(plugins, "test_module")
    return CallFiles(program, tuple(mentions), is_judge=True, is_runner=True)


def read_interpreter(program: str, arguments: tuple[str, ...]) -> CallFiles:
    """An interpreter: the first argument that is no option is its script."""
    if program in programs.NODE and "--test" in arguments:
        return read_runner(program, arguments)
    if not programs.SYNTAX_ONLY.get(program, frozenset()).isdisjoint(arguments):
        return CallFiles(program, mentions_of(plain_arguments(arguments), "mention"))
    loads = [*_loaded(program, arguments)]
    is_value = False
    for number, word in enumerate(arguments):
        rest = arguments[number + 1 :]
        if is_value:
            is_value = False
        elif word in _code_options(program):
            return CallFiles(program, (*loads, *_code_mentions(rest[:1])), is_judge=True)
        elif word.startswith("-") and word != "-":
            is_value = word in programs.VALUE_OPTIONS or word in _loading_options(program)
        else:
            script = FileMention(word, "script")
            return CallFiles(
                program, (*loads, script, *mentions_of(plain_arguments(rest), "mention"))
            )
    return CallFiles(program, tuple(loads))


def _loaded(program: str, arguments: tuple[str, ...]) -> Iterator[FileMention]:
    """Files that an interpreter loads before the script."""
    options = _loading_options(program)
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, _, value = word.partition("=")
        if name in options:
            yield FileMention(value or following, "loaded")
        elif word.startswith("-r") and program in ("ruby", "jruby"):
            yield FileMention(word[2:], "loaded")


def _loading_options(program: str) -> frozenset[str]:
    return programs.LOADING_OPTIONS | ({"-c"} if program == "php" else {"-r"})


def _code_options(program: str) -> frozenset[str]:
    if program in programs.NODE:
        return programs.NODE_CODE
    return programs.PHP_CODE if program == "php" else programs.OTHER_CODE


def _imported_files(code: Sequence[str]) -> Iterator[FileMention]:
    """The files of the modules that code in Python imports."""
    for name in _IMPORTED.findall(" ".join(code)):
        yield FileMention(f"{name.replace('.', '/')}.py", "mention")


def _code_mentions(words: Sequence[str]) -> tuple[FileMention, ...]:
    return mentions_of([name for word in words for name in _CODE_WORD.findall(word)], "mention")
