"""The phases of `focus`: plan, one task after the other, review, until the review approves.

The story of a run, with its waiting, retrying and limits, is the one that all workflows share; this
is what it decides by, and its own steps once the work of a session is home.
"""

from dataclasses import dataclass, replace
from functools import partial

from treadle.domain.session import QuotaExceeded, SessionResult
from treadle.durable.port import Steps
from treadle.workflows.deliver.next_action import DecisionRules
from treadle.workflows.focus.briefing import FocusPosition
from treadle.workflows.focus.focus_steps import Elapsed, FocusSteps
from treadle.workflows.focus.next_action import decide_next
from treadle.workflows.focus.phases import (
    PhaseState,
    ReviewVerdict,
    SessionVerdict,
    after_review,
    after_session,
    has_review,
)
from treadle.workflows.focus.review_steps import ReviewSteps
from treadle.workflows.loop.next_action import NextAction
from treadle.workflows.loop.round_steps import RoundImport, RoundRef
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_progress import RunProgress


@dataclass(slots=True)
class FocusWork:
    """What makes a run a focus run. The situation is shared with whoever writes the briefs."""

    steps: Steps
    position: FocusPosition
    focus_steps: FocusSteps
    review_steps: ReviewSteps
    words: str

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, self.position.phase_state, rules)

    async def open(self, tip: str) -> float:
        """What a run that goes on with tasks or a review needs first; the seconds that it took."""
        stage = self.position.phase_state
        if stage.phase == "planning" or stage.stop is not None:
            return 0.0
        took_s = await self._set_up(0, anew=False)
        return took_s + await self._run_check(0, tip)

    async def after(
        self, story: RunLoop, place: RoundRef, result: SessionResult, home: RoundImport
    ) -> None:
        """One session's work is home: what it came to, and what the next one needs."""
        number = story.turn
        act = partial(self.focus_steps.read_session, number, self.words, result)
        turned = await self.steps.step(f"turn {number}", act, returns=SessionVerdict)
        before = self.position.phase_state
        moved = _files_changed(story.progress)
        if not isinstance(result.outcome, QuotaExceeded):
            self.position.phase_state = after_session(before, turned, moved=moved)
        took_s = 0.0
        if has_review(self.position.phase_state, turned):
            took_s += await self._review(number, home.home.tip)
        stage = self.position.phase_state
        entered = stage.phase != before.phase
        if entered and before.phase == "planning":
            took_s += await self._set_up(number, anew=True)
        if stage.stop is None and stage.phase != "planning" and (entered or moved):
            took_s += await self._run_check(number, home.home.tip)
        story.progress = with_phase(story.progress, stage, took_s)

    async def _review(self, number: int, tip: str) -> float:
        stage = self.position.phase_state
        act = partial(self.review_steps.review, number, stage, tip)
        reviewed = await self.steps.step(f"review {number}", act, returns=ReviewVerdict)
        self.position.phase_state = after_review(stage, reviewed)
        return reviewed.took_s

    async def _set_up(self, number: int, *, anew: bool) -> float:
        act = partial(self.focus_steps.set_up, anew=anew)
        return (await self.steps.step(f"setup {number}", act, returns=Elapsed)).seconds

    async def _run_check(self, number: int, tip: str) -> float:
        act = partial(self.focus_steps.check, number, tip)
        took = await self.steps.step(f"check {number}", act, returns=Elapsed)
        stage = self.position.phase_state
        if stage.phase == "reviewing":
            # No step: what lies between two commits is the same whenever it is read.
            self.position.scope = await self.review_steps.scope(stage.number, tip)
        return took.seconds


def with_phase(progress: RunProgress, stage: PhaseState, took_s: float) -> RunProgress:
    """The progress by this workflow's own measure: a round is over with its review."""
    *earlier, last = progress.history
    return replace(
        progress,
        rounds=stage.complete,
        unfinished=stage.unfinished,
        running_s=progress.running_s + took_s,
        history=(*earlier, replace(last, criteria=stage.measure)),
    )


def _files_changed(progress: RunProgress) -> bool:
    trees = [facts.tree for facts in progress.history[-2:]]
    return len(set(trees)) > 1
