"""The port between the loop and a workflow's own state."""

from dataclasses import dataclass
from typing import Protocol

from treadle.domain.agent import SessionBrief
from treadle.domain.deliverable import Tally
from treadle.domain.ids import SessionId
from treadle.domain.limits import SessionLimits
from treadle.domain.session import SessionResult
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.observation import Observation
from treadle.workflows.loop.plan_question import PlanDecision
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.tree_change import TreeChange


@dataclass(frozen=True, slots=True)
class RoundRef:
    """One session of a run: its index in this leg, its round, and what it is for."""

    index: int
    number: int
    instruction: str
    # The failures of the round before, described to this session.
    findings: str = ""
    # A session that an outage cut off: this one continues its conversation.
    continues: SessionId | None = None
    # A session that has ended: this one takes up its conversation with the findings.
    repairs: SessionId | None = None


@dataclass(frozen=True, slots=True)
class RoundImport:
    """An imported round, and the observation after it. Stored as a step result."""

    home: ImportedTip
    movement: TreeChange
    took_s: float
    look: Observation
    # Whether the round left anything to verify.
    due: bool = False


@dataclass(frozen=True, slots=True)
class WorkSummary:
    """The state of the work in numbers."""

    tally: Tally
    # A hash of all criteria, independent of their status.
    criteria: str
    # Whether passed work can be verified: there are checks or a test command.
    can_verify: bool = False
    # Whether work of this run has passed, and all of it is only claimed.
    only_claims: bool = False


class WorkflowState(Protocol):
    """What the loop needs from a workflow."""

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        """What the run does next. Pure."""
        ...

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        """The brief of a new session."""
        ...

    def proposed_plan(self) -> str:
        """The plan as people read it; its hash binds an approval to it."""
        ...

    def record_plan_decision(self, decision: PlanDecision) -> None:
        """Apply a decision about the plan to what the run keeps. Called inside a step."""
        ...

    def after_plan_decision(self, progress: RunProgress, decision: PlanDecision) -> RunProgress:
        """The progress after a decision about the plan. Called again by each replay."""
        ...

    def begin_round(self) -> None:
        """Called before a session that no process has started before."""
        ...

    def summarize(self) -> WorkSummary: ...

    def needs_verification(self) -> bool:
        """Whether any claim is not verified."""
        ...

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        """Commit and import the work of a session; `before` is the commit of the last round."""
        ...

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        """Run the workflow's own steps after a session; the updated progress."""
        ...

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        """Verify the claims of a round; `before` is the commit that it started from."""
        ...

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        """Verify everything that has passed on the last commit."""
        ...
