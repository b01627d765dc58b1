"""Rules are data; the names in them exist, and their examples are decided as they say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.policy.judging.judge_line import context, project_at, said
from treadle.policy.commands.catalogue import FAMILIES
from treadle.policy.commands.gate_rules import GATES
from treadle.policy.commands.rule_syntax import Rule, flags_of, operands_of
from treadle.policy.judging.command_checks import CHECKS
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.profiles import PROFILES

TOP = [rule for rules in FAMILIES.values() for rule in rules]


def every(rules: tuple[Rule, ...] | list[Rule]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        yield from every(rule.subs)


def test_every_profile_has_rules() -> None:
    assert set(FAMILIES) == {"base", *PROFILES}


def test_every_kind_and_check_that_a_rule_names_is_there() -> None:
    kinds = {
        kind
        for rule in every(TOP)
        for flag in flags_of(rule.flags, rule.style).values()
        for kind in flag.kinds
    }
    for rule in every(TOP):
        operands = operands_of(rule.operands)
        kinds |= {*operands.first, *operands.last} | ({operands.any} if operands.any else set())

    assert kinds - set(KINDS) == set()
    assert {rule.check for rule in every(TOP) if rule.check} - set(CHECKS) == set()


def test_every_command_has_an_example_each_way() -> None:
    wanted = [rule for rule in TOP if rule.mode != "destructive"]

    assert {rule.name for rule in wanted if not (rule.allows and rule.refuses)} == set()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_examples_of_every_rule_hold(family: str, tmp_path: Path) -> None:
    root = project_at(tmp_path / "project")
    rules = list(every(FAMILIES[family]))

    refused = [
        line for rule in rules for line in rule.allows if said(line, context(root)) != "allow"
    ]
    allowed = [
        line for rule in rules for line in rule.refuses if said(line, context(root)) == "allow"
    ]

    assert (refused, allowed) == ([], [])


def test_no_gate_stands_before_a_command_that_is_an_example_of_what_is_allowed(
    tmp_path: Path,
) -> None:
    root = project_at(tmp_path / "project")
    lines = [command.replace("*", "x") for gate in GATES for command in gate.commands]

    assert {line for line in lines if said(f"{line} --force :x", context(root)) == "allow"} == set()
