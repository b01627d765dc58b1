"""Finds the commands before which a person is asked under the light policy. Pure."""

from posixpath import basename, splitext

from treadle.domain.agent import Ask
from treadle.policy.judging.command_gates import GateMatch, find_command_gates, script_topic
from treadle.policy.judging.databases import DatabasePlace, find_database
from treadle.policy.light.tables import SHELLS
from treadle.policy.shell.syntax import ShellCommand

_REHEARSES = ("--dry-run", "--dry", "--snapshot", "--noop")
_SCRIPT = GateMatch(
    "gate-script", "By its name, the script reaches beyond this project.", topic="others"
)


def find_gate(
    command: ShellCommand, name: str, patterns: tuple[str, ...], *, reachable: bool
) -> Ask | None:
    """The question for this command. `reachable`: databases elsewhere are."""
    place = find_database(command)
    for match in find_command_gates(command, patterns):
        if _concerns(match, command, place, reachable=reachable):
            return _ask(match)
    return _ask(_SCRIPT) if _runs_risky_script(command, name) else None


def _ask(match: GateMatch) -> Ask:
    return Ask(f"A person must agree: {match.reason}", subject="", rule=match.name)


def _concerns(
    match: GateMatch, command: ShellCommand, place: DatabasePlace, *, reachable: bool
) -> bool:
    match match.topic:
        case "settings":
            return True
        case "others":
            return not any(word.text.startswith(_REHEARSES) for word in command.words)
        case "database":
            return place == "elsewhere" or (reachable and place == "unknown")
        case "production":
            return reachable
        case "removal":
            return False


def _runs_risky_script(command: ShellCommand, name: str) -> bool:
    """`./deploy.sh`, `bash scripts/release.sh`: a file of the project, by its name."""
    if name not in SHELLS:
        return "/" in name and _is_risky(name)
    operands = [word.text for word in command.arguments if not word.text.startswith("-")]
    runs_file = bool(operands) and all(word.text != "-c" for word in command.arguments)
    return runs_file and _is_risky(operands[0])


def _is_risky(path: str) -> bool:
    return script_topic(splitext(basename(path))[0]) == "others"
