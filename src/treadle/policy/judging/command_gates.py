"""Finds the commands that need approval: built-in gates and the user's patterns. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Literal

from treadle.policy.commands.gate_rules import GATED_PARTS, GATES, CommandGate
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.databases import find_database, only_looks
from treadle.policy.judging.started_commands import started_commands
from treadle.policy.shell.syntax import ShellCommand, Word

_GLOB = re.compile(r"[*?\[]")
_AROUND = re.compile("^(?:pre|post)(?=[a-z])")
_PIECES = re.compile(r"[:_\-./]")
# `nx run-many --target=deploy`
_ATTACHED = re.compile(r"(?:--targets?|-t)=(.+)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


# Words in a script's name that indicate effects outside the project.
_TELLING = names("deploy deployment publish release migrate migration migrations rollback")
_MIGRATING = names("migrate migration migrations rollback")
_OF_DATABASE = names("drop reset truncate purge wipe destroy")
_PRODUCTION = frozenset({"production", "prod", "live"})
# A quick test that excludes most lines.
_LIVE = re.compile("prod|live", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"[A-Z_]*ENV(?:IRONMENT)?=(?:production|prod|live)")
_AND_THEN = frozenset(product(("and", "then"), _TELLING)) | {
    ("build", "deploy"),
    ("build", "publish"),
}
_REHEARSED = names("build test tests lint check preview dry")
# Who runs scripts by name: after `run`, or after nothing at all; or several at once.
_AFTER_RUN = names("npm yarn pnpm bun composer deno")
_AT_ONCE = names("yarn pnpm bun composer")
_SEVERAL = names("make rake just task invoke gulp grunt nx turbo")
# For these, names behind `--` are targets as well.
_TARGETS_BEHIND = names("make rake")
_BUNDLERS = names("webpack vite next rollup parcel esbuild tsup")
_TARGET_FLAGS = names(
    "-e --env --environment --stage --target --context --profile --namespace --app"
)
# They talk to a host that an operand or an option names; `-n` of the others is a namespace.
_CLIENTS = names("psql pg_dump pg_restore mysql mysqldump mariadb mongosh redis-cli curl wget http")
_CLUSTERS = names("kubectl oc helm k9s")
_TARGETS = frozenset(f"{flag}={value}" for flag in _TARGET_FLAGS for value in _PRODUCTION)
_DEEPEST = 3
# Options whose next word may be theirs: of more than so many, the later ones keep none.
_MOST_UNSURE = 6


# others: people outside get to see it. database, production: by what the line names. removal: a
# whole tree.
GateTopic = Literal["others", "database", "production", "removal", "settings"]
_TOPICS: Mapping[str, GateTopic] = {
    "gate-database": "database",
    "gate-recursive-removal": "removal",
    "gate-production": "production",
}


@dataclass(frozen=True, slots=True)
class GateMatch:
    name: str
    reason: str
    topic: GateTopic


def find_command_gate(command: ShellCommand, user_patterns: tuple[str, ...]) -> GateMatch | None:
    """The first gate for this command, whose known variables are already expanded.

    A database on this machine needs no question.
    """
    for match in find_command_gates(command, user_patterns):
        if match.topic != "database" or find_database(command) != "here":
            return match
    return None


def find_command_gates(
    command: ShellCommand, user_patterns: tuple[str, ...], depth: int = 0
) -> Iterator[GateMatch]:
    """All gates that this command fits."""
    words = [word.text for word in command.words]
    if not words:
        return
    words[0] = words[0].rsplit("/", 1)[-1]
    known = _by_name().get(words[0], ())
    readings = [words, *_without_options(words)] if user_patterns or known else []
    for pattern in user_patterns:
        if _matches_pattern(pattern, readings):
            yield GateMatch(
                "gate-by-settings", f"Your settings ask before `{pattern}`.", topic="settings"
            )
    for gate, pattern in known:
        if _matches_pattern(pattern, readings) and _has_mark(gate, words):
            topic = _TOPICS.get(gate.name, "others")
            if topic != "database" or not only_looks(words):
                yield GateMatch(gate.name, gate.reason, topic)
    yield from _by_meaning(command, words)
    yield from _within_runner(words, user_patterns)
    for inner in started_commands(words) if depth < _DEEPEST else ():
        given = replace(command, words=tuple(map(Word, inner)))
        yield from find_command_gates(given, user_patterns, depth + 1)


def _by_meaning(command: ShellCommand, words: list[str]) -> Iterator[GateMatch]:
    """Gates that no list of commands names."""
    if any(_abbreviates(words[0], word) for word in words[1:]) and not only_looks(words):
        reason = "It changes the shape or the contents of a database."
        yield GateMatch("gate-database", reason, "database")
    if _for_production(command, words):
        yield GateMatch("gate-production", "It works on production.", "production")
    for script in _scripts(words):
        if topic := script_topic(script):
            reason = "By its name, the script reaches beyond this project."
            yield GateMatch("gate-script", reason, topic)


def _within_runner(words: list[str], user_patterns: tuple[str, ...]) -> Iterator[GateMatch]:
    """`yarn wrangler deploy` is as `npx wrangler deploy`, unless a script has that name."""
    for reading in (_without_options(words) or [words]) if words[0] in _AT_ONCE else ():
        tool = reading[2:] if reading[1:2] in (["run"], ["run-script"]) else reading[1:]
        if tool and tool[0] in _by_name() and tool[0] not in _AT_ONCE:
            yield from find_command_gates(ShellCommand(tuple(map(Word, tool))), user_patterns)


def _abbreviates(console: str, word: str) -> bool:
    """Whether a framework's console may accept the word as an abbreviated gated command."""
    parts = word.split(":")
    return any(
        len(command_parts) == len(parts) and all(map(_starts, parts, command_parts))
        for command_parts in map(_parts, GATED_PARTS.get(console, ()))
    )


