"""The last plan of a run with what was decided about it, for `treadle show --plan`. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from treadle.domain.approval import ApprovalRecord, hash_of
from treadle.domain.effort import Effort, effort_text, plan_remark, range_of_efforts, work_effort
from treadle.domain.events.focus import PlanWritten
from treadle.domain.ids import RunId
from treadle.domain.task_plan import TaskPlan
from treadle.views.approval_view import answer_commands, approval_document, settlement_text
from treadle.views.duration import clock_time
from treadle.views.log_state import LogState
from treadle.views.run_details import RunDetails

# Digits of a hash that a person compares.
SHORT_HASH = 12


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A plan, what was asked about it, and what its estimate is held against."""

    run: RunId
    text: str = field(repr=False)
    # Its parts, if it is that of a task.
    parts: TaskPlan | None = None
    # The last question about this text; None if nobody was asked.
    question: ApprovalRecord | None = None
    estimate: Effort | None = None
    # What the work took, once it has ended.
    took: Effort | None = None
    # What the work of past runs of the project took.
    past: Sequence[Effort] = ()

    @property
    def hash(self) -> str:
        """What an approval is bound to."""
        return hash_of(self.text)


def plan_of_run(
    run: RunId, details: RunDetails, questions: Sequence[ApprovalRecord], past: Sequence[Effort]
) -> RunPlan | None:
    """The plan that was handed over last, or else that was asked about; None if there is none."""
    written = _last_written(details)
    asked = [each for each in questions if each.approval.kind == "plan"]
    if written is None:
        if not asked:
            return None
        return RunPlan(run, asked[-1].approval.subject, question=asked[-1], past=past)
    about = [each for each in asked if each.approval.subject_hash == hash_of(written.text)]
    return RunPlan(
        run,
        written.text,
        parts=written.plan,
        question=about[-1] if about else None,
        estimate=details.state.spent.estimate,
        took=_took(details.state),
        past=past,
    )


def _last_written(details: RunDetails) -> PlanWritten | None:
    plans = [each.event for each in details.rounds if isinstance(each.event, PlanWritten)]
    return plans[-1] if plans else None


def _took(state: LogState) -> Effort | None:
    return None if state.result is None else work_effort(state.spent, state.result)


def plan_document(plan: RunPlan) -> dict[str, Any]:
    """The document of `treadle show --plan --json`."""
    return {
        "run": plan.run,
        "hash": plan.hash,
        "text": plan.text,
        "plan": plan.parts,
        "question": None if plan.question is None else approval_document(plan.question),
        "estimate": plan.estimate,
        "took": plan.took,
        "past": range_of_efforts(plan.past),
    }


def plan_notes(plan: RunPlan, *, now: datetime, zone: tzinfo | None) -> str:
    """What was decided about the plan, and its estimate against past runs and the work itself."""
    took = f"The work took {effort_text(plan.took)}" if plan.estimate and plan.took else ""
    lines = [
        _decision(plan, now=now, zone=zone),
        plan_remark(plan.estimate, plan.past),
        took,
    ]
    return "\n".join(filter(None, lines))


def _decision(plan: RunPlan, *, now: datetime, zone: tzinfo | None) -> str:
    """`Plan 1f3c9a2b77d0: approved by ada, 17:53`; whoever was asked, and how to answer."""
    name = f"Plan {plan.hash[:SHORT_HASH]}"
    if plan.question is None:
        return f"{name}: nobody was asked about it"
    settled = plan.question.settled
    if settled is None:
        commands = answer_commands(plan.question.approval)
        return "\n".join([f"{name}: waits for your answer", *(f"  {each}" for each in commands)])
    text, _ = settlement_text(settled)
    return f"{name}: {text}, {clock_time(settled.at, now=now, zone=zone)}"
