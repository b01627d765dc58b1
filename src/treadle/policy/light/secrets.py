"""Refuses commands that show files of secrets, or the variables of processes. Pure."""

import re

from treadle.domain.agent import Deny
from treadle.policy.judging.paths import KEPT_APART, relative_parts
from treadle.policy.judging.secret_files import (
    FOLDERS,
    holds_secrets,
    is_secret_variable,
    selects_secrets,
)
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.light.paths import PathUse
from treadle.policy.light.tables import PRINTS_SECRETS, PRINTS_VARIABLES
from treadle.policy.light.variables import deny_variable
from treadle.policy.shell.syntax import ShellCommand, Word

# Text around a path: `@file` of curl, `file://`.
_AROUND = re.compile(r"^(?:@|file://|[\w-]+=@)")
# What other words look like: code and settings with a dot in them.
_NO_FILE = re.compile(r"(?:.*[.])?(?:process|meta|os|self|this|import|config|app|ctx|context)\.env")
_PATH = re.compile(r"[\w.~/@$+{}*?\[\]-]+")
_GLOB = re.compile(r"[*?\[]")
# The settings of tests are no secrets, and tests need them.
_TEST_SETTINGS = re.compile(r"\.env\.(?:test|testing|ci)", re.IGNORECASE)
_NO_EXTENSION = frozenset({"credentials"})
_ALL = Deny(
    "That prints all variables, and some may be secrets. Print one of them: printenv NAME.",
    "secret-variable",
)
_KEPT_SECRETS = Deny(
    "That prints secrets. Use a value for the test, or say in your notes what is missing.",
    "secret-file",
)
_PS_SHOWS_VARIABLES = re.compile(r"[a-zA-Z]*e[a-zA-Z]*|-E")
_ENV_OPTIONS = ("-S", "--split-string", "--version", "--help")
# With these `declare` shows functions.
_FUNCTION_OPTIONS = frozenset({"-f", "-F", "-n"})


def find_secret_path(use: PathUse, location: CommandLocation) -> Deny | None:
    """The refusal if a path that is read looks like a secret file."""
    if use.access in ("write", "delete"):
        return None
    word = use.word
    text = _AROUND.sub("", word.text)
    leaves_out = use.access == "choose" and text.startswith("!")
    if not text or leaves_out or (use.access == "use" and not _PATH.fullmatch(text)):
        return None
    if _names_secret(text, word, use, location):
        return Deny(KEPT_APART.format(path=word.text), "secret-file")
    return None


def _names_secret(text: str, word: Word, use: PathUse, location: CommandLocation) -> bool:
    if use.access == "choose" or (_GLOB.search(text) and word.expands):
        return selects_secrets(text.casefold())
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if not parts or _NO_FILE.fullmatch(parts[-1]):
        return False
    for candidate in (parts, *_resolved(text, location)):
        if _is_secret(candidate, use, location, text):
            return True
    return False


def _is_secret(parts: tuple[str, ...], use: PathUse, location: CommandLocation, text: str) -> bool:
    if not holds_secrets(parts) or _TEST_SETTINGS.fullmatch(parts[-1]):
        return False
    in_folder = any(part.casefold() in FOLDERS for part in parts)
    if use.access == "show" or in_folder or parts[-1].casefold() not in _NO_EXTENSION:
        return True
    at = absolute(location.directories[0], text)
    return location.lookups.what_is(at) == "file"


def _resolved(text: str, location: CommandLocation) -> list[tuple[str, ...]]:
    """The path from the root of the project, by its text and by its links."""
    if "$" in text or "`" in text or text.startswith("~"):
        return []
    found = []
    for directory in location.directories:
        by_text = absolute(directory, text)
        by_links = location.lookups.real_path(by_text)
        for path in dict.fromkeys((by_text, by_links)):
            inside = relative_parts(path, location.root)
            found.append(inside if inside is not None else (path.rpartition("/")[2],))
    return [parts for parts in found if parts]


def find_printed_variables(command: ShellCommand, name: str) -> Deny | None:
    """The refusal if a command prints all variables, or a secret one."""
    texts = [word.text for word in command.arguments]
    if name == "ps":
        shows = bool(texts) and _PS_SHOWS_VARIABLES.fullmatch(texts[0])
        return _ALL if shows or any("environ" in text for text in texts) else None
    if any((name, *texts[: len(kept) - 1]) == kept for kept in PRINTS_SECRETS):
        return _KEPT_SECRETS
    if name not in PRINTS_VARIABLES:
        return None
    operands = [text for text in texts if not text.startswith("-")]
    if name in ("printenv", "declare", "typeset"):
        secret = next((text for text in operands if is_secret_variable(text)), None)
        if secret is not None:
            return deny_variable(secret)
    return _ALL if _prints_all(name, texts, operands, command) else None


def _prints_all(name: str, texts: list[str], operands: list[str], command: ShellCommand) -> bool:
    match name:
        case "compgen":
            return bool({"-v", "-e"} & set(texts))
        case "env":
            runs = any("=" not in text for text in operands)
            return not runs and not any(text.startswith(_ENV_OPTIONS) for text in texts)
        case "set":
            return not texts
        case "printenv":
            return not operands
        case _:
            return not (operands or command.assignments or set(texts) & _FUNCTION_OPTIONS)
