"""One command of a line against the rules: name, words, variables, redirections, gates. Pure."""

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from treadle.policy.commands.catalogue import Entry, catalogue
from treadle.policy.commands.language import Rule
from treadle.policy.commands.unknown import INSTEAD, NEVER, NOT_KNOWN
from treadle.policy.judging.arguments import Arguments, Misfit, Value
from treadle.policy.judging.arguments_reading import read_arguments
from treadle.policy.judging.braces import spread
from treadle.policy.judging.checks import CHECKS
from treadle.policy.judging.fed_programs import input_refusal
from treadle.policy.judging.gates import gate_of
from treadle.policy.judging.identity import DevScript, Program, Stranger, identify
from treadle.policy.judging.kinds import KINDS
from treadle.policy.judging.path_kinds import expanded
from treadle.policy.judging.paths import OUTSIDE, refusal
from treadle.policy.judging.place import Place
from treadle.policy.judging.set_values import value_refusal
from treadle.policy.judging.starting_places import start_refusal
from treadle.policy.judging.variables import assignment_refusal, readings, use_refusal
from treadle.policy.judging.wrappers import unwrapped, wraps
from treadle.policy.profiles import active
from treadle.policy.shell.syntax import Command, Redirect, Script, Word

DEEPEST = 4
_MOVES = frozenset({"chdir", "may-chdir"})
# Options that name a place: their tools may know homes and variables in it.
_PLACED = _MOVES | {"read", "run", "write", "near", "report", "folders", "code", "program"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says about one part of a line."""

    decision: Literal["allow", "ask", "deny"]
    reason: str
    rule: str


def judge_command(command: Command, script: Script, place: Place) -> list[Finding]:
    """Everything the rules say about it; a deny anywhere is a deny of the line."""
    findings = [
        *_of_variables(command, script, place),
        *(found for each in command.redirects for found in _of_redirect(each, place)),
    ]
    if not command.words:
        return findings or [Finding("allow", "", "assignment")]
    read_as = readings(command, script, place)
    if read_as is None:
        return [Finding("deny", "Too many values to look at. Write fewer.", "variable")]
    for each in read_as:
        words = spread(each.words)
        if isinstance(words, Word):
            reason = f"{words.text} is a list in braces that is not plain. Write the words out"
            return [_deny(reason, "braces")]
        spelled = each if words is each.words else replace(each, words=words)
        findings += _of_words(spelled, place, 0)
    return findings


def _of_variables(command: Command, script: Script, place: Place) -> list[Finding]:
    reasons = [
        assignment_refusal(given, command, place) or value_refusal(given, place)
        for given in command.assignments
    ]
    reasons.append(use_refusal(command, script))
    return [_deny(reason, "variable") for reason in reasons if reason]


def _of_redirect(redirect: Redirect, place: Place) -> list[Finding]:
    match redirect.kind:
        case "read":
            reason = refusal(redirect.target, "read", place)
        case "write" | "append" | "both":
            reason = refusal(redirect.target, "write", place)
            if reason is None and place.context.roles == "read":
                reason = _scratch_only(redirect, place)
        case "duplicate" | "heredoc" | "herestring":
            reason = None
        case _:
            assert_never(redirect.kind)
    return [_deny(f"the redirection: {reason}", "redirection")] if reason else []


def _scratch_only(redirect: Redirect, place: Place) -> str | None:
    if redirect.target.text.startswith(("/dev/", "/tmp/")):  # noqa: S108 - the sandbox's own
        return None
    return "in this role you change nothing. Print it, or write to /tmp"


def _of_words(
    command: Command, place: Place, depth: int, opened: tuple[str, ...] = ()
) -> list[Finding]:
    """The words of a command whose variables are put in; wrapped ones come back here."""
    if depth > DEEPEST:
        return [_deny("commands are wrapped more than four deep. Run the inner one", "wrapper")]
    name = command.words[0]
    gate = gate_of(command, place.context.ask_before)
    gated = [Finding("ask", f"A person must agree: {gate.reason}", gate.name)] if gate else []
    if name.plain and name.text in place.context.allow_commands and name.text not in NEVER:
        return gated or [Finding("allow", "", f"allowed by settings: {name.text}")]
    who = identify(name, place)
    match who:
        case Stranger():
            return [_deny(who.reason, "program")]
        case DevScript():
            return [*gated, *_of_dev_script(command, who, place)]
        case Program():
            entry = _open(who, place, opened)
            return [*gated, *_of_program(command, who, entry, place, depth)]
        case _:
            assert_never(who)


def _of_dev_script(command: Command, script: DevScript, place: Place) -> list[Finding]:
    if command.arguments:
        reason = f"`{script.path}` is not given arguments here. Run it by itself"
        return [_deny(reason, "dev-script")]
    return [Finding("allow", "", "dev-script")]


def _of_program(
    command: Command, who: Program, entry: Entry | None, place: Place, depth: int
) -> list[Finding]:
    name = who.name
    if entry is None:
        # What a gate names is known by that; a person decides about it as it stands.
        gated = gate_of(command, place.context.ask_before) is not None
        known = gated and name not in NEVER and name not in catalogue()
        return [] if known else [_unknown(name)]
    if entry.rule.mode == "destructive" and not place.context.destructive:
        return [_deny(f"`{name}` is not allowed. {entry.rule.instead}", name)]
    given = read_arguments(entry.rule, command.arguments)
    if isinstance(given, Misfit):
        return [_deny(_said(given, given.reason), given.spoken)]
    fed, assigns = _fed(command), bool(command.assignments)
    if fed or assigns:
        given = given.in_line(fed=fed, assigns=assigns)
    reason = input_refusal(command, given, place) or start_refusal(given, entry.family, place)
    if reason is not None:
        return [_deny(_said(given, reason), given.spoken)]
    return _of_arguments(command, given, place, depth)


def _open(who: Program, place: Place, opened: tuple[str, ...]) -> Entry | None:
    """The rule of the first family that is active, and that the program's folder belongs to.

    A package runner opens its own families: what it runs is installed in the project.
    """
    families = ("base", *active(place.context.profiles), *opened)
    for entry in catalogue().get(who.name, ()):
        if entry.family in families and (not who.families or entry.family in who.families):
            return entry
    return None


def _unknown(name: str) -> Finding:
    entries = catalogue().get(name, ())
    if entries:
        families = " or ".join(dict.fromkeys(entry.family for entry in entries))
        reason = f"`{name}` belongs to the profile {families}, which is not active here"
        return _deny(f"{reason}. Use the tools of this project's own languages", "profile")
    return _deny(f"`{name}` is not allowed. {INSTEAD.get(name, NOT_KNOWN)}", "unknown-command")


def _of_arguments(command: Command, given: Arguments, place: Place, depth: int) -> list[Finding]:
    rule = given.rule
    where = _moved(given, place)
    reason = (
        _mode_refusal(rule, place)
        or _value_refusal(given, place, where)
        or (CHECKS[rule.check](given, where) if rule.check else None)
        or _waiting(rule, given)
    )
    if reason is not None:
        return [_deny(_said(given, reason), given.spoken)]
    if not wraps(command, given):
        return [Finding("allow", "", given.spoken)]
    return _of_wrapped(command, given, where, depth)


def _moved(given: Arguments, place: Place) -> Place:
    for value in given.values:
        if value.kind in _MOVES and value.word.plain:
            moved = place.within(value.word.text)
            place = moved if value.kind == "chdir" else place.joined(moved)
    return place


def _mode_refusal(rule: Rule, place: Place) -> str | None:
    if rule.mode != "read" and place.context.roles == "read":
        return "in this role you read and report, and change nothing"
    if rule.mode == "destructive" and not place.context.destructive:
        return "it removes or overwrites work, which this run does not allow"
    return None


def _value_refusal(given: Arguments, place: Place, where: Place) -> str | None:
    for value in given.values:
        if value.flag and value.kind in _PLACED and expanded(value.word.text):
            return _named(value, OUTSIDE.format(path=value.word.text))
        # Such a folder is where the others start from, so it is judged from where it was named.
        at = place if value.kind in _MOVES else where
        reason = KINDS[value.kind](value.word, at)
        if reason is not None:
            return _named(value, reason)
    return None


def _named(value: Value, reason: str) -> str:
    return f"{value.flag}: {reason}" if value.flag else reason


def _waiting(rule: Rule, given: Arguments) -> str | None:
    if not rule.stdin or given.named or given.fed:
        return None
    return "it would wait for input that nobody sends"


def _fed(command: Command) -> bool:
    """A command at the top of a line gets no input unless the line gives it some."""
    given = any(each.kind in ("read", "heredoc", "herestring") for each in command.redirects)
    return given or command.fed or bool(command.scope)


def _of_wrapped(command: Command, given: Arguments, place: Place, depth: int) -> list[Finding]:
    rule, instead, spoken = given.rule, given.instead, given.spoken
    inner = unwrapped(command, given, place)
    if inner is None:
        return [_deny(f"`{spoken}`: what it is to run is missing or not known. {instead}", spoken)]
    for assigned in inner.assignments[len(command.assignments) :]:
        reason = assignment_refusal(assigned, inner, place) or value_refusal(assigned, place)
        if reason is not None:
            return [_deny(reason, "variable")]
    if rule.inner and not _belongs(inner, rule.inner):
        name = inner.words[0].text
        return [_deny(f"`{spoken}` does not run {name}. {instead}", spoken)]
    return _of_words(inner, place, depth + 1, rule.inner)


def _belongs(command: Command, families: tuple[str, ...]) -> bool:
    entries = catalogue().get(command.words[0].text, ())
    return any(entry.family in families for entry in entries)


def _said(given: Arguments | Misfit, reason: str) -> str:
    return f"`{given.spoken}`: {reason.rstrip('.')}. {given.instead}"


def _deny(reason: str, rule: str) -> Finding:
    said = reason.strip().rstrip(".")
    return Finding("deny", f"{said[:1].upper()}{said[1:]}.", rule)
