"""All rules, by the name of their command and the family that opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from treadle.policy.commands import (
    builtins,
    bun,
    files,
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
    text,
    wrappers,
)
from treadle.policy.commands.language import Rule

FAMILIES: Mapping[str, tuple[Rule, ...]] = {
    "base": (
        *builtins.RULES,
        *files.RULES,
        *search.RULES,
        *text.RULES,
        *system.RULES,
        *wrappers.RULES,
        git.rule(git_changes.SUBS),
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
class Entry:
    rule: Rule
    family: str


@cache
def catalogue() -> Mapping[str, tuple[Entry, ...]]:
    """Every rule that a name has, one for each family that knows it."""
    found: dict[str, tuple[Entry, ...]] = {}
    for family, rules in FAMILIES.items():
        for rule in rules:
            found[rule.name] = (*found.get(rule.name, ()), Entry(rule, family))
    return found
