"""Identifies the program behind a command's name or path. Pure."""

import re
from dataclasses import dataclass
from posixpath import basename, dirname

from treadle.policy.judging.paths import TEMPORARY, lies_in, path_refusal, relative_parts
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

# What a tool would fetch: `github:x/y`, `https://x`, `example.org/x@latest`.
FETCHED = re.compile(r"^[a-z][a-z+]+:|://|/.*@(?:latest|main|master|v?\d[\w.-]*)$")


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """The name that rules know it by, and the families it must be in; none: any."""

    name: str
    families: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectProgram:
    """A file of the project or of /tmp, and the name that a rule may know it by."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownProgram:
    """Why it is not run."""

    reason: str


def identify_program(
    word: Word, location: CommandLocation
) -> KnownProgram | ProjectProgram | UnknownProgram:
    if not word.plain:
        return UnknownProgram(f"the name {word.text} is known only at run time. Write it out")
    if FETCHED.search(word.text):
        return UnknownProgram(f"{word.text} is code from elsewhere. Use what the project has")
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
        return UnknownProgram(
            f"{name} is found in {dirname(found)}, where anyone could have put it"
        )
    return KnownProgram(name)


def _writable(path: str, location: CommandLocation) -> bool:
    return lies_in(path, (location.root, *TEMPORARY))


def _by_path(
    text: str, path: str, location: CommandLocation
) -> KnownProgram | ProjectProgram | UnknownProgram:
    name = basename(path)
    if text.startswith("/") and dirname(path) in TRUSTED:
        real = location.lookups.real_path(path)
        if lies_in(real, _SYSTEM):
            return KnownProgram(name)
        return UnknownProgram(f"{text} leads to {real}, which is not a system directory")
    # A path that leads there by `..` does not count as scratch.
    scratch = lies_in(path, TEMPORARY) and ".." not in text.split("/")
    if scratch and relative_parts(path, location.root) is None:
        return _own_program(text, path, location)
    parts = relative_parts(path, location.root)
    if parts is None:
        return UnknownProgram(f"{text} is a program outside the project. Use its bare name")
    if not parts:
        return UnknownProgram(f"{text} is the project's own directory, not a program")
    families = _family(path, location)
    return _own_program(text, path, location) if families is None else KnownProgram(name, families)


def _own_program(
    text: str, path: str, location: CommandLocation
) -> ProjectProgram | UnknownProgram:
    real = location.lookups.real_path(path)
    if not lies_in(real, (location.root, location.context.root, *TEMPORARY)):
        return UnknownProgram(f"{text} leads to {real}, which is outside the project")
    reason = path_refusal(Word(path), "enter", location) if real == path else None
    if reason is not None and not lies_in(path, TEMPORARY):
        return UnknownProgram(reason)
    return ProjectProgram(basename(path))


def _family(path: str, location: CommandLocation) -> tuple[str, ...] | None:
    parts = relative_parts(path, location.root)
    if parts is None or len(parts) < 3:
        return None
    families = TOOL_FOLDERS.get((parts[-3], parts[-2]))
    real = location.lookups.real_path(path)
    return families if lies_in(real, (location.root, *_SYSTEM)) else None
