"""The rules of the shell policy as text and JSON, and the check of their examples."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any, assert_never

from treadle.domain.agent import Allow
from treadle.domain.errors import UsageError
from treadle.policy.commands.catalogue import FAMILIES, rules_by_name
from treadle.policy.commands.gate_rules import GATES
from treadle.policy.commands.rule_syntax import InterpreterRow, PackageRow, Row, Rule, ToolRow
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext, SystemLookups

_WIDTH = 96
_MODES = {
    "read": "",
    "run": "not for read-only roles",
    "destructive": "only with --destructive",
}


def rules_text() -> str:
    """Every family with the names of its commands, and the gates."""
    lines = ["The strict policy allows these, by family:", ""]
    for family, rules in FAMILIES.items():
        names = [name for rule in rules for name in rule.names.split()]
        lines += [f"{family}:", _wrap(" ".join(names)), ""]
    lines.append("The light policy stops secrets, protected paths, ways out of the sandbox and")
    lines += ["commands that never end. Everything else runs.", "", "Both ask first about:"]
    lines += [f"  {gate.name:<24} {gate.reason}" for gate in GATES]
    lines += ["", "`treadle policy show NAME` explains one of them."]
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
                    yield f"{rule.names}: should be allowed: {line!r}"
            for line in rule.refuses:
                if isinstance(decide_line(line, context, lookups=looks), Allow):
                    yield f"{rule.names}: should be refused: {line!r}"


def _find_rules(name: str) -> list[tuple[str, Row]]:
    entries = rules_by_name().get(name, ())
    if not entries:
        raise UsageError(f"no rule covers {name!r}", hint="`treadle policy show` lists them")
    return [(entry.family, entry.row) for entry in entries]


def _describe(row: Row) -> Iterator[str]:
    yield f"because: {row.because}"
    yield from _describe_kind(row)
    if row.instead:
        yield f"instead: {row.instead}"
    yield from (f"yes  {line}" for line in row.allows)
    yield from (f"no   {line}" for line in row.refuses)


def _describe_kind(row: Row) -> Iterator[str]:
    match row:
        case Rule():
            yield from _describe_table(row)
        case ToolRow():
            changes = f"; {_MODES[row.mode]}" if row.mode != "read" else ""
            yield f"any option, if no argument points outside the project{changes}"
        case InterpreterRow():
            yield f"files of the project and /tmp; inline code after: {row.code or '-'}"
        case PackageRow():
            yield f"packages by name: {row.installs or '-'}"
            yield f"changes: {row.changes or '-'}"
            yield f"reads and runs scripts: {row.reads or '-'}"
            yield f"runs another program, which is also judged: {row.runs or '-'}"
        case _:
            assert_never(row)
    if row.never:
        yield f"never: {row.never}"


def _describe_table(rule: Rule) -> Iterator[str]:
    if _MODES[rule.mode]:
        yield _MODES[rule.mode]
    if rule.options:
        yield f"options with a value: {rule.options}"
    if rule.operands:
        yield f"operands: {rule.operands}"
    if rule.one_of:
        yield f"needs one of: {rule.one_of}"
    if rule.destroys:
        yield f"only with --destructive: {rule.destroys}"
    if rule.subs:
        yield f"sub-commands: {' '.join(sub.names for sub in rule.subs)}"
    if rule.wraps >= 0:
        yield "runs a second command, which is also judged"


def _as_json(family: str, row: Row) -> dict[str, Any]:
    return {
        "names": row.names.split(),
        "family": family,
        "because": row.because,
        "mode": row.mode if isinstance(row, Rule | ToolRow) else "read",
        "options": row.options.split() if isinstance(row, Rule) else [],
        "never": row.never.split(),
        "subcommands": [_as_json(family, sub) for sub in row.subs] if isinstance(row, Rule) else [],
        "instead": row.instead,
        "allows": list(row.allows),
        "refuses": list(row.refuses),
    }


def _wrap(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
