"""Rules are data; the names in them exist, and their examples are decided as they say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.policy.judging.judge_line import context, project_at, said
from treadle.policy.commands.catalogue import ALWAYS, FAMILIES
from treadle.policy.commands.gate_rules import GATES
from treadle.policy.commands.rule_syntax import PackageRow, Rule, operands_of, options_of
from treadle.policy.judging.command_checks import CHECKS
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.profiles import PROFILES

TOP = [row for rows in FAMILIES.values() for row in rows]


def every(rules: tuple[Rule, ...] | list[Rule]) -> Iterator[Rule]:
    for rule in rules:
        yield rule
        yield from every(rule.subs)


def test_every_profile_has_rules() -> None:
    assert set(FAMILIES) == {*ALWAYS, *PROFILES}


def test_every_kind_and_check_that_a_rule_names_is_there() -> None:
    tables = list(every([row for row in TOP if isinstance(row, Rule)]))
    kinds = {row.source for row in TOP if isinstance(row, PackageRow)}
    for rule in tables:
        kinds |= {kind for option in options_of(rule.options).values() for kind in option.kinds}
        operands = operands_of(rule.operands)
        kinds |= {*operands.first, *operands.last} | ({operands.any} if operands.any else set())

    assert kinds - set(KINDS) == set()
    assert {rule.check for rule in tables if rule.check} - set(CHECKS) == set()


def test_every_row_has_its_reason() -> None:
    assert [row.names for row in TOP if not row.because] == []


def test_every_row_has_an_example_of_what_it_refuses() -> None:
    assert [row.names for row in TOP if not row.refuses] == []


def test_no_name_is_twice_in_one_family() -> None:
    for rows in FAMILIES.values():
        listed = [name for row in rows for name in row.names.split()]

        assert sorted({name for name in listed if listed.count(name) > 1}) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_examples_of_every_row_hold(family: str, tmp_path: Path) -> None:
    root = project_at(tmp_path / "project")
    rows = FAMILIES[family]

    refused = [line for row in rows for line in row.allows if said(line, context(root)) != "allow"]
    allowed = [line for row in rows for line in row.refuses if said(line, context(root)) == "allow"]

    assert (refused, allowed) == ([], [])


def test_no_gate_stands_before_a_command_that_is_an_example_of_what_is_allowed(
    tmp_path: Path,
) -> None:
    root = project_at(tmp_path / "project")
    # A gate with a pattern for operands is only for those.
    lines = [
        command.replace("*", "x")
        for gate in GATES
        if not gate.operand or gate.flags
        for command in gate.commands
    ]

    assert {
        line for line in lines if said(f"{line} --force --execute :x", context(root)) == "allow"
    } == set()