def _parts(name: str) -> list[str]:
    return name.split(":")


def _starts(piece: str, whole: str) -> bool:
    return bool(piece) and (whole == "*" or whole.startswith(piece))


@cache
def _by_name() -> Mapping[str, tuple[tuple[CommandGate, str], ...]]:
    """The gates and patterns for a command of this name; most have none."""
    gates: dict[str, tuple[tuple[CommandGate, str], ...]] = {}
    for gate in GATES:
        for pattern in gate.commands:
            name = pattern.split()[0]
            gates[name] = (*gates.get(name, ()), (gate, pattern))
    return gates


def _matches_pattern(pattern: str, readings: list[list[str]]) -> bool:
    """By a pattern, word by word; `*` stands for anything in a word, or for the rest."""
    wanted = _compile_pattern(pattern)
    return wanted is not None and any(_begins(wanted, words) for words in readings)


@lru_cache(maxsize=256)
def _compile_pattern(pattern: str) -> tuple[Callable[[str], object], ...] | None:
    """What each word must fit, which mostly is just a word; None if the pattern says nothing."""
    wanted = pattern.split()
    if not wanted:
        return None
    if wanted[-1] == "*":
        wanted.pop()
    return tuple(
        re.compile(translate(like)).match if _GLOB.search(like) else like.__eq__ for like in wanted
    )


def _without_options(words: list[str]) -> list[list[str]]:
    """The words without options, in every other way that they may be read.

    Which options take the next word is not known here: `git -C web push` is a push.
    """
    options = [at for at, word in enumerate(words) if at and word.startswith("-")]
    if not options:
        return []
    unsure = [at + 1 for at in options if "=" not in words[at] and at + 1 < len(words)]
    unsure = [at for at in unsure if not words[at].startswith("-")][:_MOST_UNSURE]
    dropped = [
        {*options, *(at for at, taken in zip(unsure, choice, strict=True) if taken)}
        for choice in product((False, True), repeat=len(unsure))
    ]
    return [[word for at, word in enumerate(words) if at not in gone] for gone in dropped]


def _begins(wanted: Sequence[Callable[[str], object]], words: list[str]) -> bool:
    pairs = zip(words, wanted, strict=False)
    return len(words) >= len(wanted) and all(fits(word) for word, fits in pairs)


