"""What one command of a line does with the files it names: run, load, compare, mention. Pure."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from treadle.verify import programs
from treadle.verify.judge_files import has_judge_name
from treadle.verify.shell_calls import ShellCall
from treadle.verify.word_paths import UNKNOWN

# script: it is run, and its exit code may be all that is looked at; module: the same, by a dotted
# Python name; loaded: what is run depends on it; test: given to a test runner; compared: one side
# of a comparison; input: read from standard input; mention: any other use.
FileUse: TypeAlias = Literal[
    "script", "module", "loaded", "test", "test_module", "compared", "input", "mention"
]

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELL_CODE = re.compile(r"-[A-Za-z]*c")
_CODE_WORD = re.compile(r"[\w./-]+")
_CARGO_FOLDERS = ("src/bin", "examples")
_FILE_OPTIONS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), ("-f", "--file")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "sed"), ("-f", "--file")),
    "jq": ("-f", "--from-file"),
}


@dataclass(frozen=True, slots=True)
class FileMention:
    """A word that names a file or a module, and what the command does with it."""

    word: str
    use: FileUse


@dataclass(frozen=True, slots=True)
class CallFiles:
    """What a command names, and the shell code and tasks that it runs besides."""

    program: str
    mentions: tuple[FileMention, ...] = ()
    # A line for another shell, such as that of `sh -c`.
    code: str = ""
    # A task runner with its arguments: `npm test`.
    task: tuple[str, ...] = ()
    # Whether its exit code tells how tests or a comparison went.
    is_judge: bool = False
    is_runner: bool = False

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(mention.word for mention in self.mentions)


def read_call(call: ShellCall) -> CallFiles:
    """What a command does with its words and with the files of its redirections."""
    files = _read_words(unwrap(call.words))
    has_script = any(each.use in ("script", "module") for each in files.mentions)
    is_interpreter = _is_interpreter(files.program) and not has_script and not files.code
    inputs = tuple(FileMention(each, "script" if is_interpreter else "input") for each in call.reads)
    loaded = tuple(
        FileMention(word, "loaded")
        for name, value in call.variables
        if name in programs.LOADING_VARIABLES
        for word in re.split(r"[\s:=,]+", value)
    )
    return replace(files, mentions=(*files.mentions, *inputs, *loaded))


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
    if words[0] in (".", "source"):
        return CallFiles(program, _mentions(arguments[:1], "loaded"))
    if words[0] == "eval":
        return CallFiles(program, code=" ".join(arguments))
    if program in programs.SHELLS:
        return _read_shell(program, arguments)
    if programs.PYTHON.fullmatch(program):
        return _read_python(program, arguments)
    if run := _read_run_command(program, arguments):
        return run
    if _is_runner(program, arguments):
        files = read_runner(program, arguments)
        return replace(files, mentions=(*files.mentions, FileMention(words[0], "loaded")))
    if task := _task(program, arguments):
        use: FileUse = "script" if program == "bun" else "mention"
        mentions = _mentions(_plain(arguments), use)
        return CallFiles(program, mentions, task=task, is_judge=any(map(has_judge_name, arguments)))
    if "/" in words[0]:
        first = FileMention(words[0], "script")
        return CallFiles(program, (first, *_mentions(_plain(arguments), "mention")))
    if program in programs.INTERPRETERS:
        return _read_interpreter(program, arguments)
    return _read_tool(program, arguments)


def _read_shell(program: str, arguments: tuple[str, ...]) -> CallFiles:
    for number, word in enumerate(arguments):
        if _SHELL_CODE.fullmatch(word):
            code = arguments[number + 1 : number + 2]
            return CallFiles(program, code=code[0] if code else "")
        if not word.startswith("-"):
            break
    return _read_interpreter(program, arguments)


def _read_python(program: str, arguments: tuple[str, ...]) -> CallFiles:
    for number, word in enumerate(arguments):
        rest = arguments[number + 1 :]
        if word == "-m" and rest:
            return _read_module(program, rest[0], rest[1:])
        if word == "-c":
            return CallFiles(program, _code_mentions(rest[:1]), is_judge=True)
        if not word.startswith("-"):
            script = FileMention(word, "script")
            return CallFiles(program, (script, *_mentions(_plain(rest), "mention")))
    return CallFiles(program)


def _read_module(program: str, module: str, arguments: tuple[str, ...]) -> CallFiles:
    name = module.partition(".")[0]
    if name in programs.WRAPPER_MODULES:
        rest = arguments[1:] if arguments[:1] == ("run",) else arguments
        return _read_python(program, rest)
    if name in programs.RUNNERS:
        return read_runner(name, arguments)
    if name in programs.TOOL_MODULES or name in sys.stdlib_module_names:
        return CallFiles(name, _mentions(_plain(arguments), "mention"))
    first = FileMention(module, "module")
    return CallFiles(program, (first, *_mentions(_plain(arguments), "mention")))


def read_runner(program: str, arguments: tuple[str, ...]) -> CallFiles:
    """A test runner: every file that it gets judges, unless it is the product's own doctests."""
    runs_doctests = program == "doctest" or any("doctest" in word for word in arguments)
    use: FileUse = "mention" if runs_doctests else "test"
    words = [word.partition("::")[0] for word in _plain(arguments)]
    mentions = list(_mentions(words, use))
    if program in ("unittest", "nose2", "trial", "green"):
        mentions += _mentions(words, "test_module")
    return CallFiles(program, tuple(mentions), is_judge=True, is_runner=True)


