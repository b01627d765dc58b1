"""Checks of commands that copy, move, link and rewrite files, by their rule name. Pure."""

import re
from collections.abc import Callable, Mapping
from posixpath import basename, dirname

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import SYSTEM, path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.tool_patterns import protected_pattern_refusal
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_MODE = re.compile(r"[ugoa]*\+x")
_INCOMPLETE = "it needs what to take and where to put it"


def _chmod(given: Arguments, place: CommandLocation) -> str | None:
    if _MODE.fullmatch(given.operands[0].text):
        return None
    return "the only change of mode is +x (u+x, a+x, …), for named files"


def _ends(given: Arguments) -> tuple[tuple[Word, ...], Word] | None:
    """What is taken and where it goes: the last operand, or what `-t` says."""
    folder = given.value("-t", "--target-directory")
    if folder is not None:
        return (given.operands, folder) if given.operands else None
    return (given.operands[:-1], given.operands[-1]) if len(given.operands) > 1 else None


def _copy(given: Arguments, place: CommandLocation) -> str | None:
    """A copy into a folder is a file of the same name in it."""
    ends = _ends(given)
    if ends is None:
        return _INCOMPLETE
    sources, target = ends
    for source in sources:
        name = basename(source.text.rstrip("/"))
        reason = protected_pattern_refusal(name) if source.expands else None
        if reason is not None:
            return reason
        if name in ("", ".", "..") or not source.plain:
            continue
        if source.text.startswith(tuple(f"{folder}/" for folder in SYSTEM)):
            return f"{source.text} belongs to the system, and is not copied. Use it where it is"
        # All the steps to it are made anew, or the last one.
        inside = source.text if "--parents" in given.switches else name
        reason = path_refusal(Word(f"{target.text.rstrip('/')}/{inside}"), "write", place)
        if reason is not None:
            return reason
    return None


def _move(given: Arguments, place: CommandLocation) -> str | None:
    ends = _ends(given)
    if ends is None:
        return _INCOMPLETE
    reason = _copy(given, place)
    # A file that is moved to /tmp is gone from the project.
    return reason if reason or ends[1].text == "." else path_refusal(ends[1], "delete", place)


def _link(given: Arguments, place: CommandLocation) -> str | None:
    if not {"-s", "--symbolic"} & set(given.switches):
        return "only symbolic links are made: ln -s"
    ends = _ends(given)
    if ends is None:
        return _INCOMPLETE
    targets, link = ends
    folder = f"{link.text.rstrip('/')}/"
    if link is given.operands[-1]:
        folder = f"{dirname(link.text)}/" if "/" in link.text else ""
    for target in targets:
        starts = [""] if target.text.startswith("/") else [folder]
        if {"-r", "--relative"} & set(given.switches):
            starts.append("")
        for start in starts:
            there = Word(start + target.text, target.expands, target.variables)
            # A secret by another name would be read under it.
            reason = path_refusal(there, "write", place) or path_refusal(there, "read", place)
            if reason is not None:
                return reason
    return _copy(given, place)


def _sed(given: Arguments, place: CommandLocation) -> str | None:
    named = {"-e", "--expression"} & set(given.switches)
    files = given.operands if named else given.operands[1:]
    changes = bool({"-i", "--in-place"} & set(given.switches))
    if changes and place.context.roles == "read":
        return "in this role you change nothing"
    for word in files:
        reason = path_refusal(word, "read", place) or (
            _rewrite_refusal(word, given, place) if changes else None
        )
        if reason is not None:
            return reason
    if not named and not given.operands:
        return "a text of commands is missing"
    reason = None if named else KINDS["sed"](given.operands[0], place)
    if reason is not None:
        return reason
    return None if files or given.fed else "without a file it waits for input that nobody sends"


def _rewrite_refusal(word: Word, given: Arguments, place: CommandLocation) -> str | None:
    """The file is changed, and its backup is a file, too."""
    suffix = given.value("-i", "--in-place")
    backup = None if suffix is None else Word(word.text + suffix.text, word.expands, word.variables)
    reason = path_refusal(word, "write", place)
    return reason if reason or backup is None else path_refusal(backup, "write", place)


FILE_CHECKS: Mapping[str, Callable[[Arguments, CommandLocation], str | None]] = {
    "chmod": _chmod,
    "copy": _copy,
    "move": _move,
    "link": _link,
    "sed": _sed,
}
