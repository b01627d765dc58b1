"""Identifies the program behind a command's name or path. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import basename, dirname, splitext

from treadle.policy.judging.paths import TEMPORARY, lies_in, relative_parts
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.shell.syntax import Word

TRUSTED = ("/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/opt", "/nix/store", "/Library", "/System", "/etc")

# Folders of a project that package tools fill with programs, and whose family those are.
TOOL_FOLDERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("node_modules", ".bin"): ("node", "bun"),
    (".venv", "bin"): ("python",),
    ("venv", "bin"): ("python",),
    ("vendor", "bin"): ("php",),
}
# Programs that a project's framework writes into its own `bin`.
BINSTUBS = {"rails": "ruby", "rake": "ruby", "bundle": "ruby", "rspec": "ruby", "rubocop": "ruby"}
_RUN_BY = {".py": "python", ".js": "node", ".mjs": "node", ".rb": "ruby", ".php": "php"}
# What starts a project for people; taken without arguments, and as opaque as `npm run dev`.
DEV_SCRIPTS = frozenset({"bin/dev", "bin/dev.sh", "init.sh", "bin/setup"})


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """The name that rules know it by, and the families it must be in; none: any."""

    name: str
    families: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DevScript:
    path: str


@dataclass(frozen=True, slots=True)
class UnknownProgram:
    """Why it is not run."""

    reason: str


def identify_program(
    word: Word, location: CommandLocation
) -> KnownProgram | DevScript | UnknownProgram:
    if not word.plain:
        return UnknownProgram(f"the name {word.text} is known only at run time. Write it out")
    if "/" not in word.text:
        return _on_search_path(word.text, location)
    at = {absolute(directory, word.text) for directory in location.directories}
    found = {_by_path(word.text, path, location) for path in at}
    strangers = [each for each in found if isinstance(each, UnknownProgram)]
    if strangers or len(found) != 1:
        return strangers[0] if strangers else UnknownProgram(f"{word.text} may be several programs")
    return found.pop()


def _on_search_path(name: str, location: CommandLocation) -> KnownProgram | UnknownProgram:
    found = location.lookups.which(name)
    if found is not None and _writable(found, location) and _family(found, location) is None:
        return UnknownProgram(f"{name} is found in {dirname(found)}, where anybody may have put it")
    return KnownProgram(name)


def _writable(path: str, location: CommandLocation) -> bool:
    return lies_in(path, (location.root, *TEMPORARY))


def _by_path(
    text: str, path: str, location: CommandLocation
) -> KnownProgram | DevScript | UnknownProgram:
    name = basename(path)
    if text.startswith("/") and dirname(path) in TRUSTED:
        real = location.lookups.real_path(path)
        if lies_in(real, _SYSTEM):
            return KnownProgram(name)
        return UnknownProgram(f"{text} leads to {real}, which is no place of the system")
    parts = relative_parts(path, location.root)
    if parts is None:
        return UnknownProgram(f"{text} is a program outside the project. Use its bare name")
    if not parts:
        return UnknownProgram(f"{text} is the project's own directory, not a program")
    return _in_project(text, path, parts, location)


def _in_project(
    text: str, path: str, parts: Sequence[str], location: CommandLocation
) -> KnownProgram | DevScript | UnknownProgram:
    name = basename(path)
    if "/".join(parts) in DEV_SCRIPTS:
        return DevScript("/".join(parts))
    if parts[0] == "bin" and len(parts) == 2 and name in BINSTUBS:
        return KnownProgram(name, (BINSTUBS[name],))
    if parts[-1] == "manage.py":
        return KnownProgram("manage.py", ("python",))
    families = _family(path, location)
    if families is None:
        return UnknownProgram(f"{text} is a file of the project, not a known tool. {_advice(name)}")
    return KnownProgram(name, families)


def _advice(name: str) -> str:
    """What helps; a shell script cannot be run with its interpreter, either."""
    extension = splitext(name)[1]
    interpreter = _RUN_BY.get(extension)
    if interpreter is not None:
        return f"Run it with its interpreter: {interpreter} {name}"
    return "Write the commands that it runs"


def _family(path: str, location: CommandLocation) -> tuple[str, ...] | None:
    parts = relative_parts(path, location.root)
    if parts is None or len(parts) < 3:
        return None
    families = TOOL_FOLDERS.get((parts[-3], parts[-2]))
    real = location.lookups.real_path(path)
    return families if lies_in(real, (location.root, *_SYSTEM)) else None
