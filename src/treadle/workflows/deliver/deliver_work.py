"""The state of a `deliver` run behind the loop: its deliverables and their verification."""

from dataclasses import dataclass, replace

from treadle.domain.agent import SessionBrief
from treadle.domain.events.work import PlanMade
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Log
from treadle.domain.session import Completed, SessionResult
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.next_action import decide_next
from treadle.workflows.deliver.prompt import deliver_prompt, plan_text
from treadle.workflows.deliver.verifier import DeliverableVerifier
from treadle.workflows.loop.answers import after_plan_decision
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.plan_question import PlanApproved, PlanDecision, PlanEdits
from treadle.workflows.loop.run_parts import ProjectFacts
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_briefs import SessionBriefs
from treadle.workflows.loop.stuck import criteria_of
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkSummary
from treadle.workflows.loop.workspace_spec import ImportedTip


@dataclass(frozen=True, slots=True)
class DeliverWork:
    """The `WorkflowState` of `deliver`."""

    board: DeliverableBoard
    verifier: DeliverableVerifier
    workspace: RunWorkspace
    briefs: SessionBriefs
    facts: ProjectFacts
    spec_hash: str
    # Counts its keys per leg.
    log: Log

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, rules)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        text = self.briefs.text_of(instruction)
        prompt = deliver_prompt(text, self.facts, self.board.deliverables)
        return self.briefs.write(instruction, limits, prompt, self.board.tools())

    def proposed_plan(self) -> str:
        return plan_text(self.board.deliverables)

    def record_plan_decision(self, decision: PlanDecision) -> None:
        """A person's yes makes the checks of the plan the person's own."""
        match decision:
            case PlanApproved(by=by) if by:
                self.board.accept_checks()
            case PlanEdits():
                self.board.discard_plan()
            case _:
                pass

    def after_plan_decision(self, progress: RunProgress, decision: PlanDecision) -> RunProgress:
        is_rejected = isinstance(decision, PlanEdits)
        progress = replace(progress, plan_outdated=progress.plan_outdated or is_rejected)
        return after_plan_decision(progress, decision)

    def begin_round(self) -> None:
        self.board.begin_round()

    def summarize(self) -> WorkSummary:
        """The summary with a person's edits of status.json."""
        self.board.adopt()
        return WorkSummary(
            tally=self.board.tally(),
            criteria=criteria_of(self.board.deliverables),
            can_verify=self.verifier.can_verify(),
            only_claims=self.board.has_only_claims(),
        )

    def needs_verification(self) -> bool:
        return self.verifier.is_due()

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        imported = await self.workspace.commit_and_import(self._message(ref.number))
        await self.workspace.review.record_round(self.workspace.imported)
        if imported.lost:
            self.board.withdraw_passes(imported.lost)
        else:
            self.board.confirm_passes(imported.tip)
        if ref.instruction == "initializer":
            self.board.add_unmatched_checks()
        return imported

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        """Record that a completed plan is for the current specification."""
        if ref.instruction != "initializer" or not isinstance(result.outcome, Completed):
            return progress
        if self.board.tally().total:
            self.log.record(PlanMade(self.spec_hash), once=f"planned {ref.index + 1}")
        return replace(progress, plan_outdated=False)

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        return await self.verifier.verify_round(before, tip, accepted)

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        return await self.verifier.reverify(commits, accepted)

    def _message(self, number: int) -> str:
        """Without the agent's summary, which may hold what must not be published."""
        passed = self.board.passed_this_round
        if not passed:
            return f"Round {number}: work in progress"
        names = ", ".join(f"{one_line(d.description)} ({one_line(d.id)})" for d in passed)
        return f"Round {number}: {names[:200]}"


def one_line(text: str) -> str:
    """Agent text as one printable line: git rejects zero bytes in commit messages."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
