"""The rules of the shell policy as text and JSON, and the check of their examples."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

from treadle.domain.agent import Allow
from treadle.domain.errors import UsageError
from treadle.policy.commands.catalogue import FAMILIES, rules_by_name
from treadle.policy.commands.gate_rules import GATES
from treadle.policy.commands.rule_syntax import Rule
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext, SystemLookups

_WIDTH = 96
_MODES = {
    "read": "",
    "run": "not for roles that only look",
    "destructive": "only with --destructive",
}


def rules_text() -> str:
    """Every family with the names of its commands, and the gates."""
    lines = ["The strict policy allows these, by family:", ""]
    for family, rules in FAMILIES.items():
        names = [rule.name for rule in rules if not rule.name.startswith("-")]
        lines += [f"{family}:", _wrap(" ".join(names)), ""]
    lines.append("The light policy holds gates, secrets, protected paths, ways out of the sandbox")
    lines += ["and what does not end; everything else runs.", "", "asked first:"]
    lines += [f"  {gate.name:<24} {gate.reason}" for gate in GATES]
    lines += ["", "treadle policy show NAME tells all about one of them."]
    return "\n".join(lines)


def rule_text(name: str) -> str:
    """Everything the rules of one command allow and refuse."""
    parts = []
    for entry in _find_rules(name):
        parts.append(f"{name} (profile {entry[0]})" if entry[0] != "base" else name)
        parts += [f"  {line}" for line in _describe(entry[1])]
    return "\n".join(parts)


def rules_json(name: str) -> list[dict[str, Any]]:
    rules = (
        _find_rules(name)
        if name
        else [(f, rule) for f, members in FAMILIES.items() for rule in members]
    )
    return [_as_json(family, rule) for family, rule in rules]


def failing_examples(root: Path, looks: SystemLookups) -> Iterator[str]:
    """One line for each example whose decision differs from its rule."""
    context = ShellContext(str(root))
    for rules in FAMILIES.values():
        for rule in rules:
            for line in rule.allows:
                if not isinstance(decide_line(line, context, lookups=looks), Allow):
                    yield f"{rule.name}: should be allowed: {line!r}"
            for line in rule.refuses:
                if isinstance(decide_line(line, context, lookups=looks), Allow):
                    yield f"{rule.name}: should be refused: {line!r}"


def _find_rules(name: str) -> list[tuple[str, Rule]]:
    entries = rules_by_name().get(name, ())
    if not entries:
        raise UsageError(f"no rule knows {name!r}", hint="`treadle policy show` lists them")
    return [(entry.family, entry.rule) for entry in entries]


def _describe(rule: Rule) -> Iterator[str]:
    if _MODES[rule.mode]:
        yield _MODES[rule.mode]
    if rule.style == "open":
        yield f"any option but {rule.never}" if rule.never else "any option"
        yield "no word may lead out of the project"
    elif rule.flags:
        yield f"options: {rule.flags}"
    if rule.operands:
        yield f"operands: {rule.operands}"
    if rule.subs:
        yield f"sub-commands: {' '.join(sub.name for sub in rule.subs)}"
    if rule.wraps >= 0:
        yield "runs a second command, which is judged, too"
    if rule.instead:
        yield f"instead: {rule.instead}"
    yield from (f"yes  {line}" for line in rule.allows)
    yield from (f"no   {line}" for line in rule.refuses)


def _as_json(family: str, rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "family": family,
        "mode": rule.mode,
        "style": rule.style,
        "options": rule.flags.split(),
        "never": rule.never.split(),
        "operands": rule.operands.split(),
        "subcommands": [_as_json(family, sub) for sub in rule.subs],
        "instead": rule.instead,
        "allows": list(rule.allows),
        "refuses": list(rule.refuses),
    }


def _wrap(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
