"""Decides about a shell line where the sandbox holds: refuses little, and runs the rest. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from posixpath import basename
from typing import TypeAlias, assert_never

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.shell import ParseLine, SyntaxTree
from treadle.policy.judging.braces import expand_words
from treadle.policy.judging.directory_tracker import DirectoryTracker
from treadle.policy.judging.program_lookup import BINSTUBS, TOOL_FOLDERS, TRUSTED
from treadle.policy.judging.shell_context import (
    CommandLocation,
    ShellContext,
    SystemLookups,
    absolute,
)
from treadle.policy.light.endless import find_endless
from treadle.policy.light.escapes import find_escape
from treadle.policy.light.gates import find_gate, find_outside_removal
from treadle.policy.light.paths import find_paths
from treadle.policy.light.pipes import with_piped_text
from treadle.policy.light.protected import find_git_settings, find_protected_path
from treadle.policy.light.search import TOO_LONG, search_line
from treadle.policy.light.secrets import find_printed_variables, find_secret_path
from treadle.policy.light.tree import read_tree
from treadle.policy.light.variables import DECLARING, LineVariables
from treadle.policy.light.wrapped import Inner, InnerCommand, InnerLine, find_inner
from treadle.policy.shell.flatten import flatten
from treadle.policy.shell.heredocs import mask_heredocs
from treadle.policy.shell.line_outline import LineOutline
from treadle.policy.shell.plain_line_parser import parse_plain_line
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.shell_nodes import Node
from treadle.policy.shell.syntax import ParsedLine, ShellCommand, Word

RULE = "light"
_DEEPEST = 6
_MOST_COMMANDS = 1000
_TOO_MANY = "too-many-commands"
LONGEST_BYTES = 256 * 1024
# A longer line is refused unread. Linux gives a shell no argument of this length anyway.
LONGEST_LINE = 1024 * 1024
# shfmt prints about a kilobyte per word.
_MOST_WORDS = 4000

Finding: TypeAlias = Ask | Deny


@dataclass(slots=True)
class _Budget:
    """How many more commands are checked for one line, those inside of others included."""

    left: int = _MOST_COMMANDS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise LineRefused(_TOO_MANY)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What holds for a command by what it stands in."""

    budget: _Budget
    # Something ends it after a time, or it runs in the background.
    ends: bool = False
    depth: int = 0


def decide_light_line(
    line: str, context: ShellContext, *, lookups: SystemLookups
) -> PolicyDecision:
    """Decide about one line. Never raises."""
    if not line.strip():
        return Allow(rule="empty")
    if len(line) > LONGEST_LINE:
        return TOO_LONG
    found = _find(line, context, lookups)
    if found is None:
        return Allow(rule=RULE)
    return replace(found, subject=line) if isinstance(found, Ask) else found


def _find(line: str, context: ShellContext, lookups: SystemLookups) -> Finding | None:
    # Whatever fails here must neither end the session nor allow what a search would find.
    try:
        return _strictest(check_light_line(line, context, lookups))
    except Exception:
        return _strictest(search_line(line, context.ask_before, reachable=context.reachable))


def _strictest(findings: Iterator[Finding]) -> Finding | None:
    """The first refusal, after which nothing is read; else the first question."""
    asked: Ask | None = None
    for found in findings:
        if isinstance(found, Deny):
            return found
        asked = asked or found
    return asked


def check_light_line(line: str, context: ShellContext, lookups: SystemLookups) -> Iterator[Finding]:
    """Everything in the line that is refused or asked about."""
    try:
        yield from _check_line(line, context, lookups, _Surroundings(_Budget()))
    except LineRefused as refused:
        if refused.rule == _TOO_MANY:
            yield TOO_LONG
        else:
            yield from search_line(line, context.ask_before, reachable=context.reachable)


def _check_line(
    line: str, context: ShellContext, lookups: SystemLookups, around: _Surroundings
) -> Iterator[Finding]:
    script = read_light_line(line, shfmt=lookups.shfmt)
    if script is None:
        yield from search_line(line, context.ask_before, reachable=context.reachable)
    else:
        yield from _check_script(script, context, lookups, around)


def read_light_line(line: str, *, shfmt: ParseLine) -> ParsedLine | None:
    """Every command of the line, also in functions and substitutions; None if it is not shell, or
    too much."""
    node = _read(line, shfmt)
    return None if node is None else flatten(with_piped_text(node))


