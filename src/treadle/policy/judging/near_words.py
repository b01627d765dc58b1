"""Checks words of tools that run the project's code: no word leads out of the project. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace

from treadle.policy.judging.braces import expand_braces
from treadle.policy.judging.paths import (
    FOREIGN,
    KEPT_APART,
    OUTSIDE,
    STREAMS,
    TEMPORARY,
    lies_in,
    path_refusal,
)
from treadle.policy.judging.secret_files import holds_secrets
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.protected_paths import protected_name
from treadle.policy.shell.syntax import Word

LOCAL_URL = re.compile(
    r"(?:(?:https?|tcp|wss?)://)?(?:[^@/\s]*@)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)"
    r"(?::[\d$]\w*)?(?:[/?#].*)?"
)
_ADDRESS = re.compile(r"\b(?:https?|ftp|git|ssh|git\+\w+|tcp|wss?)://[^\s\"']+")
# What may be a path in a word: in a list, after `key=`, in brackets of a pattern.
_PIECE = re.compile(r"[^\s=:,;@\"'()|<>\[\]`]+")
# First steps of absolute paths that lead to something; others are parts of an address.
_PLACES = re.compile(
    r"/(?:bin|boot|data|dev|etc|home|lib|media|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr"
    r"|var|work|Users|Volumes|Library|System|Applications)(?:/|$)"
)
# A file of settings or code that a tool loads first: never one of /tmp.
_SETTINGS = re.compile(
    r"--?(?:[\w-]*-)?(?:config|conf|settings|app|prefix|requirements?)(?:-?(?:file|path))?|-r"
)
_SIGNS = re.compile(r"[*?\[{]")


def near_refusal(words: tuple[Word, ...], location: CommandLocation) -> str | None:
    """Why one of the words must not be given."""
    option = ""
    for word in words:
        name, equals, value = word.text.partition("=")
        given = value if equals else word.text
        if _SETTINGS.fullmatch(name if equals else option) and lies_in(given, TEMPORARY):
            return FOREIGN.format(path=given)
        if reason := word_refusal(word, location):
            return reason
        option = word.text
    return None


def word_refusal(word: Word, location: CommandLocation) -> str | None:
    """Why this word leads out of the project; what is known only at run time is not looked at."""
    text = word.text
    if word.stream:
        return None
    if text == "~" and word.expands:
        return OUTSIDE.format(path=text)
    addresses = () if re.search(r"\s", text) else _ADDRESS.finditer(text)
    if any(not LOCAL_URL.fullmatch(found[0]) for found in addresses):
        return f"{text} is an address elsewhere. Use what is in the project"
    for piece in _pieces(text):
        reason = _piece_refusal(piece, location)
        if reason is not None:
            return reason.format(path=piece)
    return None


def _pieces(text: str) -> Iterator[str]:
    if not any(sign in text for sign in "/.~"):
        # Most words: no path, and no name with a dot.
        yield text
        return
    for written in expand_braces(text) or (text,):
        yield from (found[0] for found in _PIECE.finditer(written.replace("\\", "")))


def _piece_refusal(piece: str, location: CommandLocation) -> str | None:
    path = re.sub(r"^-[A-Za-z](?=[/~.])", "", piece).replace("{", "").replace("}", "")
    if re.match(r"~\w*/", path):
        return OUTSIDE
    if path.startswith("/") and (path in STREAMS or not _PLACES.match(path)):
        return None
    steps = tuple(step for step in path.split("/") if step not in ("", "."))
    if holds_secrets(steps):
        return KEPT_APART
    if "$" in path or not path.strip("-"):
        return None
    # Patterns are followed up to their first sign.
    fixed = _SIGNS.split(path)[0]
    if ".." in path[len(fixed) :].split("/"):
        return OUTSIDE
    return _place_refusal(fixed.rpartition("/")[0] if fixed != path else path, location)


def _place_refusal(path: str, location: CommandLocation) -> str | None:
    """Paths of the user's settings may be named, as tests are: the sandbox keeps them."""
    # One step may still be a link.
    single = "/" not in path and not path.startswith(".") and protected_name([path]) is None
    if single and (path.startswith("-") or not location.lookups.what_is(f"{location.root}/{path}")):
        return None
    if location.context.protected:
        location = replace(location, context=replace(location.context, protected=()))
    return path_refusal(Word(path or "."), "write", location)
