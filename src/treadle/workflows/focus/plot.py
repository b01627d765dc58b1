"""The plot of `focus`: plan, one task after the other, review, until the review approves.

The story of a run, with its waiting, retrying and limits, is the one that all workflows share; this
is what it decides by, and its own steps once the work of a session is home.
"""

from dataclasses import dataclass, replace
from functools import partial

from treadle.domain.session import QuotaExceeded, SessionResult
from treadle.durable.port import Steps
from treadle.workflows.deliver.decisions import Step
from treadle.workflows.deliver.next_step import Rules
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.rounds import Homecoming, Place
from treadle.workflows.deliver.story import Story
from treadle.workflows.focus.acts import Acts, Took
from treadle.workflows.focus.briefing import Situation
from treadle.workflows.focus.next_step import next_step
from treadle.workflows.focus.reviewing import Reviewing
from treadle.workflows.focus.stage import (
    Reviewed,
    Stage,
    Turned,
    after_review,
    after_session,
    is_reviewed,
)


@dataclass(slots=True)
class Plot:
    """What makes a run a focus run. The situation is shared with whoever writes the briefs."""

    steps: Steps
    situation: Situation
    acts: Acts
    reviewing: Reviewing
    words: str

    def decide(self, progress: Progress, rules: Rules) -> Step:
        return next_step(progress, self.situation.stage, rules)

    async def open(self, tip: str) -> float:
        """What a run that goes on with tasks or a review needs first; the seconds that it took."""
        stage = self.situation.stage
        if stage.phase == "planning" or stage.stop is not None:
            return 0.0
        took_s = await self._set_up(0, anew=False)
        return took_s + await self._made_ready(0, tip)

    async def after(
        self, story: Story, place: Place, result: SessionResult, home: Homecoming
    ) -> None:
        """One session's work is home: what it came to, and what the next one needs."""
        number = story.turn
        act = partial(self.acts.turn, number, self.words, result)
        turned = await self.steps.step(f"turn {number}", act, returns=Turned)
        before = self.situation.stage
        moved = _moved(story.progress)
        if not isinstance(result.outcome, QuotaExceeded):
            self.situation.stage = after_session(before, turned, moved=moved)
        took_s = 0.0
        if is_reviewed(self.situation.stage, turned):
            took_s += await self._review(number, home.home.tip)
        stage = self.situation.stage
        entered = stage.phase != before.phase
        if entered and before.phase == "planning":
            took_s += await self._set_up(number, anew=True)
        if stage.stop is None and stage.phase != "planning" and (entered or moved):
            took_s += await self._made_ready(number, home.home.tip)
        story.progress = told(story.progress, stage, took_s)

    async def _review(self, number: int, tip: str) -> float:
        stage = self.situation.stage
        act = partial(self.reviewing.review, number, stage, tip)
        reviewed = await self.steps.step(f"review {number}", act, returns=Reviewed)
        self.situation.stage = after_review(stage, reviewed)
        return reviewed.took_s

    async def _set_up(self, number: int, *, anew: bool) -> float:
        act = partial(self.acts.set_up, anew=anew)
        return (await self.steps.step(f"setup {number}", act, returns=Took)).seconds

    async def _made_ready(self, number: int, tip: str) -> float:
        act = partial(self.acts.check, number, tip)
        took = await self.steps.step(f"check {number}", act, returns=Took)
        stage = self.situation.stage
        if stage.phase == "reviewing":
            # No step: what lies between two commits is the same whenever it is read.
            self.situation.scope = await self.reviewing.scope(stage.number, tip)
        return took.seconds


def told(progress: Progress, stage: Stage, took_s: float) -> Progress:
    """The progress by this workflow's own measure: a round is over with its review."""
    *earlier, last = progress.history
    return replace(
        progress,
        rounds=stage.complete,
        unfinished=stage.unfinished,
        running_s=progress.running_s + took_s,
        history=(*earlier, replace(last, criteria=stage.measure)),
    )


def _moved(progress: Progress) -> bool:
    trees = [facts.tree for facts in progress.history[-2:]]
    return len(set(trees)) > 1
