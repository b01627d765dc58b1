"""The steps of one round: observe, run one session, import its work, verify it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Log
from treadle.domain.session import Cancelled, SessionResult
from treadle.session.driver import PriorSpending, SessionDriver
from treadle.session.session_admission import SessionAdmission, WaitUntil
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.instructions import resumed_text
from treadle.workflows.loop.limit_checks import remaining_limits, session_allowance
from treadle.workflows.loop.observation import Observation, RunInputs
from treadle.workflows.loop.run_history import RunHistory, SessionRecord
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkflowState


@dataclass(frozen=True, slots=True)
class SessionAttempt:
    """How a session ended; no result if the run was asked to stop, or had to wait, before it."""

    result: SessionResult | None
    hold: WaitUntil | None = None
    # What the preparation of the workspace took before it.
    prepared_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RoundVerification:
    """What a verification found; what the run observes after it."""

    findings: VerificationFindings
    took_s: float
    look: Observation


async def nothing_to_prepare() -> None:
    """For workspaces that need no setup."""


@dataclass(frozen=True, slots=True)
class RoundSteps:
    """The steps of one run. `history` is the state of its log when this process took it on."""

    driver: SessionDriver
    work: WorkflowState
    workspace: RunWorkspace
    session_limits: SessionLimits
    inputs: RunInputs
    admission: SessionAdmission
    history: RunHistory
    # Its keys are of the leg.
    log: Log
    slots: asyncio.Semaphore
    # Prepares the workspace before a session: installs what the project needs.
    prepare: Callable[[], Awaitable[None]] = nothing_to_prepare

    async def observe(self) -> Observation:
        """Everything that decides about the next action, as it is now."""
        summary, inputs = self.work.summarize(), self.inputs
        return Observation(
            at=self.driver.clock.now(),
            tally=summary.tally,
            criteria=summary.criteria,
            limits=inputs.limits(),
            wait_for_quota=inputs.wait_for_quota,
            stopping=inputs.stopping(),
            others_today_usd=inputs.others_today_usd(),
            provable=summary.can_verify,
            fix_rounds=inputs.fix_rounds,
            unshown=self.history.is_fresh_leg and self.work.needs_verification(),
        )

    async def session(
        self, ref: RoundRef, progress: RunProgress, observed: Observation
    ) -> SessionAttempt:
        """Run one session; its work is still in the clone when this returns.

        A session that another process had started is resumed in the agent; one that had ended
        then is not run again.
        """
        before = self.history.session_record(ref.index)
        if before is not None and before.result is not None:
            self._report_to_admission(ref, before.result)
            return SessionAttempt(before.result)
        if not await self._acquire_slot():
            return self._close_cut_session(before)
        try:
            admitted = self.admission.before_session()
            if isinstance(admitted, WaitUntil):
                return self._close_cut_session(before, admitted)
            prepared_s = await self._prepare(ref)
            if before is None and self.driver.stop.is_set():
                return SessionAttempt(None, prepared_s=prepared_s)
            allowance = session_allowance(self.session_limits, observed.limits, progress)
            result = await self._run_session(ref, allowance)
        finally:
            self.slots.release()
        self._report_to_admission(ref, result)
        return SessionAttempt(result, prepared_s=prepared_s)

    async def _prepare(self, ref: RoundRef) -> float:
        """The seconds that it took; a session that was cut off finds its workspace as it was."""
        if self.history.session_record(ref.index) is not None:
            return 0.0
        began = self.driver.clock.monotonic()
        # Before the round is recorded: one that is known to have started may lose work itself.
        self.workspace.begin_round()
        self.work.begin_round()
        await self.prepare()
        return round(self.driver.clock.monotonic() - began, 3)

    async def _acquire_slot(self) -> bool:
        """Wait for one of the sessions that may run at once; False if the run is to stop first."""
        acquiring = asyncio.ensure_future(self.slots.acquire())
        stopping = asyncio.ensure_future(self.driver.stop.wait())
        try:
            await asyncio.wait({acquiring, stopping}, return_when="FIRST_COMPLETED")
        finally:
            stopping.cancel()
            if not acquiring.done():
                acquiring.cancel()
        if self.driver.stop.is_set() and acquiring.done() and not acquiring.cancelled():
            self.slots.release()
        return not self.driver.stop.is_set()

    def _close_cut_session(
        self, before: SessionRecord | None, hold: WaitUntil | None = None
    ) -> SessionAttempt:
        """Start nothing. A session that was cut off and cannot continue now is over: its work is
        imported, and its usage is counted."""
        if before is None or before.session is None:
            return SessionAttempt(None, hold)
        result = SessionResult(
            session=before.session,
            outcome=Cancelled(),
            cost_usd=round(before.cost_usd, 6),
            usage=before.usage,
            turns=0,
            duration_s=round(before.seconds, 3),
        )
        self.log.record(SessionEnded(result), once=f"cut {before.session}")
        return SessionAttempt(result)

    def _report_to_admission(self, ref: RoundRef, result: SessionResult) -> None:
        """Also for a session that ended right before a crash: reported twice, it counts once."""
        for event in self.admission.after_session(result):
            self.log.record(event, once=f"{event.type} {ref.index}")

    async def _run_session(self, ref: RoundRef, limits: SessionLimits) -> SessionResult:
        before = self.history.session_record(ref.index)
        if before is not None:
            limits = remaining_limits(limits, cost_usd=before.cost_usd, seconds=before.seconds)
        self.log.record(RoundStarted(ref.number, ref.instruction), once=f"round {ref.index}")
        brief = self.work.brief(ref.instruction, limits)
        prompt = brief.prompt + withheld_prompt(self.workspace.withheld) + ref.findings
        brief = replace(brief, prompt=prompt)
        if before is None or before.session is None:
            return await self.driver.run(brief, limits)
        # The same session: an agent that has nothing of it yet starts it with the same id.
        brief = replace(brief, session=before.session)
        if self.driver.agent.can_resume(before.session, brief.home):
            brief = replace(
                brief,
                prompt=resumed_text(),
                resume=True,
                cost_before_usd=before.cost_usd,
            )
        spent = PriorSpending(before.cost_usd, before.usage, before.seconds)
        return await self.driver.run(brief, limits, spent=spent)

    async def import_round(self, ref: RoundRef, before: str) -> RoundImport:
        """Commit and import what the session left; only then are its passes safe.

        `before` is the commit that the last round ended at.
        """
        began = self.driver.clock.monotonic()
        imported = await self.work.import_session(ref, before)
        change = await self.workspace.tree_change(before, imported.tip)
        took_s = round(self.driver.clock.monotonic() - began, 3)
        due = self.work.needs_verification()
        return RoundImport(imported, change, took_s, await self.observe(), due)

    async def verify(self, before: str, tip: str, accepted: tuple[str, ...]) -> RoundVerification:
        """Verify what the round claims; `before` is the commit that it started from."""
        return await self._measured(self.work.verify(before, tip, accepted))

    async def reverify(self, commits: RoundCommits, accepted: tuple[str, ...]) -> RoundVerification:
        """Verify everything that has passed on the work as it is now."""
        return await self._measured(self.work.reverify(commits, accepted))

    async def _measured(self, verifying: Awaitable[VerificationFindings]) -> RoundVerification:
        began = self.driver.clock.monotonic()
        findings = await verifying
        took_s = round(self.driver.clock.monotonic() - began, 3)
        return RoundVerification(findings, took_s, await self.observe())
