"""Checks which variables a line may set. Pure."""

from dataclasses import replace

from treadle.policy.judging.databases import find_database
from treadle.policy.judging.paths import Access, path_refusal
from treadle.policy.judging.secret_files import is_secret_variable
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.variable_names import (
    DANGEROUS,
    FILLED,
    FOLDERS,
    ONLY,
    SETTABLE,
    SHAPED,
)
from treadle.policy.shell.syntax import Assignment, ParsedLine, ShellCommand, Word

_HOSTS = ("URL", "URI", "DSN", "HOST", "HOSTADDR", "HOSTNAME")


def assignment_refusal(
    assignment: Assignment, command: ShellCommand, location: CommandLocation
) -> str | None:
    """Why this variable must not be set here: it may change which code runs, or where."""
    name, value = assignment.name, assignment.value
    named = name.endswith(_HOSTS) and find_database(ShellCommand((), (assignment,))) == "elsewhere"
    if named and value.plain:
        return f"{name}={value.text} is a database elsewhere. Use one on this machine"
    if name in SETTABLE or not DANGEROUS.fullmatch(name):
        return None
    if name == "IFS" and value.plain and command.words[:1] and command.words[0].text == "read":
        return None
    if name in ONLY and value.plain and value.text in ONLY[name]:
        return None
    if name in SHAPED and value.plain and SHAPED[name].fullmatch(value.text):
        return None
    if name in FOLDERS and command.words:
        return _folders_refusal(name, value, location)
    return f"the variable {name} must not be set: it may change which code runs. Leave it out"


def _folders_refusal(name: str, value: Word, location: CommandLocation) -> str | None:
    for part in value.text.split(":"):
        piece = replace(value, text=part or ".")
        # Code is taken from the project alone; what a tool builds may lie in /tmp.
        access: Access = "write" if name in FILLED else "run"
        reason = path_refusal(piece, access, location)
        if reason:
            return reason
    return None


def name_refusal(name: str) -> str | None:
    """Why `read` must not assign this name."""
    if not name.isidentifier() or DANGEROUS.fullmatch(name) or is_secret_variable(name):
        return f"the variable {name} must not be set to what is read. Use another name"
    return None


def loop_refusal(script: ParsedLine) -> str | None:
    for loop in script.loops:
        if DANGEROUS.fullmatch(loop.variable):
            return f"the variable {loop.variable} must not be set by a loop. Use another name"
    return None


def mention_refusal(script: ParsedLine) -> str | None:
    """Why a loop or a `case` must not name a variable: that shows it as printing it does."""
    known = {given.name for each in script.commands for given in each.assignments}
    known |= {loop.variable for loop in script.loops}
    for name in (
        name for said in script.mentions for word in said.words for name in word.variables
    ):
        if is_secret_variable(name) and name not in known:
            return f"the variable {name} may be a secret, and this line does not set it"
    return None
