"""The steps of one round: observe, run one session, import its work, verify it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from treadle.domain.agent import SessionBrief
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.work import SetupFinished
from treadle.domain.limits import SessionLimits
from treadle.domain.ports import Log
from treadle.domain.session import Cancelled, SessionResult
from treadle.session.cost_meter import PriorSpending
from treadle.session.driver import SessionDriver
from treadle.session.session_admission import SessionAdmission, WaitUntil
from treadle.session.stop_signal import unless_stopped
from treadle.workflows.loop.command_trial import CommandTrial
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.instructions import resumed_text
from treadle.workflows.loop.limit_checks import remaining_limits, session_allowance
from treadle.workflows.loop.observation import Observation, RunInputs
from treadle.workflows.loop.run_history import RunHistory
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_commits import decide_after_linking
from treadle.workflows.loop.session_record import SessionRecord
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef, WorkflowState
from treadle.workflows.loop.workspace_setup import setup_prompt


@dataclass(frozen=True, slots=True)
class SessionAttempt:
    """How a session ended; without a result the run had to stop or wait before the session."""

    result: SessionResult | None
    hold: WaitUntil | None = None
    # Seconds that the preparation of the workspace took.
    prepared_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RoundVerification:
    """What a verification found, and the observation after it. Stored as a step result."""

    findings: VerificationFindings
    took_s: float
    look: Observation


Prepare = Callable[[], Awaitable[SetupFinished | None]]


async def nothing_to_prepare() -> SetupFinished | None:
    """For workspaces that need no setup."""
    return None


@dataclass(frozen=True, slots=True)
class RoundSteps:
    """The steps of one run. `history` is the state of its log when this process took over."""

    driver: SessionDriver
    work: WorkflowState
    workspace: RunWorkspace
    session_limits: SessionLimits
    inputs: RunInputs
    admission: SessionAdmission
    history: RunHistory
    # Counts its keys per leg.
    log: Log
    slots: asyncio.Semaphore
    # Tries the project's commands before the first session.
    trial: CommandTrial
    # Installs what the project needs before a session.
    prepare: Prepare = nothing_to_prepare
    # Limits of sessions with these instructions, instead of `session_limits`.
    own_limits: Mapping[str, SessionLimits] = field(default_factory=dict)

    async def observe(self) -> Observation:
        """The current inputs of the next decision."""
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
            only_words=summary.only_claims and self.workspace.imported is None,
            has_commits=self.workspace.imported is not None,
            before_today_usd=inputs.before_today_usd(),
        )

    async def session(
        self, ref: RoundRef, progress: RunProgress, observed: Observation
    ) -> SessionAttempt:
        """Run one session; its work stays in the clone.

        A session that another process started is resumed; one that ended there is not run again.
        """
        record = self.history.session_record(ref.index)
        if record is not None and record.result is not None:
            self._report_to_admission(ref, record.result)
            return SessionAttempt(record.result)
        if not await self._acquire_slot():
            return self._close_cut_session(record)
        try:
            admitted = self.admission.before_session()
            if isinstance(admitted, WaitUntil):
                return self._close_cut_session(record, admitted)
            prepared_s, setup_text = await self._prepare(ref)
            if record is None and self.driver.stop.is_set():
                return SessionAttempt(None, prepared_s=prepared_s)
            limits = self.own_limits.get(ref.instruction, self.session_limits)
            allowance = session_allowance(limits, observed.limits, progress)
            result = await self._run_session(ref, allowance, setup_text)
        finally:
            self.slots.release()
        self._report_to_admission(ref, result)
        return SessionAttempt(result, prepared_s=prepared_s)

    async def _prepare(self, ref: RoundRef) -> tuple[float, str]:
        """Prepare the workspace, except for an interrupted session; the seconds that it took, and
        what the session must know about it."""
        if self.history.session_record(ref.index) is not None:
            return 0.0, ""
        started = self.driver.clock.monotonic()
        # Before the round is recorded: a recorded round may have lost work itself.
        self.workspace.begin_round()
        self.work.begin_round()
        finished = await self.prepare()
        return round(self.driver.clock.monotonic() - started, 3), setup_prompt(finished)

    async def _acquire_slot(self) -> bool:
        """Wait for a session slot; False if the run is asked to stop first."""
        stop, taken = self.driver.stop, False

        async def acquire() -> None:
            nonlocal taken
            taken = await self.slots.acquire()

        try:
            await unless_stopped(acquire(), stop)
        except asyncio.CancelledError:
            if taken:
                self.slots.release()
            raise
        if taken and stop.is_set():
            self.slots.release()
        return not stop.is_set()

    def _close_cut_session(
        self, record: SessionRecord | None, hold: WaitUntil | None = None
    ) -> SessionAttempt:
        """Start no session. End an interrupted session that cannot continue now, so that its work
        is imported and its usage counted."""
        if record is None or record.session is None:
            return SessionAttempt(None, hold)
        result = SessionResult(
            session=record.session,
            outcome=Cancelled(),
            cost_usd=round(record.cost_usd, 6),
            usage=record.usage,
            turns=0,
            duration_s=round(record.seconds, 3),
        )
        self.log.record(SessionEnded(result), once=f"cut {record.session}")
        return SessionAttempt(result)

    def _report_to_admission(self, ref: RoundRef, result: SessionResult) -> None:
        """Safe to repeat: a session that ended right before a crash is reported twice."""
        for event in self.admission.after_session(result):
            self.log.record(event, once=f"{event.type} {ref.index}")

    async def _run_session(
        self, ref: RoundRef, limits: SessionLimits, setup_text: str
    ) -> SessionResult:
        record = self.history.session_record(ref.index)
        if record is not None:
            limits = remaining_limits(limits, cost_usd=record.cost_usd, seconds=record.seconds)
        self.log.record(RoundStarted(ref.number, ref.instruction), once=f"round {ref.index}")
        brief = self._brief(ref, limits, setup_text)
        async with self.workspace.watch_commits() as watch:
            brief = replace(brief, decide=decide_after_linking(brief.decide, watch))
            return await self._drive(brief, limits, record)

    async def _drive(
        self, brief: SessionBrief, limits: SessionLimits, record: SessionRecord | None
    ) -> SessionResult:
        """Run a session from its start, or continue the one that was interrupted."""
        if record is None or record.session is None:
            return await self.driver.run(brief, limits)
        # An agent that does not have the session yet starts it with the same id.
        brief = replace(brief, session=record.session, cost_before_usd=record.cost_usd)
        if self.driver.agent.can_resume(record.session, brief.home):
            brief = replace(brief, prompt=resumed_text(), resume=True, continues=None)
        spent = PriorSpending(record.cost_usd, record.usage, record.seconds)
        return await self.driver.run(brief, limits, spent=spent)

    def _brief(self, ref: RoundRef, limits: SessionLimits, setup_text: str) -> SessionBrief:
        """The brief of a new session; one that continues a conversation knows its instruction."""
        brief = self.work.brief(ref.instruction, limits)
        remarks = setup_text + withheld_prompt(self.workspace.withheld)
        if ref.continues is not None and self.driver.agent.can_resume(ref.continues, brief.home):
            prompt = resumed_text() + remarks
            return replace(brief, prompt=prompt, continues=ref.continues)
        if ref.repairs is not None and self.driver.agent.can_resume(ref.repairs, brief.home):
            prompt = f"{remarks}{ref.findings}".strip() + "\n"
            return replace(brief, prompt=prompt, continues=ref.repairs)
        return replace(brief, prompt=brief.prompt + remarks + ref.findings)

    async def import_round(self, ref: RoundRef, before: str) -> RoundImport:
        """Commit and import the work of a session, because only imported passes count.

        `before` is the commit that the last round ended at.
        """
        started = self.driver.clock.monotonic()
        imported = await self.work.import_session(ref, before)
        change = await self.workspace.tree_change(before, imported.tip)
        took_s = round(self.driver.clock.monotonic() - started, 3)
        due = self.work.needs_verification()
        return RoundImport(imported, change, took_s, await self.observe(), due)

    async def verify(self, before: str, tip: str, accepted: tuple[str, ...]) -> RoundVerification:
        """Verify what the round claims; `before` is the commit that it started from."""
        return await self._timed(self.work.verify(before, tip, accepted))

    async def reverify(self, commits: RoundCommits, accepted: tuple[str, ...]) -> RoundVerification:
        """Verify everything that has passed, on the current work."""
        return await self._timed(self.work.reverify(commits, accepted))

    async def _timed(self, verification: Awaitable[VerificationFindings]) -> RoundVerification:
        started = self.driver.clock.monotonic()
        findings = await verification
        took_s = round(self.driver.clock.monotonic() - started, 3)
        return RoundVerification(findings, took_s, await self.observe())