def _read(line: str, shfmt: ParseLine) -> Node | None:
    source = line.encode(errors="replace")
    if len(source) > LONGEST_BYTES or len(mask_heredocs(source).source.split()) > _MOST_WORDS:
        return None
    try:
        plain = parse_plain_line(line, LineOutline())
    except LineRefused:
        plain = None
    if plain is not None:
        return plain
    printed = shfmt(line)
    if not isinstance(printed, SyntaxTree):
        return None
    try:
        return read_tree(printed.json, source)
    except LineRefused:
        return None


def _check_script(
    script: ParsedLine, context: ShellContext, lookups: SystemLookups, around: _Surroundings
) -> Iterator[Finding]:
    tracker = DirectoryTracker(context, lookups, lookups.real_path(context.root))
    variables = LineVariables.of_loops(script.loops)
    for command in script.commands:
        location = tracker.locate(command, last=False)
        if refusal := variables.find_secret_use(command):
            yield refusal
        inner = replace(around, ends=around.ends or command.background)
        targets: list[str] = []
        for reading in variables.readings(command):
            words = expand_words(reading.words)
            if isinstance(words, Word):
                # What braces make of it is not known, so each of its parts may be a word.
                text = " ".join(word.text for word in reading.words)
                yield from search_line(text, context.ask_before, reachable=context.reachable)
                spelled = reading
            else:
                spelled = replace(reading, words=words)
            if spelled.words and spelled.words[0].text not in DECLARING:
                # Programs get the variables that the line has set before.
                given = (*variables.kept, *spelled.assignments)
                spelled = replace(spelled, assignments=given)
            yield from _check_command(spelled, location, inner)
            targets += _cd_targets(spelled)
        if targets:
            tracker.record_cd(command, tuple(dict.fromkeys(targets)))
        variables.record(command)


def _cd_targets(command: ShellCommand) -> list[str]:
    """Where a `cd` leads; nowhere if that is not known."""
    if not command.words or command.words[0].text not in ("cd", "pushd"):
        return []
    targets = [word.text for word in command.arguments if not word.text.startswith("-")][:1]
    return [text for text in targets if "$" not in text and not text.startswith("~")]


def _check_command(
    command: ShellCommand, location: CommandLocation, around: _Surroundings
) -> Iterator[Finding]:
    around.budget.spend()
    name = _program_name(command, location)
    inner = tuple(find_inner(command, name)) if command.words else ()
    for use in find_paths(_without_inner(command, inner), name):
        found = find_secret_path(use, location) or find_protected_path(use, location)
        if found is not None:
            yield found
    if escape := find_escape(command, name):
        yield escape
    if not command.words:
        return
    context = location.context
    refusals = (
        find_printed_variables(command, name),
        find_git_settings(command, name),
        None if around.ends else find_endless(command, name),
        find_outside_removal(command, location),
        find_gate(command, name, context.ask_before, reachable=context.reachable),
    )
    yield from (refusal for refusal in refusals if refusal is not None)
    if inner and around.depth == _DEEPEST:
        raise LineRefused("nested-too-deep")
    deeper = replace(around, depth=around.depth + 1)
    for each in inner:
        yield from _check_inner(each, location, deeper)


def _without_inner(command: ShellCommand, inner: tuple[Inner, ...]) -> ShellCommand:
    """The command without the words of those that it runs, which are checked by themselves."""
    wrapped = {
        id(word) for each in inner if isinstance(each, InnerCommand) for word in each.command.words
    }
    if not wrapped:
        return command
    words = (word for word in command.arguments if id(word) not in wrapped)
    return replace(command, words=(command.words[0], *words))


def _check_inner(
    inner: Inner, location: CommandLocation, around: _Surroundings
) -> Iterator[Finding]:
    match inner:
        case InnerCommand():
            ends = around.ends or inner.ends
            yield from _check_command(inner.command, location, replace(around, ends=ends))
        case InnerLine():
            context = replace(location.context, directory=location.directories[0])
            yield from _check_line(inner.text, context, location.lookups, around)
        case _:
            assert_never(inner)


def _program_name(command: ShellCommand, location: CommandLocation) -> str:
    """The name of a program on the search path, also if it is written with its directory."""
    text = command.words[0].text if command.words else ""
    if "/" not in text:
        return text
    path = absolute(location.directories[0], text)
    parts = path.split("/")
    folder = "/".join(parts[:-1])
    in_project = tuple(parts[-3:-1]) in TOOL_FOLDERS or basename(text) in BINSTUBS
    return parts[-1] if folder in TRUSTED or in_project else text
