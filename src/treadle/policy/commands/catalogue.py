"""All rules, by command name and family."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from treadle.policy.commands import (
    builtins,
    file_commands,
    git,
    interpreters,
    node_package_tools,
    package_tools,
    project_tools,
    system,
    text_commands,
    toolchains,
)
from treadle.policy.commands.rule_syntax import Row, Rule


def _for_reason(because: str, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules with a reason that all of them share, if they have none of their own."""
    return tuple(replace(rule, because=rule.because or because) for rule in rules)


# Tables of options, for what is not the project's code.
BASE: tuple[Rule, ...] = (
    *_for_reason("It belongs to the shell, and changes nothing but the line.", builtins.RULES),
    *_for_reason("It looks at files, or changes those of the project.", file_commands.RULES),
    *_for_reason("It finds text of the project, or prints it, also changed.", text_commands.RULES),
    *_for_reason("It looks at this machine, or ends what the project started.", system.SYSTEM),
    *_for_reason("It runs another command, which is judged in its turn.", system.WRAPPERS),
    git.GIT,
)
FAMILIES: Mapping[str, tuple[Row, ...]] = {
    "base": (*BASE, *interpreters.SHELLS),
    "other": toolchains.OTHER,
    "node": (*interpreters.NODE, *node_package_tools.NODE, *project_tools.NODE),
    "bun": node_package_tools.BUN,
    "python": (*interpreters.PYTHON, *package_tools.PYTHON, *project_tools.PYTHON),
    "ruby": (*interpreters.RUBY, *package_tools.RUBY, *project_tools.RUBY),
    "go": (*package_tools.GO, *project_tools.GO),
    "rust": (*package_tools.RUST, *project_tools.RUST),
    "php": (*interpreters.PHP, *package_tools.PHP, *project_tools.PHP),
}
# Families that no profile closes.
ALWAYS = ("base", "other")


@dataclass(frozen=True, slots=True)
class RuleEntry:
    row: Row
    family: str


@cache
def rules_by_name() -> Mapping[str, tuple[RuleEntry, ...]]:
    """Every row that a name has, one for each family that knows it."""
    found: dict[str, tuple[RuleEntry, ...]] = {}
    for family, rows in FAMILIES.items():
        for row in rows:
            for name in row.names.split():
                found[name] = (*found.get(name, ()), RuleEntry(row, family))
    return found


@cache
def system_names() -> frozenset[str]:
    """Commands of the system: a file of the project is not taken for one of them."""
    return frozenset(name for row in FAMILIES["base"] for name in row.names.split())
