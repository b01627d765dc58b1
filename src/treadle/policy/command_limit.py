"""Decides whether every command of a shell line is on a list of tools. Pure."""

import re
from collections.abc import Callable
from dataclasses import replace
from fnmatch import translate
from functools import lru_cache
from typing import TypeAlias

from treadle.domain.agent import Deny, PolicyDecision
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.variable_checks import loop_refusal
from treadle.policy.judging.variable_names import DANGEROUS, SETTABLE
from treadle.policy.roles import ShellSet
from treadle.policy.shell.syntax import ParseResult, ShellCommand, UnreadableLine, Word
from treadle.policy.tool_limit import RULE, ToolLimit, deny_beyond

# A line, what the role may do in a shell, and the directory that the line starts in.
DecideLine: TypeAlias = Callable[[str, ShellSet, str], PolicyDecision]
ParseShellLine: TypeAlias = Callable[[str], ParseResult]

# They change nothing but the shell that ends with the line.
_FREE = names("cd echo pwd true false : exit")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_WRITES = frozenset({"write", "append", "both"})
_STREAMS = names("/dev/null /dev/stdout /dev/stderr")


def limit_commands(decide: DecideLine, limit: ToolLimit, parse: ParseShellLine) -> DecideLine:
    """A decision that refuses lines with a command beyond the list, and else is `decide`'s."""

    def decide_limited(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
        return find_command_denial(line, limit, parse) or decide(line, allowed, directory)

    return decide_limited


def find_command_denial(line: str, limit: ToolLimit, parse: ParseShellLine) -> Deny | None:
    """Why a line is beyond the list: each command in it must fit a pattern."""
    patterns = limit.commands
    if patterns is None or not line.strip():
        return None
    script = parse(line)
    if isinstance(script, UnreadableLine):
        return Deny(f"{script.reason} Your commands are limited to a list.", script.rule)
    if reason := loop_refusal(script):
        return Deny(f"{reason[:1].upper()}{reason[1:]}.", RULE)
    for command in script.commands:
        if denial := _find_denial(command, limit, patterns):
            return denial
    return None


def _find_denial(command: ShellCommand, limit: ToolLimit, patterns: tuple[str, ...]) -> Deny | None:
    for given in command.assignments:
        # Such a variable makes another program of the one that is on the list.
        if DANGEROUS.fullmatch(given.name) and given.name not in SETTABLE:
            return deny_beyond(f"Setting {given.name}", limit)
    if not limit.has_whole("Write") and (target := _written_file(command)):
        return deny_beyond(f"Writing {target} by a redirection", limit)
    unwrapped = _unwrap(command)
    if not unwrapped.words or _is_free(unwrapped):
        return None
    texts = unwrapped.words
    if any(_fits(texts, pattern) or _fits(command.words, pattern) for pattern in patterns):
        return None
    return deny_beyond(f"The command `{texts[0].text}` in this form", limit)


def _written_file(command: ShellCommand) -> str:
    for redirect in command.redirects:
        target = redirect.target
        is_stream = target.plain and target.text in _STREAMS
        if redirect.kind in _WRITES and not is_stream:
            return target.text
    return ""


def _is_free(command: ShellCommand) -> bool:
    return command.words[0].plain and command.words[0].text in _FREE


def _unwrap(command: ShellCommand) -> ShellCommand:
    """The command after `timeout 60`, `time` or `nohup`; else as it is."""
    words = command.words
    match [word.text if word.plain else "" for word in words[:3]]:
        case ["timeout", duration, following, *_] if _DURATION.fullmatch(duration):
            rest = words[2:]
        case ["time" | "nohup", following, *_]:
            rest = words[1:]
        case _:
            return command
    if not following or following.startswith("-"):
        return command
    return _unwrap(replace(command, words=rest))


def _fits(words: tuple[Word, ...], pattern: str) -> bool:
    """Word by word; a `*` at the end stands for any further words, also for none."""
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    if open_end:
        wanted.pop()
    if len(words) < len(wanted) or (len(words) > len(wanted) and not open_end):
        return False
    pairs = zip(words, wanted, strict=False)
    return all(word.plain and _word_pattern(like)(word.text) for word, like in pairs)


@lru_cache(maxsize=256)
def _word_pattern(like: str) -> Callable[[str], object]:
    return re.compile(translate(like)).match
