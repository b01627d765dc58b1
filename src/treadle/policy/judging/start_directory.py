"""Checks that tools which load code from their working directory start in the project. Pure."""

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import relative_parts
from treadle.policy.judging.shell_context import CommandLocation

_INTERPRETERS = frozenset({"interpreter", "python"})
# With these an interpreter finds for itself what to run.
_SEARCHES = frozenset({"--test", "--run", "--watch"})
_TELLS = frozenset({"--help", "--version", "-V", "-v"})


def starts_in_project(location: CommandLocation) -> bool:
    """Whether each directory that the command may start in is one of the project's."""
    if location.directories == (location.root,):
        return True
    roots = (location.root, location.context.root)
    return all(
        any(relative_parts(directory, root) is not None for root in roots)
        for directory in location.directories
    )


def start_refusal(arguments: Arguments, family: str, location: CommandLocation) -> str | None:
    """Why it must not start here; commands of the system bring nothing with them but make."""
    if (family == "base" and arguments.rule.name != "make") or starts_in_project(location):
        return None
    if arguments.rule.check in _INTERPRETERS and not _finds_code(arguments):
        return None
    if arguments.switches and _TELLS.issuperset(arguments.switches) and not arguments.operands:
        return None
    return (
        f"it would take code and settings from {location.directories[0]}, which is outside the "
        "project. Start it in the project"
    )


def _finds_code(arguments: Arguments) -> bool:
    modules = any(value.kind == "module" for value in arguments.values)
    return modules or not _SEARCHES.isdisjoint(arguments.switches)
