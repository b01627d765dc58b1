"""Names of the project's files that a pipeline prints for another command. Pure."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from posixpath import basename

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import ITEM
from treadle.policy.judging.secret_files import selects_secrets
from treadle.policy.protected_paths import protected_name
from treadle.policy.shell.syntax import ShellCommand, Word

# What is handed on if nobody knows what the line prints.
UNKNOWN_ITEM = Word(f"${ITEM}", substitutes=True)
_SUBSTITUTION = re.compile(r"\$\((?P<inside>[^$`()]*)\)")
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_QUIET = re.compile(r"2>(?:/dev/null|&1)")
# Each command is judged by itself; these print names of the project, or leave some of them out.
_LISTERS = names("find fd fdfind ls grep egrep fgrep rg git pgrep lsof go bundle rustc npm")
_FILTERS = names("sort uniq tac head tail cut grep egrep fgrep rg sed awk tr xargs")
_PRINTS_MORE = re.compile(r"-printf|-fprintf|--format.*|--label.*")
_EXCLUDES = names("! -not")


def with_listed_names(word: Word) -> Word | None:
    """The word with a name of the project in place of a list of them; None if it is no list."""
    if not word.substitutes or word.variables or word.stream:
        return None
    text = word.text.replace("$(pwd)", ".")
    for found in _SUBSTITUTION.finditer(text):
        item = _printed_item(found["inside"])
        if item is None:
            return None
        text = text.replace(found[0], item)
    if "$" in text or "`" in text:
        return None
    return replace(word, text=text, expands=False, substitutes=False)


def handed_item(command: ShellCommand) -> Word:
    """What a command gets through its pipe: a name of the project, or what nobody knows."""
    item = listed_item([[word.text for word in each.words] for each in command.piped])
    redirects = (each for part in (*command.piped, command) for each in part.redirects)
    reads = any(each.kind in ("read", "both", "heredoc", "herestring") for each in redirects)
    return UNKNOWN_ITEM if item is None or reads or command.fed else Word(item)


def listed_item(pipeline: Sequence[Sequence[str]]) -> str | None:
    """A name that the pipeline may print: a guarded one if it looks for such; None: anything."""
    if not pipeline or not all(pipeline):
        return None
    first, *filters = (basename(words[0]) for words in pipeline)
    if first not in _LISTERS or not _FILTERS.issuperset(filters):
        return None
    if any(map(_PRINTS_MORE.fullmatch, pipeline[0])):
        return None
    return item_of(pipeline[0])


def item_of(words: Sequence[str]) -> str:
    """A name that the search may find: of secrets or protected, if it looks for such."""
    sought = list(_sought(words))
    if any(map(selects_secrets, sought)):
        return ".env"
    guarded = (protected_name([part]) for path in sought for part in path.split("/") if part)
    return next(filter(None, guarded), ITEM)


def _sought(words: Sequence[str]) -> Iterator[str]:
    for at, text in enumerate(words):
        excluded = at > 1 and words[at - 2] in _EXCLUDES
        if at and not text.startswith("-") and not excluded:
            yield text


def _printed_item(inside: str) -> str | None:
    plain = _QUIET.sub("", inside)
    if re.search(r"[;&<>\n]", plain):
        return None
    try:
        return listed_item([shlex.split(part) for part in _PIPE.split(plain)])
    except ValueError:
        return None