def _read_interpreter(program: str, arguments: tuple[str, ...]) -> CallFiles:
    if program in programs.NODE and "--test" in arguments:
        return read_runner(program, arguments)
    if not programs.SYNTAX_ONLY.get(program, frozenset()).isdisjoint(arguments):
        return CallFiles(program, _mentions(_plain(arguments), "mention"))
    loads = [*_loaded(program, arguments)]
    is_value = False
    for number, word in enumerate(arguments):
        rest = arguments[number + 1 :]
        if is_value:
            is_value = False
        elif word in _code_options(program):
            return CallFiles(program, (*loads, *_code_mentions(rest[:1])), is_judge=True)
        elif word.startswith("-") and word != "-":
            is_value = word in programs.VALUE_OPTIONS | programs.LOADING_OPTIONS | {"-r"}
        else:
            script = FileMention(word, "script")
            return CallFiles(program, (*loads, script, *_mentions(_plain(rest), "mention")))
    return CallFiles(program, tuple(loads))


def _read_run_command(program: str, arguments: tuple[str, ...]) -> CallFiles | None:
    """`go run`, `cargo run`, `deno run`: they build or load the program and run it."""
    if arguments[:1] != ("run",):
        return None
    words = _plain(arguments[1:])
    match program:
        case "deno":
            return _read_interpreter(program, arguments[1:])
        case "go":
            target = words[0] if words else "."
            script = target if target.endswith(".go") else f"{target}/*.go"
            return CallFiles(program, (FileMention(script, "script"),))
        case "cargo":
            names = ["src/main.rs", *(f"{part}/{n}.rs" for n in words for part in _CARGO_FOLDERS)]
            return CallFiles(program, _mentions(names, "script"))
        case _:
            return None


def _loaded(program: str, arguments: tuple[str, ...]) -> Iterator[FileMention]:
    """Files that an interpreter loads before the script."""
    options = programs.LOADING_OPTIONS | ({"-r"} if program != "php" else {"-c"})
    for word, following in zip(arguments, (*arguments[1:], ""), strict=True):
        name, _, value = word.partition("=")
        if name in options:
            yield FileMention(value or following, "loaded")
        elif word.startswith("-r") and program in ("ruby", "jruby"):
            yield FileMention(word[2:], "loaded")


def _read_tool(program: str, arguments: tuple[str, ...]) -> CallFiles:
    is_judge = program in programs.COMPARING
    if program in programs.DIFFS:
        words = [word for word in arguments if word == "-" or not word.startswith("-")]
        return CallFiles(program, _mentions(words, "compared"), is_judge=True)
    if program in programs.CHECKSUMS and not {"-c", "--check"}.isdisjoint(arguments):
        return CallFiles(program, _mentions(_plain(arguments), "loaded"), is_judge=True)
    options = _FILE_OPTIONS.get(program, ())
    loads = [
        FileMention(following, "loaded")
        for word, following in zip(arguments, arguments[1:], strict=False)
        if word in options
    ]
    plain = _plain(arguments)
    if program in programs.PATTERN_FIRST and not loads and "-e" not in arguments:
        plain = plain[1:]
    return CallFiles(program, (*loads, *_mentions(plain, "mention")), is_judge=is_judge)


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


def _is_interpreter(program: str) -> bool:
    return program in programs.INTERPRETERS or bool(programs.PYTHON.fullmatch(program))


def _code_options(program: str) -> frozenset[str]:
    if program in programs.NODE:
        return programs.NODE_CODE
    return programs.PHP_CODE if program == "php" else programs.OTHER_CODE


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


def _plain(words: Sequence[str]) -> list[str]:
    """The arguments, and the values of options such as `--config=x`."""
    values = (word.partition("=")[2] if word.startswith("-") else word for word in words)
    return [word for word in values if word and not word.startswith("-")]


def _mentions(words: Sequence[str], use: FileUse) -> tuple[FileMention, ...]:
    return tuple(FileMention(word, use) for word in words)


def _code_mentions(words: Sequence[str]) -> tuple[FileMention, ...]:
    return _mentions([name for word in words for name in _CODE_WORD.findall(word)], "mention")


def _basename(word: str) -> str:
    return word.rpartition("/")[2] if UNKNOWN not in word else word
