"""The state of an increment's run behind the loop: that of `deliver`, and the promise."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from treadle.domain.agent import SessionBrief
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.session import PromiseRefused
from treadle.domain.limits import SessionLimits
from treadle.domain.session import SessionResult
from treadle.durable.port import Steps
from treadle.workflows.deliver.build import build_loop, make_verifier
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.deliver.prompt import deliver_prompt
from treadle.workflows.increment.next_action import (
    PROMISE_EVENTS,
    decide_increment,
    has_promised,
    promise_text,
    specification_text,
    why_refused,
)
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef


@dataclass(slots=True)
class PromiseState:
    """The promise of the last session; from steps, so that a replay knows it again."""

    is_given: bool = False
    session: int = 0


@dataclass(frozen=True, slots=True)
class IncrementWork(DeliverWork):
    """The `WorkflowState` of one increment."""

    specification: str
    promise: str
    steps: Steps
    read_log: Callable[[Collection[str]], Iterable[RecordedEvent]]
    state: PromiseState = field(default_factory=PromiseState)

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_increment(progress, rules, is_promised=self.state.is_given)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        text = self.briefs.text_of(instruction)
        # No file has the specification: it is in the prompt.
        facts = replace(self.facts, spec="")
        prompt = deliver_prompt(text, facts, self.board.deliverables)
        prompt += specification_text(self.specification)
        if self.briefs.role_of(instruction) == "implementer":
            prompt += promise_text(self.promise)
        return self.briefs.write(instruction, limits, prompt, self.board.tools())

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        progress = await DeliverWork.after_import(self, ref, progress, result, imported)

        async def look() -> bool:
            is_given = has_promised(self.read_log(PROMISE_EVENTS), self.promise)
            if is_given and not imported.due:
                self._refuse(ref.index + 1, "")
            return is_given

        self.state.session = ref.index + 1
        self.state.is_given = await self.steps.step(
            f"promise {self.state.session}", look, returns=bool
        )
        return progress

    async def verify(
        self, before: str, tip: str, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        findings = await DeliverWork.verify(self, before, tip, accepted)
        return self._with_refusal(findings)

    async def reverify(
        self, commits: RoundCommits, accepted: tuple[str, ...]
    ) -> VerificationFindings:
        findings = await DeliverWork.reverify(self, commits, accepted)
        return self._with_refusal(findings)

    def _with_refusal(self, findings: VerificationFindings) -> VerificationFindings:
        if self.state.is_given and not findings.stopped:
            self._refuse(self.state.session, findings.told)
        return findings

    def _refuse(self, session: int, findings: str) -> None:
        if reason := why_refused(self.board.tally(), findings):
            self.log.record(PromiseRefused(reason), once=f"promise refused {session}")


async def build_increment(parts: RunParts) -> RunLoop:
    work_type = partial(
        IncrementWork,
        specification=parts.spec_text,
        promise=" ".join(parts.request.inputs["promise"].split()),
        steps=parts.steps,
        read_log=parts.read_log,
    )
    return await build_loop(parts, work_type, make_verifier)
