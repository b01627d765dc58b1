"""Writes the prompts of a `task` run: an instruction, then facts. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.deliverable import Deliverable
from treadle.domain.review import Severity
from treadle.workflows.deliver.board_tools import deliverable_entries
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.prompt import ReviewScope, fence, reviewing_lines
from treadle.workflows.loop.run_parts import ProjectFacts
from treadle.workflows.task.next_action import TaskState

MAX_WORDS = 40_000
MAX_PLAN = 60_000


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Facts that the prompts of the run contain."""

    words: str
    project: ProjectFacts
    bar: Severity = "major"


def planning_prompt(instruction: str, facts: TaskFacts) -> str:
    return _join([instruction, *_task(facts), *_project(facts.project)])


def coding_prompt(
    instruction: str, facts: TaskFacts, task: TaskState, criteria: Sequence[Deliverable]
) -> str:
    """For a session that builds, with the feedback that it answers, if there is any."""
    state = json.dumps(deliverable_entries(criteria), ensure_ascii=False, indent=1)
    return _join(
        [
            instruction,
            *_task(facts),
            *_plan(task.plan),
            *_project(facts.project),
            *("## Criteria as they stand", "", *fence(state, MAX_PLAN)),
            *((task.feedback,) if task.feedback else ()),
        ]
    )


def review_prompt(
    instruction: str, facts: TaskFacts, plan: str, history: FocusHistory, scope: ReviewScope
) -> str:
    text = instruction.replace("{bar}", facts.bar)
    return _join(
        [
            text,
            *_task(facts),
            *_plan(plan),
            *_project(facts.project),
            *reviewing_lines(history, scope),
        ]
    )


def _task(facts: TaskFacts) -> list[str]:
    return ["## Task", "", *fence(facts.words, MAX_WORDS)]


def _plan(plan: str) -> list[str]:
    return ["## Approved plan", "", *fence(plan, MAX_PLAN)]


def _project(project: ProjectFacts) -> list[str]:
    commands = (
        ("Setup command", project.setup),
        ("Check command", project.check),
        ("Test command", project.test),
    )
    lines = [f"- {label}: `{command}`" for label, command in commands if command]
    return ["## This project", "", *lines, ""] if lines else []


def _join(lines: Sequence[str]) -> str:
    first, *rest = lines
    return "\n".join([first.rstrip(), "", *rest]).rstrip() + "\n"
