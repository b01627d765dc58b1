"""The cases of the policy: those that may run must be readable, hidden commands must show."""

import json
from pathlib import Path

import pytest

from tests.unit.policy.shell.test_reading import rule, script

CASES = Path(__file__).parents[3] / "policy_cases.jsonl"
ROWS = [json.loads(row) for row in CASES.read_text(encoding="utf-8").strip().split("\n")]
LEXICAL = ("syntax", "lexical")
HIDING = ("operator", "quoting", "expansion")


def test_every_case_that_may_run_is_readable() -> None:
    may_run = [row["cmd"] for row in ROWS if row["expect"] == "allow"]
    assert {line: rule(line) for line in may_run if rule(line)} == {}


@pytest.mark.parametrize("line", [row["cmd"] for row in ROWS if row["class"] in LEXICAL])
def test_what_is_no_line_for_people_is_refused(line: str) -> None:
    assert rule(line) != ""


@pytest.mark.parametrize("line", [row["cmd"] for row in ROWS if row["class"] in HIDING])
def test_a_hidden_command_is_listed_or_the_line_is_refused(line: str) -> None:
    if rule(line):
        return
    names = {each.name.text for each in script(line).commands if each.name}
    assert names & {"rm", "sh", "/bin/rm", "curl"}
