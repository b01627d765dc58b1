"""What work costs and how long it takes: the estimate of a plan, past runs, and the score. Pure.

Planning counts apart, because a plan estimates the work that comes after it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import PlanWritten
from treadle.domain.events.run import RunEnded
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run import RunResult
from treadle.domain.signal import Role
from treadle.domain.task_plan import TaskPlan

# The types of events that `apply_spent` reads.
SPENT_EVENTS = frozenset({"plan.written", "session.started", "session.ended", "run.ended"})
# With fewer runs, the largest would count as usual.
MIN_RUNS = 3
PLANNERS: frozenset[Role] = frozenset({"planner", "initializer"})
# Ends of runs that did their work, or used up a limit for it. A run that a person or an outage
# ended says nothing about the work.
PAST_ENDS: frozenset[ExitReason] = frozenset(
    {
        "all_passed",
        "approved",
        "budget_exceeded",
        "max_iterations",
        "tests_failed",
        "time_exceeded",
        "unproven",
    }
)


@dataclass(frozen=True, slots=True)
class Effort:
    """Money and running time."""

    cost_usd: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EffortRange:
    """What the work of past runs took: half of them at most `half`, nine of ten at most `most`."""

    runs: int
    half: Effort
    most: Effort


@dataclass(frozen=True, slots=True)
class RunEffort:
    """What the sessions of a run have taken so far."""

    turns: int = 0
    planning: Effort = Effort()
    # Its last plan, if it has parts.
    plan: TaskPlan | None = None
    role: Role | None = None
    result: RunResult | None = None

    @property
    def estimate(self) -> Effort | None:
        """The estimate of its last plan; None if it gave none."""
        return None if self.plan is None else estimate_of(self.plan)


def apply_spent(figures: RunEffort, event: Event) -> RunEffort:
    """The figures after one more event."""
    match event:
        case PlanWritten(plan=plan):
            return replace(figures, plan=plan)
        case SessionStarted(role=role):
            return replace(figures, role=role)
        case SessionEnded(result=result):
            planning = figures.planning
            if figures.role in PLANNERS:
                planning = Effort(
                    planning.cost_usd + result.cost_usd, planning.seconds + result.duration_s
                )
            return replace(figures, turns=figures.turns + result.turns, planning=planning)
        case RunEnded(result=ended):
            return replace(figures, result=ended)
        case _:
            return figures


def estimate_of(plan: TaskPlan) -> Effort | None:
    """The planner's estimate; None if it gave none."""
    if not plan.cost_usd and not plan.minutes:
        return None
    return Effort(plan.cost_usd, plan.minutes * 60)


def estimate_in(plans: Iterable[RecordedEvent], text: str) -> Effort | None:
    """The estimate of the plan that reads like this."""
    for recorded in plans:
        match recorded.event:
            case PlanWritten(text=written, plan=plan) if written == text and plan is not None:
                return estimate_of(plan)
            case _:
                pass
    return None


def work_effort(figures: RunEffort, result: RunResult) -> Effort | None:
    """What the work of a run took, without its planning; None if its end says nothing about it."""
    planning = figures.planning
    if result.reason not in PAST_ENDS:
        return None
    return Effort(
        max(0.0, result.cost_usd - planning.cost_usd),
        max(0.0, result.duration_s - planning.seconds),
    )


def past_effort(log: Iterable[RecordedEvent]) -> Effort | None:
    """What the work of a past run took, from its log."""
    figures = RunEffort()
    for recorded in log:
        figures = apply_spent(figures, recorded.event)
    return None if figures.result is None else work_effort(figures, figures.result)


def range_of_efforts(past: Sequence[Effort]) -> EffortRange | None:
    """None while the project has too little history."""
    if len(past) < MIN_RUNS:
        return None
    return EffortRange(len(past), _at_most(past, 0.5), _at_most(past, 0.9))


def _at_most(past: Sequence[Effort], share: float) -> Effort:
    """The smallest figures that this share of the runs does not exceed."""
    index = ceil(share * len(past)) - 1
    costs, times = sorted(e.cost_usd for e in past), sorted(e.seconds for e in past)
    return Effort(costs[index], times[index])


def plan_remark(estimate: Effort | None, past: Sequence[Effort]) -> str:
    """The estimate of a plan beside what past runs took; empty if there is neither."""
    lines = [] if estimate is None else [f"Estimate: {effort_text(estimate)}"]
    spread = range_of_efforts(past)
    if spread is not None:
        half, most = effort_text(spread.half), effort_text(spread.most)
        lines.append(
            f"The last {spread.runs} runs here: half took up to {half}; 9 of 10 up to {most}"
        )
    elif lines:
        lines.append(f"No history yet: that needs {MIN_RUNS} finished runs of this project")
    return "\n".join(lines)


def score_text(estimate: Effort, took: Effort) -> str:
    """`$1.20, 12 min; the work took $0.90, 15 min`."""
    return f"{effort_text(estimate)}; the work took {effort_text(took)}"


def effort_text(effort: Effort) -> str:
    """`$1.20, 12 min`."""
    cost = "<$0.01" if 0 < effort.cost_usd < 0.01 else f"${effort.cost_usd:.2f}"
    return f"{cost}, {minutes_text(effort.seconds)}"


def minutes_text(seconds: float) -> str:
    """Whole minutes: nobody estimates seconds."""
    return f"{max(1, round(seconds / 60))} min"
