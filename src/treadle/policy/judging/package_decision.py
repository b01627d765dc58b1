"""Decides about tools that fetch packages, by where those come from. Pure."""

from dataclasses import dataclass, replace

from treadle.policy.commands.catalogue import rules_by_name
from treadle.policy.commands.rule_syntax import PackageRow, names
from treadle.policy.commands.unknown_commands import REMOVES
from treadle.policy.judging.near_words import near_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.tool_verdicts import (
    InnerProgram,
    Origin,
    ToolPermission,
    ToolRefusal,
    ToolVerdict,
)
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_TELLS = names("--version -v -V --help -h --revision --silent -q --quiet")
_NAMED = names("run run-script task")
_STARTS = names("create init")
_MODULES = names("-m --module")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The words around the sub-command: options with their values, operands, what is handed on."""

    options: tuple[Word, ...]
    sub: Word | None
    rest: tuple[Word, ...]


def decide_package_tool(
    row: PackageRow, words: tuple[Word, ...], location: CommandLocation
) -> ToolVerdict:
    parts = _split(words, names(row.takes))
    reason = _never_refusal(row, parts) or near_refusal(parts.options, location)
    if reason is not None:
        return ToolRefusal(reason)
    if parts.sub is None:
        known = row.bare or (words and _TELLS.issuperset(word.text for word in words))
        return ToolPermission() if known else ToolRefusal("a sub-command is missing")
    if row.runs == "*":
        return InnerProgram((_unversioned(parts.sub), *parts.rest), _origin(row))
    if not parts.sub.plain:
        return ToolRefusal(f"what {parts.sub.text} becomes is known only at run time. Write it out")
    return _decide_sub(row, parts.sub.text, parts, location)


def _decide_sub(row: PackageRow, sub: str, parts: _Parts, location: CommandLocation) -> ToolVerdict:
    changes = sub in names(f"{row.installs} {row.changes}")
    if changes and location.context.roles == "read":
        return ToolRefusal("in this role you read and report, and change nothing")
    if sub in names(row.installs):
        reason = _packages_refusal(row, parts.rest, location)
        return ToolRefusal(reason) if reason else ToolPermission()
    if sub in names(row.runs):
        return _decide_run(row, sub, parts.rest, location)
    if not (changes or sub in names(row.reads) or row.scripts):
        return ToolRefusal(f"{sub} is not an allowed sub-command")
    if sub in REMOVES or any(word.text in REMOVES for word in parts.rest[:1]):
        return ToolRefusal("it removes files, which this run does not allow")
    if row.scripts and not changes and sub not in names(row.reads) and _is_tool(sub, row):
        return InnerProgram((Word(sub), *parts.rest), "installed")
    if sub in _NAMED and not all(word.plain for word in parts.rest[:1]):
        return ToolRefusal("which script it is, is known only at run time. Write its name")
    reason = near_refusal((Word(sub), *parts.rest), location)
    return ToolRefusal(reason) if reason else ToolPermission()


def _is_tool(name: str, row: PackageRow) -> bool:
    """Whether a sub-command is rather a tool of the same language, with a row of its own."""
    own = {entry.family for entry in rules_by_name()[row.names.split()[0]]}
    families = own | ({"node"} if "bun" in own else set())
    return any(entry.family in families for entry in rules_by_name().get(name, ()))


def _decide_run(
    row: PackageRow, sub: str, words: tuple[Word, ...], location: CommandLocation
) -> ToolVerdict:
    inner = _split(words, names(row.takes))
    reason = _never_refusal(row, inner) or near_refusal(inner.options, location)
    if reason is not None:
        return ToolRefusal(reason)
    if inner.sub is None:
        fine = sub in ("init", "install") or any(word.text in _TELLS for word in words)
        return ToolPermission() if fine else ToolRefusal("what it is to run is missing")
    program = (_unversioned(inner.sub) if row.fetches else inner.sub, *inner.rest)
    if any(word.text in _MODULES for word in inner.options):
        return InnerProgram((Word("python"), Word("-m"), *program), "other")
    if sub in _STARTS:
        starter = replace(program[0], text=f"create-{program[0].text}")
        return InnerProgram((starter, *program[1:]), "fetched")
    if row.source == "module":
        return InnerProgram(program, "file")
    return _of_same_tool(row, sub, program, inner) or InnerProgram(program, _origin(row))


def _of_same_tool(
    row: PackageRow, sub: str, program: tuple[Word, ...], inner: _Parts
) -> InnerProgram | None:
    """Sub-commands that choose a place in which another command of the tool runs, or a tool."""
    if sub == "pip":
        return InnerProgram((Word("pip"), *program), "other")
    if sub == "workspace":
        return InnerProgram((Word("yarn"), *inner.rest), "other")
    if sub == "workspaces":
        each = _split(inner.rest, names(row.takes)) if program[0].text == "foreach" else inner
        words = (each.sub, *each.rest) if each.sub is not None else ()
        return InnerProgram((Word("yarn"), *words), "other")
    name = program[0].text
    if name.endswith(".py") and "/" not in name:
        return InnerProgram((Word("python"), *program), "other")
    return None


def _origin(row: PackageRow) -> Origin:
    return "fetched" if row.fetches else "installed"


def _unversioned(word: Word) -> Word:
    """`create-vite@latest` is `create-vite`; a scope begins with the same sign."""
    name, at, version = word.text.partition("@")
    return replace(word, text=name) if at and name and version in ("latest", "next") else word


def _split(words: tuple[Word, ...], takes: frozenset[str]) -> _Parts:
    options: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text == "--":
            at += 1
            break
        if not text.startswith("-") or text == "-":
            break
        options.append(words[at])
        at += 1
        if text in takes and at < len(words):
            options.append(words[at])
            at += 1
    sub = words[at] if at < len(words) else None
    return _Parts(tuple(options), sub, words[at + 1 :])


def _never_refusal(row: PackageRow, parts: _Parts) -> str | None:
    """Options of the tool itself; short ones after a script's name are the script's."""
    never = names(row.never)
    sub = parts.sub.text if parts.sub is not None else ""
    if sub in never:
        return f"{sub} is not an allowed sub-command"
    own = sub in names(f"{row.installs} {row.changes}")
    for word in (*parts.options, *_before_dashes(parts.rest if row.runs != "*" else ())):
        name = word.text.partition("=")[0]
        belongs = own or len(name) > 2 or word in parts.options
        if name.startswith("-") and name in never and belongs:
            return f"the option {name} is not allowed"
    return None


def _before_dashes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    texts = [word.text for word in words]
    return words[: texts.index("--")] if "--" in texts else words


def _packages_refusal(
    row: PackageRow, words: tuple[Word, ...], location: CommandLocation
) -> str | None:
    """Each word is the name of a package, an option, or the value of one that takes it."""
    takes, option = names(row.takes), ""
    for word in words:
        if word.text.startswith("-") and word.text != "-":
            reason = near_refusal((word,), location)
            option = word.text if word.text in takes else ""
        elif option:
            # Where the option takes no value, a package from elsewhere would follow it.
            elsewhere = KINDS[row.source](word, location) if ":" in word.text else None
            reason = elsewhere or near_refusal((Word(option), word), location)
            option = ""
        else:
            reason = KINDS[row.source](word, location)
        if reason is not None:
            return reason
    return None
