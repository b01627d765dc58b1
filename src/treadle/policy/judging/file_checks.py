"""Checks of commands that copy, move, link and rewrite files, by their rule name. Pure."""

import re
from collections.abc import Callable, Mapping
from posixpath import basename, dirname

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import SYSTEM, path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_MODE = re.compile(r"[ugoa]*\+x")
_INCOMPLETE = "it needs what to take and where to put it"


def _chmod(arguments: Arguments, location: CommandLocation) -> str | None:
    if _MODE.fullmatch(arguments.operands[0].text):
        return None
    return "the only change of mode is +x (u+x, a+x, …), for named files"


def _ends(arguments: Arguments) -> tuple[tuple[Word, ...], Word] | None:
    """What is taken and where it goes: the last operand, or what `-t` says."""
    folder = arguments.value("-t", "--target-directory")
    if folder is not None:
        return (arguments.operands, folder) if arguments.operands else None
    return (
        (arguments.operands[:-1], arguments.operands[-1]) if len(arguments.operands) > 1 else None
    )


def _copy(arguments: Arguments, location: CommandLocation) -> str | None:
    """A copy into a folder is a file of the same name in it."""
    ends = _ends(arguments)
    if ends is None:
        return _INCOMPLETE
    sources, target = ends
    for source in sources:
        name = basename(source.text.rstrip("/"))
        if name in ("", ".", "..") or not source.plain:
            continue
        if source.text.startswith(tuple(f"{folder}/" for folder in SYSTEM)):
            return f"{source.text} belongs to the system, and is not copied. Use it where it is"
        # `--parents` copies the whole path, otherwise only the name.
        inside = source.text if "--parents" in arguments.switches else name
        reason = path_refusal(Word(f"{target.text.rstrip('/')}/{inside}"), "write", location)
        if reason is not None:
            return reason
    return None


def _move(arguments: Arguments, location: CommandLocation) -> str | None:
    ends = _ends(arguments)
    if ends is None:
        return _INCOMPLETE
    # A file of secrets could be read under another name.
    reasons = (path_refusal(each, "read", location) for each in ends[0] if each.plain)
    reason = _copy(arguments, location) or next(filter(None, reasons), None)
    # A file that is moved to /tmp is gone from the project.
    return reason if reason or ends[1].text == "." else path_refusal(ends[1], "delete", location)


def _link(arguments: Arguments, location: CommandLocation) -> str | None:
    ends = _ends(arguments)
    if ends is None:
        return _INCOMPLETE
    targets, link = ends
    folder = f"{link.text.rstrip('/')}/"
    if link is arguments.operands[-1]:
        folder = f"{dirname(link.text)}/" if "/" in link.text else ""
    for target in targets:
        starts = [""] if target.text.startswith("/") else [folder]
        if {"-r", "--relative"} & set(arguments.switches):
            starts.append("")
        for start in starts:
            there = Word(start + target.text, target.expands, target.variables)
            # A secret by another name would be read under it.
            reason = path_refusal(there, "write", location) or path_refusal(there, "read", location)
            if reason is not None:
                return reason
    return _copy(arguments, location)


def _sed(arguments: Arguments, location: CommandLocation) -> str | None:
    named = {"-e", "--expression"} & set(arguments.switches)
    files = arguments.operands if named else arguments.operands[1:]
    changes = bool({"-i", "--in-place"} & set(arguments.switches))
    if changes and location.context.roles == "read":
        return "in this role you change nothing"
    for word in files:
        reason = path_refusal(word, "read", location) or (
            _rewrite_refusal(word, arguments, location) if changes else None
        )
        if reason is not None:
            return reason
    if not named and not arguments.operands:
        return "a text of commands is missing"
    reason = None if named else KINDS["sed"](arguments.operands[0], location)
    if reason is not None:
        return reason
    return None if files or arguments.fed else "without a file it waits for input that nobody sends"


def _rewrite_refusal(word: Word, arguments: Arguments, location: CommandLocation) -> str | None:
    """The file is changed, and its backup is a file, too."""
    suffix = arguments.value("-i", "--in-place")
    backup = None if suffix is None else Word(word.text + suffix.text, word.expands, word.variables)
    reason = path_refusal(word, "write", location)
    return reason if reason or backup is None else path_refusal(backup, "write", location)


FILE_CHECKS: Mapping[str, Callable[[Arguments, CommandLocation], str | None]] = {
    "chmod": _chmod,
    "copy": _copy,
    "move": _move,
    "link": _link,
    "sed": _sed,
}
