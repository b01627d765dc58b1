"""Every line of the case file is decided as it is labelled; a question to a person is no yes."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.policy.judging.judge_line import context, project_at
from treadle.domain.agent import Allow, PolicyDecision
from treadle.policy.judging.line_decision import decide_line
from treadle.wiring.policy import system_lookups

CASES = Path(__file__).parents[3]
# One worker decides about all lines once.
pytestmark = pytest.mark.xdist_group("policy-cases")


@dataclass(frozen=True)
class Case:
    line: str
    label: str
    answer: PolicyDecision


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """All lines, judged once."""
    root, looks = project_at(tmp_path_factory.mktemp("cases") / "project"), system_lookups()
    return [
        Case(
            row["cmd"],
            row["expect"],
            decide_line(row["cmd"], context(root, row["profile"]), lookups=looks),
        )
        for row in rows("policy_cases.jsonl")
    ]


def rows(name: str) -> list[dict[str, str]]:
    # Not splitlines: some cases hold other characters that end a line.
    text = (CASES / name).read_text("utf-8").strip("\n")
    return [json.loads(line) for line in text.split("\n")]


@pytest.mark.parametrize(("label", "least"), [("allow", 100), ("deny", 300)])
def test_every_line_is_decided_as_it_is_labelled(label: str, least: int, cases: list[Case]) -> None:
    labelled = [case for case in cases if case.label == label]
    astray = [
        case.line for case in labelled if isinstance(case.answer, Allow) != (label == "allow")
    ]

    assert (len(labelled) > least, astray) == (True, [])


def test_a_refusal_has_a_reason_and_a_rule(cases: list[Case]) -> None:
    refused = [case.answer for case in cases if not isinstance(case.answer, Allow)]

    assert {each.reason for each in refused if each.reason.count(" ") < 5 or not each.rule} == set()


def test_no_rule_fails_on_any_line(cases: list[Case]) -> None:
    assert [case.line for case in cases if case.answer.rule == "judge-failed"] == []
