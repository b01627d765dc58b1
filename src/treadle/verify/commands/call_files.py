"""What one command of a line does with the files it names: run, load, compare, mention. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from treadle.verify.commands import programs
from treadle.verify.commands.file_mentions import (
    CallFiles,
    FileMention,
    FileUse,
    ShellCall,
    mentions_of,
    plain_arguments,
)
from treadle.verify.commands.interpreter_calls import (
    is_interpreter,
    read_interpreter,
    read_python,
    read_runner,
    read_shell,
)
from treadle.verify.commands.word_paths import UNKNOWN
from treadle.verify.judges.judge_files import has_judge_name

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_CARGO_FOLDERS = ("src/bin", "examples")
# Words by which an interpreter reads its script from standard input.
_AS_INPUT = frozenset({"-", "-s"})
# `-f` at the end of several short options.
_FILE_FLAG = re.compile(r"-[A-Za-z]*f")
_FILE_OPTIONS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), ("-f", "--file")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "sed"), ("-f", "--file")),
    "jq": ("-f", "--from-file"),
}


def read_call(call: ShellCall) -> CallFiles:
    """What a command does with its words and with the files of its redirections."""
    files = _read_words(unwrap(call.words))
    has_script = any(each.use in ("script", "module") for each in files.mentions)
    is_waiting = is_interpreter(files.program) and not has_script and not files.code
    inputs = tuple(FileMention(each, "script" if is_waiting else "input") for each in call.reads)
    if is_waiting or (is_interpreter(files.program) and not _AS_INPUT.isdisjoint(call.words)):
        for text in call.inputs:
            files = _with_code(files, text)
    loaded = tuple(
        FileMention(word, "loaded")
        for name, value in call.variables
        if name in programs.LOADING_VARIABLES
        for word in re.split(r"[\s:=,]+", value)
    )
    return replace(files, mentions=(*files.mentions, *inputs, *loaded))


def _with_code(files: CallFiles, text: str) -> CallFiles:
    """An interpreter that reads a text of the line runs it as it would run `-c`."""
    program = files.program
    is_shell = program in programs.SHELLS or programs.PYTHON.fullmatch(program)
    option = "-c" if is_shell else "-r" if program == "php" else "-e"
    inner = _read_words((program, option, text))
    return replace(
        files,
        mentions=(*files.mentions, *inner.mentions),
        code="\n".join(filter(None, (files.code, inner.code))),
        is_judge=files.is_judge or inner.is_judge,
    )


def unwrap(words: Sequence[str]) -> tuple[str, ...]:
    """The words of the program that is run in the end: without `env`, `timeout 5`, `uv run`."""
    rest = list(words)
    while rest:
        program = _basename(rest[0])
        if program in programs.WRAPPERS:
            rest = _without_options(rest[1:], skip=1 if program.endswith("timeout") else 0)
        elif rest[1:2] and rest[1] in programs.WRAPPER_COMMANDS.get(program, ()):
            rest = _without_options(rest[2:])
            # `coverage run app.py` and `coverage run -m pytest` run what python would.
            rest = ["python", *rest] if program == "coverage" else rest
        else:
            break
    return tuple(rest)


def _read_words(words: tuple[str, ...]) -> CallFiles:
    if not words:
        return CallFiles("")
    program, arguments = _basename(words[0]), words[1:]
    if program in (".", "source"):
        return CallFiles(program, mentions_of(arguments[:1], "sourced"))
    if program == "eval":
        return CallFiles(program, code=" ".join(arguments))
    if found := _read_run_command(program, arguments) or _read_starter(words[0], arguments):
        return found
    if "/" in words[0]:
        first = FileMention(words[0], "script")
        return CallFiles(program, (first, *mentions_of(plain_arguments(arguments), "mention")))
    return _read_tool(program, arguments)


def _read_starter(word: str, arguments: tuple[str, ...]) -> CallFiles | None:
    """A program that runs scripts, tests or tasks; None for any other."""
    program = _basename(word)
    if program in programs.SHELLS:
        return read_shell(program, arguments)
    if programs.PYTHON.fullmatch(program):
        return read_python(program, arguments)
    if _is_runner(program, arguments):
        is_command = program in programs.RUNNER_COMMANDS
        files = read_runner(program, arguments[1:] if is_command else arguments)
        return replace(files, mentions=(*files.mentions, FileMention(word, "loaded")))
    if task := _task(program, arguments):
        use: FileUse = "script" if program == "bun" else "mention"
        mentions = mentions_of(plain_arguments(arguments), use)
        return CallFiles(program, mentions, task=task, is_judge=any(map(has_judge_name, arguments)))
    return read_interpreter(program, arguments) if program in programs.INTERPRETERS else None


def _read_run_command(program: str, arguments: tuple[str, ...]) -> CallFiles | None:
    """`go run`, `cargo run`, `deno run`: they build or load the program and run it."""
    if program == "cargo" and arguments[:1] == ("xtask",):
        return CallFiles(program, mentions_of(["xtask/*"], "script"))
    if arguments[:1] != ("run",):
        return None
    words = plain_arguments(arguments[1:])
    match program:
        case "deno":
            return read_interpreter(program, arguments[1:])
        case "go":
            target = words[0] if words else "."
            script = target if target.endswith(".go") else f"{target}/*.go"
            return CallFiles(program, (FileMention(script, "script"),))
        case "cargo":
            names = ["src/main.rs", *(f"{part}/{n}.rs" for n in words for part in _CARGO_FOLDERS)]
            return CallFiles(program, mentions_of(names, "script"))
        case _:
            return None


def _read_tool(program: str, arguments: tuple[str, ...]) -> CallFiles:
    is_judge = program in programs.COMPARING
    if program in programs.DIFFS:
        words = [word for word in arguments if word == "-" or not word.startswith("-")]
        return CallFiles(program, mentions_of(words, "compared"), is_judge=True)
    if program in programs.CHECKSUMS and not {"-c", "--check"}.isdisjoint(arguments):
        return CallFiles(program, mentions_of(plain_arguments(arguments), "loaded"), is_judge=True)
    options = _FILE_OPTIONS.get(program, ())
    loads = [
        FileMention(following, "loaded")
        for word, following in pairwise(arguments)
        if word in options or (options and _FILE_FLAG.fullmatch(word))
    ]
    plain = plain_arguments(arguments)
    if program in programs.PATTERN_FIRST and not loads and "-e" not in arguments:
        plain = plain[1:]
    return CallFiles(program, (*loads, *mentions_of(plain, "mention")), is_judge=is_judge)


def _task(program: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    is_script = program in ("bun", "deno") and arguments[:1] not in (("task",), ("run",))
    if program not in programs.TASK_RUNNERS or (is_script and program == "deno"):
        return ()
    return (program, *arguments)


def _is_runner(program: str, arguments: tuple[str, ...]) -> bool:
    if program in programs.RUNNERS and program not in programs.TASK_RUNNERS:
        return True
    commands = programs.RUNNER_COMMANDS.get(program, frozenset[str]())
    return bool(arguments) and arguments[0] in commands


def _without_options(words: Sequence[str], *, skip: int = 0) -> list[str]:
    """The words from the first that is no option, no assignment and no value of an option."""
    rest = list(words)
    while rest:
        if rest[0] in programs.VALUE_OPTIONS and rest[0] != "-m":
            rest = rest[2:]
        elif rest[0] != "-m" and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0])):
            rest = rest[1:]
        elif skip:
            skip -= 1
            rest = rest[1:]
        else:
            break
    return rest


def _basename(word: str) -> str:
    return word.rpartition("/")[2] if UNKNOWN not in word else word
