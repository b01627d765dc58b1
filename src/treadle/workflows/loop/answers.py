"""The progress of a run after a person's answer to one of its questions. Pure."""

from dataclasses import replace
from typing import assert_never

from treadle.workflows.loop.failing_tests_question import (
    AcceptFailures,
    FailingTestsDecision,
    GiveUpOnTests,
    TryAgain,
)
from treadle.workflows.loop.fix_attempts import FailureCounts, with_another_try
from treadle.workflows.loop.plan_question import (
    PlanApproved,
    PlanDecision,
    PlanDenied,
    PlanEdits,
    PlanUndecided,
    edits_prompt,
)
from treadle.workflows.loop.run_progress import RunProgress


def after_tests_decision(progress: RunProgress, decision: FailingTestsDecision) -> RunProgress:
    """The progress after a person's decision about failing tests."""
    match decision:
        case AcceptFailures(tests=tests):
            accepted = tuple(dict.fromkeys((*progress.accepted, *tests)))
            attempts = replace(progress.attempts, tests=FailureCounts())
            progress = replace(progress, accepted=accepted, objections=(), findings="")
            return replace(progress, gate_failures=0, attempts=attempts)
        case TryAgain(reply=""):
            return _with_another_try(progress)
        case TryAgain(reply=reply):
            findings = f"{progress.findings}\nA person says about it:\n\n{reply}\n"
            # Earlier rounds did not have this reply, so they do not count as stuck.
            history = progress.history[-1:]
            return replace(_with_another_try(progress), findings=findings, history=history)
        case GiveUpOnTests(reason=reason):
            return replace(progress, give_up_reason=reason)
        case _:
            assert_never(decision)


def _with_another_try(progress: RunProgress) -> RunProgress:
    return replace(progress, gate_failures=1, attempts=with_another_try(progress.attempts))


def after_plan_decision(progress: RunProgress, decision: PlanDecision) -> RunProgress:
    """The progress after a decision about the plan. Edits are told to the next planner."""
    match decision:
        case PlanApproved():
            return replace(progress, plan_gate="passed")
        case PlanEdits():
            # Earlier rounds did not have this reply, so they do not count as stuck.
            history = progress.history[-1:]
            return replace(progress, findings=edits_prompt(decision), history=history)
        case PlanDenied(reason=reason):
            return replace(progress, plan_denial=reason)
        case PlanUndecided():
            return progress
        case _:
            assert_never(decision)


def with_edits(fresh: RunProgress, edits: PlanEdits | None) -> RunProgress:
    """The first progress of a leg that makes a plan again as a person asked in an earlier one."""
    return fresh if edits is None else replace(fresh, findings=edits_prompt(edits))
