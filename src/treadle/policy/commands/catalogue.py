"""All rules, by command name and family."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from treadle.policy.commands import (
    builtins,
    bun,
    file_commands,
    git,
    git_changes,
    go,
    node,
    node_packages,
    php,
    python,
    python_packages,
    python_projects,
    ruby,
    rust,
    search,
    system,
    text_commands,
    wrappers,
)
from treadle.policy.commands.rule_syntax import Rule

FAMILIES: Mapping[str, tuple[Rule, ...]] = {
    "base": (
        *builtins.RULES,
        *file_commands.RULES,
        *search.RULES,
        *text_commands.RULES,
        *system.RULES,
        *wrappers.RULES,
        git.make_git_rule(git_changes.SUBS),
    ),
    "node": (*node.RULES, *node_packages.RULES),
    "bun": bun.RULES,
    "python": (*python.RULES, *python_packages.RULES, *python_projects.RULES),
    "ruby": ruby.RULES,
    "go": go.RULES,
    "rust": rust.RULES,
    "php": php.RULES,
}


@dataclass(frozen=True, slots=True)
class RuleEntry:
    rule: Rule
    family: str


@cache
def rules_by_name() -> Mapping[str, tuple[RuleEntry, ...]]:
    """Every rule that a name has, one for each family that knows it."""
    found: dict[str, tuple[RuleEntry, ...]] = {}
    for family, rules in FAMILIES.items():
        for rule in rules:
            found[rule.name] = (*found.get(rule.name, ()), RuleEntry(rule, family))
    return found
