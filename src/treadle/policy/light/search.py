"""Searches the text of a line that cannot be read for what the light policy holds. Pure."""

import re
from collections.abc import Iterator

from treadle.domain.agent import Ask, Deny
from treadle.policy.judging.paths import KEPT_APART, OURS
from treadle.policy.judging.secret_files import holds_secrets, is_secret_variable
from treadle.policy.light.escapes import PROCESS, SOCKET, deny_program
from treadle.policy.light.gates import find_gate
from treadle.policy.light.tables import ESCAPE_SOCKET, ESCAPES, PROCESS_FILE, SHELLS
from treadle.policy.light.variables import deny_variable
from treadle.policy.protected_paths import EXECUTED_CONFIG, OWN
from treadle.policy.shell.heredocs import mask_heredocs
from treadle.policy.shell.syntax import ShellCommand, Word

_COMMANDS = re.compile(r"&&|\|\||[;&|\n(){}`]|\$\(")
_QUOTES = re.compile(r"[\"'\\]")
_WORD = re.compile(r"[^\s<>=,]+")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
_CHANGES = re.compile(r"(?:^|[\s/])(?:rm|mv|tee|unlink|truncate|chmod|rmdir|rimraf)\s|>|\bsed\s+-i")
_ASSIGNED = re.compile(r"\b([A-Za-z_]\w*)=")
_MOST_COMMANDS = 500
# A command may begin at each word, and has all words after it.
_MOST_WORDS_OF_COMMANDS = 200_000
TOO_LONG = Deny("The line is too long to be read. Split it into several lines.", "line-too-long")


def search_line(line: str, patterns: tuple[str, ...], *, reachable: bool) -> Iterator[Ask | Deny]:
    """What a person decides about, and what is refused, by the words of the text alone."""
    text = _without_documents(line)
    parts = _COMMANDS.split(text)
    commands = [_WORD.findall(_QUOTES.sub("", part)) for part in parts]
    read = sum(len(words) * (len(words) + 1) // 2 for words in commands)
    if sum(map(bool, commands)) > _MOST_COMMANDS or read > _MOST_WORDS_OF_COMMANDS:
        yield TOO_LONG
        return
    for part, words in zip(parts, commands, strict=True):
        yield from _search_words(words, changes=bool(_CHANGES.search(part)))
        yield from _search_command(words, patterns, reachable=reachable)
    if ESCAPE_SOCKET.search(text):
        yield SOCKET
    if PROCESS_FILE.search(text):
        yield PROCESS
    used = dict.fromkeys(found[1] for found in _VARIABLE.finditer(text))
    assigned = {found[1] for found in _ASSIGNED.finditer(text)} if used else set()
    for name in used:
        if name not in assigned and is_secret_variable(name):
            yield deny_variable(name)


def _without_documents(line: str) -> str:
    """Without the texts of here-documents, unless a shell may run them."""
    masked = mask_heredocs(line.encode(errors="replace")).source.decode(errors="replace")
    is_run = any(word.rpartition("/")[2] in SHELLS for word in masked.split())
    return line if is_run else masked


def _search_command(
    words: list[str], patterns: tuple[str, ...], *, reachable: bool
) -> Iterator[Ask | Deny]:
    for at, word in enumerate(words):
        name = word.rpartition("/")[2]
        if name in ESCAPES:
            yield deny_program(name)
        command = ShellCommand(tuple(map(Word, words[at:])))
        if gate := find_gate(command, word, patterns, reachable=reachable):
            yield gate


def _search_words(words: list[str], *, changes: bool) -> Iterator[Deny]:
    for word in words:
        parts = tuple(part for part in word.split("/") if part not in ("", "."))
        if parts and holds_secrets(parts):
            yield Deny(KEPT_APART.format(path=word), "secret-file")
        guarded = any(part.casefold() in EXECUTED_CONFIG for part in parts)
        if changes and parts and (guarded or parts[0] in OWN):
            yield Deny(OURS.format(path=word), "protected-path")
