"""Asks a person about a plan, and turns the answer into a decision. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias, assert_never

from treadle.domain.approval import (
    Answer,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
    hash_of,
)
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked, ApprovalLapsed
from treadle.workflows.loop.approval_requests import ApprovalOutcome, NotAnswered
from treadle.workflows.loop.prompt_fences import in_fence

# off: the run asks nobody; open: its next plan is asked about; passed: a plan was approved.
PlanGate = Literal["off", "open", "passed"]

# Characters of a plan that the next planner sees again.
MAX_PLAN = 30_000
# The types of events that `approved_plan` and `last_plan_decision` read.
APPROVAL_EVENTS = frozenset({"approval.asked", "approval.answered", "approval.lapsed"})


@dataclass(frozen=True, slots=True)
class PlanApproved:
    """`by` is empty if the time for an answer passed: then nobody has said yes."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class PlanEdits:
    """A person wants another plan, and says what to change in this one."""

    reply: str
    plan: str


@dataclass(frozen=True, slots=True)
class PlanDenied:
    reason: str


@dataclass(frozen=True, slots=True)
class PlanUndecided:
    """The run was asked to stop before an answer."""


PlanDecision: TypeAlias = PlanApproved | PlanEdits | PlanDenied | PlanUndecided


def plan_question(plan: str, patience: timedelta | None, remark: str = "") -> ApprovalQuestion:
    """The question about this plan; it is approved if nobody answers in time."""
    return ApprovalQuestion(
        kind="plan",
        text="\n".join(filter(None, ["Approve this plan?", remark])),
        subject=plan,
        subject_hash=hash_of(plan),
        patience=patience,
        at_deadline="approve",
    )


def decide_plan(outcome: ApprovalOutcome, plan: str) -> PlanDecision:
    match outcome:
        case Answer(verdict="approved", by=by):
            return PlanApproved(by)
        case Answer(verdict="replied", text=text):
            return PlanEdits(text, plan)
        case Answer(by=by, text=text):
            return PlanDenied(f"{by} denied the plan: {text}" if text else f"{by} denied the plan")
        case LapsedQuestion(verdict="approved"):
            return PlanApproved()
        case LapsedQuestion():
            return PlanDenied("nobody approved the plan in time")
        case VoidedQuestion(reason=reason):
            return PlanDenied(f"the question about the plan is void: {reason}")
        case NotAnswered():
            return PlanUndecided()
        case _:
            assert_never(outcome)


def edits_prompt(edits: PlanEdits) -> str:
    """The part of the next planner's prompt about the plan that a person wants changed."""
    return (
        "\n## The plan before\n\nA person has read this plan and wants it changed:\n\n"
        f"{in_fence(edits.plan[:MAX_PLAN])}\n\n"
        f"The person says:\n\n{in_fence(edits.reply)}\n\n"
        "Make the whole plan again, with these changes. Nothing of the plan before is kept.\n"
    )


@dataclass(frozen=True, slots=True)
class ApprovedPlan:
    """A plan that was approved; `by` is empty if the time for an answer passed."""

    text: str
    by: str = ""


def approved_plan(events: Iterable[RecordedEvent]) -> ApprovedPlan | None:
    """The last plan of a run that was approved; None if none was."""
    plans: dict[str, str] = {}
    approved = None
    for recorded in events:
        match recorded.event:
            case ApprovalAsked(approval=asked) if asked.kind == "plan":
                plans[asked.id] = asked.subject
            case ApprovalAnswered(approval=name, verdict="approved", by=by) if name in plans:
                approved = ApprovedPlan(plans[name], by)
            case ApprovalLapsed(approval=name, verdict="approved") if name in plans:
                approved = ApprovedPlan(plans[name])
            case _:
                pass
    return approved


def last_plan_decision(events: Iterable[RecordedEvent]) -> PlanDecision | None:
    """What holds of the answers about plans of this run; None if nothing does. Edits hold until a
    plan is asked about that was made with them; a no holds until another answer."""
    plans: dict[str, str] = {}
    decision: PlanDecision | None = None
    for recorded in events:
        match recorded.event:
            case ApprovalAsked(approval=asked) if asked.kind == "plan":
                plans[asked.id] = asked.subject
                decision = None if isinstance(decision, PlanEdits) else decision
            case ApprovalAnswered(approval=name, verdict=verdict, by=by, text=text) if (
                name in plans
            ):
                decision = decide_plan(Answer(verdict, by, recorded.at, text), plans[name])
            case ApprovalLapsed(approval=name, verdict=verdict) if name in plans:
                decision = decide_plan(LapsedQuestion(verdict, recorded.at), plans[name])
            case _:
                pass
    return decision
