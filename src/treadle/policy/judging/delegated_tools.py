"""Finds the tool that another program is asked to run, by script name or as a file. Pure."""

import posixpath
import re

from treadle.policy.commands.catalogue import rules_by_name
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.program_lookup import BINSTUBS, TOOL_FOLDERS
from treadle.policy.shell.syntax import ShellCommand, Word

_PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
# A framework's own command line, run by its interpreter: `php artisan`, `python manage.py`.
_CONSOLES = {"artisan": "php", "console": "php", "manage.py": "python"}
# `-m x`, `-mx`, `--module=x` and what may stand for it.
_MODULE = re.compile(r"(?:-m|--m[a-z]*=?)(.*)")
_RUN_SCRIPTS = frozenset(
    f"{name}{run}" for name in ("yarn", "pnpm", "bun") for run in ("", " run", " run-script")
)
# These have no rule, because they run or remove anything.
_RUN_ANYTHING = names(
    "rimraf shx concurrently npm-run-all run-s run-p run-z cross-env-shell del-cli dotenv env-cmd"
    " zx onchange chokidar wireit del trash sh bash"
)
# Tools that run a file of code in their own process.
_WATCHERS = names("coverage -m_cProfile -m_trace")
# What they are given after `--` is for another command.
_BEHIND_DASHES = {
    "dmypy": ("mypy",),
    "gotestsum": ("go", "test"),
    "wasm-pack": ("cargo", "build"),
    "nx": ("npx",),
}


def find_delegated_tool(command: ShellCommand, arguments: Arguments) -> tuple[Word, ...] | None:
    """The words of the tool that would run, as if it stood alone; None if there is none."""
    if arguments.full_name in _RUN_SCRIPTS:
        return _find_in_runner(command, arguments)
    name = arguments.rule.name
    if name in _BEHIND_DASHES:
        return _behind_dashes(command, _BEHIND_DASHES[name])
    if name.replace(" ", "_") in _WATCHERS:
        return _find_watched(command, arguments)
    return _find_in_interpreter(name, arguments)


def _find_in_runner(command: ShellCommand, arguments: Arguments) -> tuple[Word, ...] | None:
    """`yarn NAME` is the tool of that name, unless package.json has a script for it."""
    if not arguments.operands:
        return None
    name = arguments.operands[0].text
    families = {entry.family for entry in rules_by_name().get(name, ())}
    known = bool(families & {"node", "bun"}) or name in _RUN_ANYTHING
    return _from(arguments.operands[0], command) if known else None


def _from(word: Word, command: ShellCommand) -> tuple[Word, ...]:
    at = next(at for at, each in enumerate(command.words) if each is word or each == word)
    return command.words[at:]


def _behind_dashes(command: ShellCommand, words: tuple[str, ...]) -> tuple[Word, ...] | None:
    texts = [word.text for word in command.words]
    if "--" not in texts:
        return None
    return (*(Word(each) for each in words), *command.words[texts.index("--") + 1 :])


def _find_watched(command: ShellCommand, arguments: Arguments) -> tuple[Word, ...] | None:
    if arguments.rule.name == "coverage" and all(word.text != "run" for word in arguments.operands):
        return None
    words = command.words[1:]
    for at, word in enumerate(words):
        module = _MODULE.fullmatch(word.text) if arguments.rule.name == "coverage" else None
        if module is not None:
            named = (Word(module[1]),) if module[1] else ()
            return (Word("python"), Word("-m"), *named, *words[at + 1 :])
        if _runs("python", word.text) is not None:
            return (Word("python"), *words[at:])
    return None


def _find_in_interpreter(name: str, arguments: Arguments) -> tuple[Word, ...] | None:
    family = "python" if _PYTHON.fullmatch(name) else name
    if family not in ("python", "php", "ruby", "node"):
        return None
    file = arguments.value("-f") if family == "php" else None
    rest = (*arguments.operands, *arguments.rest) if file is not None else arguments.rest
    file = file or next(iter(arguments.operands), None)
    tool = None if file is None else _runs(family, file.text)
    return None if tool is None else (Word(tool), *rest)


def _runs(family: str, path: str) -> str | None:
    """The tool that a file is, which its interpreter is given."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    name = posixpath.basename(path)
    if _CONSOLES.get(name) == family:
        return name
    if family == "ruby" and name in BINSTUBS and parts[-2:-1] == ["bin"]:
        return path
    families = TOOL_FOLDERS.get((parts[-3], parts[-2]), ()) if len(parts) > 2 else ()
    # With php, such a file is given settings of its own, as it always was.
    if family in families and family != "php":
        return path
    return _package(parts) if family == "node" and "node_modules" in parts else None


def _package(parts: list[str]) -> str | None:
    """The tool that a file of an installed package is, by its own name or the package's."""
    at = len(parts) - 1 - parts[::-1].index("node_modules")
    inside = parts[at + 1 :]
    if not inside:
        return None
    package = inside[1] if inside[0].startswith("@") and len(inside) > 1 else inside[0]
    for name in (posixpath.splitext(inside[-1])[0], package):
        families = {entry.family for entry in rules_by_name().get(name, ())}
        if "node" in families or name in _RUN_ANYTHING:
            return name
    return None
