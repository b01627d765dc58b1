"""Finds the inner command that `timeout`, `env`, `npx` and the like would run. Pure."""

import re
from dataclasses import replace

from treadle.policy.commands.catalogue import rules_by_name
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.delegated_tools import find_delegated_tool
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.start_directory import starts_in_project
from treadle.policy.shell.syntax import Assignment, ShellCommand, Word

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
# A version that a package runner fetches: of tools that set a project up, the latest is meant.
_LATEST = re.compile(r"(create-[\w-]+|sv|nuxi|shadcn)@(?:latest|next)")
# Modules whose command has another name.
_COMMANDS_OF = {
    "django": "django-admin",
    "pre_commit": "pre-commit",
    "sphinx": "sphinx-build",
    "pipx": "pipx",
}
# What projects call their own packages, which may not be there yet; the library has none of these.
_OWN_MODULES = names("app apps src api server backend worker scripts tools tests cli main core")
_SETS_VARIABLES = frozenset({"env", "cross-env"})
# They choose the directory in which another command of the same tool runs.
_CHOOSES_DIRECTORY = {
    "yarn workspace": "yarn",
    "yarn workspaces foreach": "yarn",
    "yarn workspaces run": "yarn",
    "symfony console": "console",
}
_RUNS_SCRIPTS = frozenset({"uv run", "poetry run", "pdm run", "hatch run", "pipenv run"})


def wraps_command(command: ShellCommand, arguments: Arguments) -> bool:
    """Whether a second command follows: after a wrapper, `python -m`, or as a file to be run."""
    if arguments.rule.wraps >= 0 or _module_of(arguments) is not None:
        return True
    return find_delegated_tool(command, arguments) is not None


def _module_of(arguments: Arguments) -> Word | None:
    return next((value.word for value in arguments.values if value.kind == "module"), None)


def _as_command(module: Word, location: CommandLocation) -> Word | None:
    """The name that rules know a module by: its command's, its own, or that of any of ours."""
    name = _COMMANDS_OF.get(module.text, module.text)
    if any(entry.family == "python" for entry in rules_by_name().get(name, ())):
        return replace(module, text=name)
    if f"-m {module.text}" in rules_by_name():
        return replace(module, text=f"-m {module.text}")
    if not starts_in_project(location):
        return None
    top = module.text.split(".")[0]
    ours = any(
        _holds(f"{location.directories[0]}{folder}/{top}", location) for folder in ("", "/src")
    )
    return replace(module, text="-m") if ours or top in _OWN_MODULES else None


def _holds(path: str, location: CommandLocation) -> bool:
    return (
        location.lookups.what_is(path) == "directory"
        or location.lookups.what_is(f"{path}.py") == "file"
    )


def unwrap(
    command: ShellCommand, arguments: Arguments, location: CommandLocation
) -> ShellCommand | None:
    """The inner command, with the variables that the wrapper sets for it; None if there is none."""
    words, assignments = arguments.rest, command.assignments
    module = _module_of(arguments)
    if module is not None:
        name = _as_command(module, location)
        return None if name is None else replace(command, words=(name, *words))
    other = find_delegated_tool(command, arguments) if arguments.rule.wraps < 0 else None
    if other is not None:
        return replace(command, words=other)
    if arguments.rule.name in _SETS_VARIABLES:
        while words and (found := _ASSIGNED.fullmatch(words[0].text)):
            value = replace(words[0], text=found[2])
            assignments = (*assignments, Assignment(found[1], value))
            words = words[1:]
    if not words:
        return None
    return replace(command, words=_as_written(arguments, words), assignments=assignments)


def _as_written(arguments: Arguments, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The inner command as it would be written by itself."""
    name = words[0]
    if arguments.full_name in _CHOOSES_DIRECTORY:
        return (Word(_CHOOSES_DIRECTORY[arguments.full_name]), *words)
    if arguments.full_name in _RUNS_SCRIPTS and name.text.endswith(".py"):
        return (Word("python"), *words)
    if found := _LATEST.fullmatch(name.text):
        return (replace(name, text=found[1]), *words[1:])
    return words
