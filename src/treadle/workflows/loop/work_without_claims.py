"""What workflows share whose sessions claim nothing: no plan, no criteria, no verification."""

from dataclasses import dataclass

from treadle.domain.deliverable import Tally
from treadle.domain.session import SessionResult
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.plan_question import PlanDecision
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress, with_spent
from treadle.workflows.loop.stuck import RoundFacts, criteria_of
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkSummary


@dataclass(frozen=True, slots=True)
class LegStart:
    """What a leg of the run starts with. Stored as a step result."""

    tip: str
    tree: str


async def begin_leg(parts: RunParts) -> tuple[str, RunProgress]:
    """The commit that a leg starts from, and its progress."""

    async def start() -> LegStart:
        tip = parts.workspace.start
        return LegStart(tip, (await parts.workspace.tree_change(tip, tip)).tree)

    started = await parts.steps.step("begin", start, returns=LegStart)
    before = RoundFacts(0, started.tree, Tally(), criteria_of(()))
    return started.tip, with_spent(RunProgress(history=(before,)), parts.request.so_far)


class WorkWithoutClaims:
    """The part of `WorkflowState` that is about claims."""

    __slots__ = ()

    def proposed_plan(self) -> str:
        return ""

    def record_plan_decision(self, decision: PlanDecision) -> None:
        """Nothing to do: nobody is asked about a plan."""

    def after_plan_decision(self, progress: RunProgress, decision: PlanDecision) -> RunProgress:
        return progress

    def begin_round(self) -> None:
        """Nothing to do: a session leaves no claims."""

    def summarize(self) -> WorkSummary:
        return WorkSummary(Tally(), criteria_of(()))

    def needs_verification(self) -> bool:
        return False

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        return progress

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        raise AssertionError("a run without claims has nothing to verify")

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        raise AssertionError("a run without claims has nothing to verify")