def _has_mark(gate: CommandGate, words: list[str]) -> bool:
    """Whether the option or operand is there that the gate is about."""
    if gate.name == "gate-recursive-removal":
        return removes_tree(words)
    if not gate.flags and not gate.operand:
        return True
    return any(
        bool({word.partition("=")[0], *_letters(word)} & gate.flags)
        or bool(gate.operand and re.fullmatch(gate.operand, word))
        for word in words[1:]
    )


def _letters(word: str) -> list[str]:
    """`-fu` is `-f` and `-u`."""
    return [f"-{letter}" for letter in word[1:]] if re.fullmatch(r"-[A-Za-z]{2,}", word) else []


def removes_tree(words: list[str]) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    letters = "".join(word[1:] for word in options if not word.startswith("--"))
    recursive = "r" in letters.lower() or any(word.startswith("--r") for word in options)
    return recursive and ("f" in letters or any(word.startswith("--f") for word in options))


def _for_production(command: ShellCommand, words: list[str]) -> bool:
    for given in command.assignments:
        if given.name == "DJANGO_SETTINGS_MODULE" and _PRODUCTION & set(
            given.value.text.split(".")
        ):
            return not _builds(words)
        if given.name.endswith(("_ENV", "ENVIRONMENT")) and given.value.text.lower() in _PRODUCTION:
            return given.name != "NODE_ENV" or not _builds(words)
    if not _LIVE.search("\0".join(words)):
        return False
    if words[0] in _CLIENTS and any(map(_is_production_host, words[1:])):
        return True
    if words[0] in _CLUSTERS and any(
        flag == "-n" and value in _PRODUCTION for flag, value in pairwise(words)
    ):
        return True
    if any(_ENVIRONMENT.fullmatch(word) for word in words[1:]):
        return not _builds(words)
    pairs = pairwise(words[1:])
    named = any(flag in _TARGET_FLAGS and value.lower() in _PRODUCTION for flag, value in pairs)
    return (named or not _TARGETS.isdisjoint(words)) and not _builds(words)


def _is_production_host(word: str) -> bool:
    """`db.prod.example.com`, also in an address; not a path that has such a folder."""
    address = word.partition("=")[2] if word.startswith("--") else word
    host = address.partition("://")[2] or address
    labels = re.split(r"[.-]", re.split(r"[/:?]", host.rpartition("@")[2])[0].lower())
    return len(labels) > 1 and not {"prod", "production"}.isdisjoint(labels)


def _builds(words: list[str]) -> bool:
    return bool(_BUNDLERS & set(words[:3])) or any(
        piece in _REHEARSED for word in words for piece in _PIECES.split(word.lower())
    )


def _scripts(words: list[str]) -> list[str]:
    """The names of the project's scripts that the command runs; what they are handed is data."""
    if words[0] not in _SEVERAL and words[0] not in _AFTER_RUN:
        return []
    ends = "--" in words and words[0] not in _TARGETS_BEHIND
    own_words = words[: words.index("--")] if ends else words
    readings = _without_options(own_words) or [own_words]
    attached = [found[1] for word in own_words if (found := _ATTACHED.fullmatch(word))]
    targets = [name for listed in attached for name in listed.split(",")]
    return targets + [
        name for reading in readings for name in _script_names(reading[0], reading[1:])
    ]


def _script_names(runner: str, words: list[str]) -> list[str]:
    if runner in _SEVERAL:
        return words
    if words and words[0] in ("run", "run-script", "task"):
        return words[1:2]
    return words[:1] if runner in _AT_ONCE else []


def script_topic(word: str) -> GateTopic | None:
    """What a script reaches beyond the project, by its name; None if it does not say so."""
    if word.startswith("-"):
        return None
    spelled = _PIECES.split(_CAMEL.sub("-", word).lower())
    pieces = {_AROUND.sub("", piece) for piece in spelled}
    if pieces & _REHEARSED:
        return "others" if any(pair in _AND_THEN for pair in pairwise(spelled)) else None
    if pieces & {"db", "database"} and pieces & _OF_DATABASE:
        return "database"
    if found := pieces & _TELLING:
        return "database" if found <= _MIGRATING else "others"
    return "production" if pieces & _PRODUCTION else None
