"""The plan of a task, as a planning session hands it over. Types only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedCriterion:
    """What must hold after the work, and the command that shows it; empty if none can."""

    text: str
    check: str = ""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What is to be done for a task, and how it is known to be done."""

    # The title of the pull request.
    title: str
    approach: str
    files: tuple[str, ...]
    criteria: tuple[PlannedCriterion, ...]
    tests: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    # What the planner would like a person to settle.
    questions: tuple[str, ...] = ()
    # The planner's estimate of the work; 0: it gave none.
    cost_usd: float = 0.0
    minutes: float = 0.0
