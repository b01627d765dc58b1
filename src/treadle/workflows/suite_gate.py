"""The test gate of a run: what the tests say about its work, against what they said before it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from treadle.domain.check import When
from treadle.domain.events.all_events import Event
from treadle.verify.gate import GateRules, Judged, SuiteRun, judge, known_before
from treadle.verify.proving_ground import NotShown, ProvingGround
from treadle.verify.suite import Suite, event_of, failures_text, run_suite


@dataclass(frozen=True, slots=True)
class Gated:
    """What the gate found, and the end of what the tests printed."""

    judged: Judged
    output: str

    @property
    def told(self) -> str:
        """What stands against the work, in words; empty: nothing."""
        return failures_text(self.judged, self.output)


@dataclass(slots=True)
class SuiteGate:
    """One for a run: what the tests said at the baseline, the commit before its work, is asked
    once."""

    ground: ProvingGround
    suite: Suite
    baseline: str
    rules: Callable[[], GateRules]
    record: Callable[[Event], None]
    before: SuiteRun | None = None

    async def judge(
        self, commit: str, when: When = "after", accepted: Collection[str] = ()
    ) -> Gated | NotShown:
        """What the tests object to on this commit, without what a person has accepted."""
        if self.before is None:
            before = await self._run(self.baseline, "before")
            if isinstance(before, NotShown):
                return before
            self.record(event_of(before, known_before(before)))
            self.before = before
        now = await self._run(commit, when)
        if isinstance(now, NotShown):
            return now
        judged = judge(self.before, now, self.rules())
        let_fail = tuple(each for each in judged.objections if each.accepted_as in accepted)
        left = tuple(each for each in judged.objections if each not in let_fail)
        judged = replace(judged, objections=left)
        self.record(event_of(now, judged, accepted=let_fail))
        return Gated(judged, now.output)

    async def _run(self, commit: str, when: When) -> SuiteRun | NotShown:
        return await run_suite(self.ground, self.suite, commit, when, before=self.before)
