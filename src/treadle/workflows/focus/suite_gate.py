"""The test gate of a `focus` run: asked before a review may approve."""

from collections.abc import Callable
from dataclasses import dataclass

from treadle.domain.check import When
from treadle.domain.events.all_events import Event
from treadle.verify.gate import GateRules, SuiteRun, judge, known_before
from treadle.verify.proving_ground import NotShown, ProvingGround
from treadle.verify.suite import Suite, event_of, failures_text, run_suite


@dataclass(slots=True)
class SuiteGate:
    """Compares what the tests say about the work with what they said before it."""

    ground: ProvingGround
    suite: Suite
    # The commit before the first change.
    baseline: Callable[[], str]
    rules: Callable[[], GateRules]
    record: Callable[[Event], None]
    before: SuiteRun | None = None

    async def judge(self, commit: str) -> str | NotShown:
        """What stands against the tests, in words; empty: nothing."""
        if self.before is None:
            before = await self._run(self.baseline(), "before")
            if isinstance(before, NotShown):
                return before
            self.record(event_of(before, known_before(before)))
            self.before = before
        now = await self._run(commit, "after")
        if isinstance(now, NotShown):
            return now
        judged = judge(self.before, now, self.rules())
        self.record(event_of(now, judged))
        return failures_text(judged, now.output)

    async def _run(self, commit: str, when: When) -> SuiteRun | NotShown:
        return await run_suite(self.ground, self.suite, commit, when, before=self.before)
