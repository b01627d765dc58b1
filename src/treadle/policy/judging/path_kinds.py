"""Kinds of words that are paths or addresses. Pure."""

from collections.abc import Mapping

from treadle.policy.judging.name_kinds import WordKind
from treadle.policy.judging.near_words import LOCAL_URL
from treadle.policy.judging.paths import TEMPORARY, Access, path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Word


def _path(access: Access) -> WordKind:
    return lambda word, location: path_refusal(word, access, location)


def _moved(word: Word, location: CommandLocation) -> str | None:
    """What leaves its place; /tmp is the agent's own."""
    scratch = word.plain and word.text.startswith(tuple(f"{at}/" for at in TEMPORARY))
    return path_refusal(word, "write" if scratch else "delete", location)


def _folder(word: Word, location: CommandLocation) -> str | None:
    unknown = word.variables or word.substitutes or word.text[:1] in ("-", "~")
    if unknown:
        return f"where {word.text} leads is known only at run time. Name the directory"
    scratch = f"{word.text}/".startswith("/tmp/")  # noqa: S108 - the sandbox's own
    return path_refusal(word, "read" if scratch else "enter", location)


def _local_url(word: Word, location: CommandLocation) -> str | None:
    """An address on this machine; its end may be made at run time."""
    return None if LOCAL_URL.fullmatch(word.text) else f"{word.text} is an address elsewhere"


PATH_KINDS: Mapping[str, WordKind] = {
    "look": _path("look"),
    "read": _path("read"),
    "run": _path("run"),
    "write": _path("write"),
    "delete": _path("delete"),
    "moved": _moved,
    "chdir": _path("enter"),
    # The folder that an option names for what else would be the last operand.
    "into": _path("write"),
    "cd": _folder,
    "local-url": _local_url,
}
