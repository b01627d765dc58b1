"""The port between the loop and a workflow's own state."""

from dataclasses import dataclass
from typing import Protocol

from treadle.domain.agent import SessionBrief
from treadle.domain.deliverable import Tally
from treadle.domain.limits import SessionLimits
from treadle.domain.session import SessionResult
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.observation import Observation
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.tree_change import TreeChange


@dataclass(frozen=True, slots=True)
class RoundRef:
    """One session of a run: its index in this leg, its round, and what it is for."""

    index: int
    number: int
    instruction: str
    # What the session must be told about the round before it.
    findings: str = ""


@dataclass(frozen=True, slots=True)
class RoundImport:
    """The work of a round is imported; what the run observes after it. Stored as a step result."""

    home: ImportedTip
    movement: TreeChange
    took_s: float
    look: Observation
    # Whether the round left anything to verify.
    due: bool = False


@dataclass(frozen=True, slots=True)
class WorkSummary:
    """How far the work has come."""

    tally: Tally
    # One hash over what is to be done, whatever of it is done already.
    criteria: str
    # Whether there is anything by which passed work can be verified: checks, or a test command.
    can_verify: bool = False


class WorkflowState(Protocol):
    """What the loop asks of a workflow."""

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        """What the run does next. Pure."""
        ...

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        """What a fresh session starts with."""
        ...

    def begin_round(self) -> None:
        """A session starts that no process has started before."""
        ...

    def summarize(self) -> WorkSummary: ...

    def needs_verification(self) -> bool:
        """Whether anything is claimed that nobody has verified."""
        ...

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        """Commit and import what a session left; `before` is the commit of the last round."""
        ...

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        """The workflow's own steps after a session; the progress with what they found."""
        ...

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        """Verify what a round claims; `before` is the commit that it started from."""
        ...

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        """Verify everything that has passed on the last commit."""
        ...
