"""The rules of the shell policy as text and JSON, and whether their examples hold."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

from treadle.domain.agent import Allow
from treadle.domain.errors import UsageError
from treadle.policy.commands.catalogue import FAMILIES, catalogue
from treadle.policy.commands.gated import GATES
from treadle.policy.commands.language import Rule
from treadle.policy.judging.judge import judge
from treadle.policy.judging.place import Looks, ShellContext

_WIDTH = 96
_MODES = {
    "read": "",
    "run": "not for roles that only look",
    "destructive": "only with --destructive",
}


def rules_text() -> str:
    """Every family with the names of its commands, and the gates."""
    lines = []
    for family, rules in FAMILIES.items():
        names = [rule.name for rule in rules if not rule.name.startswith("-")]
        lines += [f"{family}:", _wrapped(" ".join(names)), ""]
    lines.append("asked first:")
    lines += [f"  {gate.name:<24} {gate.reason}" for gate in GATES]
    lines += ["", "treadle policy show NAME tells all about one of them."]
    return "\n".join(lines)


def rule_text(name: str) -> str:
    """All that the rules of one command say."""
    parts = []
    for entry in _named(name):
        parts.append(f"{name} (profile {entry[0]})" if entry[0] != "base" else name)
        parts += [f"  {line}" for line in _described(entry[1])]
    return "\n".join(parts)


def rules_json(name: str) -> list[dict[str, Any]]:
    wanted = (
        _named(name) if name else [(f, rule) for f, rules in FAMILIES.items() for rule in rules]
    )
    return [_as_json(family, rule) for family, rule in wanted]


def examples_astray(root: Path, looks: Looks) -> Iterator[str]:
    """One line for each example that is judged otherwise than its rule says."""
    context = ShellContext(str(root))
    for rules in FAMILIES.values():
        for rule in rules:
            for line in rule.allows:
                if not isinstance(judge(line, context, looks=looks), Allow):
                    yield f"{rule.name}: should be allowed: {line!r}"
            for line in rule.refuses:
                if isinstance(judge(line, context, looks=looks), Allow):
                    yield f"{rule.name}: should be refused: {line!r}"


def _named(name: str) -> list[tuple[str, Rule]]:
    entries = catalogue().get(name, ())
    if not entries:
        raise UsageError(f"no rule knows {name!r}", hint="`treadle policy show` lists them")
    return [(entry.family, entry.rule) for entry in entries]


def _described(rule: Rule) -> Iterator[str]:
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


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
