"""A plan is handed over in parts, and read as one text."""

from typing import Any

import pytest

from treadle.domain.deliverable import RejectedChange
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import PlanWritten
from treadle.domain.task_plan import PlannedCriterion, TaskPlan
from treadle.workflows.task.plan_tool import parse_plan, plan_text, plan_tool

CALL: dict[str, Any] = {
    "title": "Say\nhello",
    "approach": "Write a file.",
    "files": ["hello.txt"],
    "criteria": [{"text": "It says hello", "check": " grep hello hello.txt "}, {"text": "Nice"}],
    "risks": ["none"],
    "estimated_cost_usd": 1,
    "estimated_minutes": 2.5,
}
PLAN = TaskPlan(
    title="Say hello",
    approach="Write a file.",
    files=("hello.txt",),
    criteria=(PlannedCriterion("It says hello", "grep hello hello.txt"), PlannedCriterion("Nice")),
    risks=("none",),
    cost_usd=1.0,
    minutes=2.5,
)
TEXT = """\
# Say hello

Write a file.

## Criteria

- It says hello
  Check: `grep hello hello.txt`
- Nice (no check: for you to look at)

## Files

- hello.txt

## Risks

- none
"""


def test_a_call_is_read_into_a_plan() -> None:
    assert parse_plan(CALL) == PLAN


def test_a_person_reads_the_whole_plan() -> None:
    assert plan_text(PLAN) == TEXT


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"approach": 3},
        {"criteria": []},
        {"criteria": "all"},
        {"criteria": [{"check": "true"}]},
        {"criteria": [{"text": "x", "check": ["true"]}]},
        {"criteria": [{"text": "x", "check": "a" * 9000}]},
        {"criteria": [{"text": f"{n}"} for n in range(31)]},
        {"files": "hello.txt"},
        {"risks": [1]},
    ],
)
def test_a_malformed_call_is_refused_with_the_reason(change: dict[str, Any]) -> None:
    assert isinstance(parse_plan({**CALL, **change}), RejectedChange)


@pytest.mark.parametrize("number", ["1", True, None, float("-inf")])
def test_an_estimate_that_is_no_number_is_left_out(number: object) -> None:
    plan = parse_plan({**CALL, "estimated_cost_usd": number})

    assert isinstance(plan, TaskPlan)
    assert plan.cost_usd == 0.0


async def test_a_plan_is_recorded_once() -> None:
    recorded: list[Event] = []

    def draft() -> str:
        texts = [each.text for each in recorded if isinstance(each, PlanWritten)]
        return texts[-1] if texts else ""

    tool = plan_tool(draft, recorded.append, lambda given: given, lambda line: "")
    await tool.call(CALL)
    reply = await tool.call(CALL)

    assert recorded == [PlanWritten(TEXT, PLAN)]
    assert not reply.is_error


async def test_a_check_that_treadle_does_not_run_is_refused() -> None:
    recorded: list[Event] = []
    tool = plan_tool(lambda: "", recorded.append, lambda given: given, lambda line: "it never ends")

    reply = await tool.call(CALL)

    assert (reply.is_error, recorded) == (True, [])
    assert "it never ends" in reply.text
