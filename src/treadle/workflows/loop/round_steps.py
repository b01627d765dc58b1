"""The steps of one round: observe, run one session, import its work, verify it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from treadle.domain.agent import SessionBrief
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import Instruction, RoundStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.limits import SessionLimits
from treadle.domain.session import Cancelled, SessionResult
from treadle.session.driver import PriorSpending, SessionDriver
from treadle.session.session_admission import SessionAdmission, WaitUntil
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.verifier import DeliverableVerifier
from treadle.workflows.loop.findings import RoundCommits, VerificationFindings
from treadle.workflows.loop.instructions import resumed_text
from treadle.workflows.loop.limit_checks import remaining_limits, session_allowance
from treadle.workflows.loop.observation import Observation, RunInputs
from treadle.workflows.loop.run_history import RunHistory, SessionRecord
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import ImportedTip, RunWorkspace
from treadle.workflows.loop.stuck import criteria_of
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workspace.tree_change import TreeChange


@dataclass(frozen=True, slots=True)
class RoundRef:
    """Where in the run a session is: its turn in this leg, its round, and what it is for."""

    index: int
    number: int
    instruction: Instruction
    # What the session is told of that did not hold after the last one.
    findings: str = ""


@dataclass(frozen=True, slots=True)
class SessionAttempt:
    """How a session ended; no result if the run was asked to stop, or had to wait, before it."""

    result: SessionResult | None
    hold: WaitUntil | None = None
    # What making the workspace ready has taken before it.
    prepared_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RoundImport:
    """The work of a round is safe; what the run sees after it."""

    home: ImportedTip
    movement: TreeChange
    took_s: float
    look: Observation
    # Whether the round left anything to be shown: claims, or checks that nobody has seen fail.
    due: bool = False


@dataclass(frozen=True, slots=True)
class RoundVerification:
    """What was found out about the work; what the run sees after it."""

    findings: VerificationFindings
    took_s: float
    look: Observation


class BriefWriter(Protocol):
    """Writes what a session of the workflow is started with."""

    def brief(self, instruction: Instruction, limits: SessionLimits) -> SessionBrief: ...


async def nothing_to_prepare() -> None:
    """For workspaces that are ready as they are."""


@dataclass(frozen=True, slots=True)
class RoundSteps:
    """Acts the steps of one run. `known` is what its log said when this process took it on."""

    driver: SessionDriver
    board: DeliverableBoard
    workspace: RunWorkspace
    briefing: BriefWriter
    session_limits: SessionLimits
    inputs: RunInputs
    admission: SessionAdmission
    history: RunHistory
    record_once: Callable[[str, Event], None]
    slots: asyncio.Semaphore
    # Makes the workspace ready before a session: installs what the project needs.
    prepare: Callable[[], Awaitable[None]] = nothing_to_prepare
    # Commits and imports what a session left, given the commit that the last one ended at; None:
    # with a message from our own words only.
    import_work: Callable[[RoundRef, str], Awaitable[ImportedTip]] | None = None
    verification: DeliverableVerifier | None = None

    async def observe(self) -> Observation:
        """What decides about the next step, as it is now."""
        self.board.adopt()
        around, proving = self.inputs, self.verification
        return Observation(
            at=self.driver.clock.now(),
            tally=self.board.tally(),
            criteria=criteria_of(self.board.deliverables),
            limits=around.limits(),
            wait_for_quota=around.wait_for_quota,
            stopping=around.stopping(),
            others_today_usd=around.others_today_usd(),
            provable=proving is not None and proving.can_verify(),
            fix_rounds=around.fix_rounds,
            unshown=self.history.is_fresh_leg and proving is not None and proving.is_due(),
        )

    async def session(
        self, place: RoundRef, progress: RunProgress, look: Observation
    ) -> SessionAttempt:
        """One session; its work is still in the clone when this returns.

        One that another process had begun is resumed in the agent, and one that had ended then is
        not run again.
        """
        before = self.history.session_record(place.index)
        if before is not None and before.result is not None:
            self._report_to_admission(place, before.result)
            return SessionAttempt(before.result)
        if not await self._slot_is_free():
            return self._close_cut_session(before)
        try:
            passage = self.admission.before_session()
            if isinstance(passage, WaitUntil):
                return self._close_cut_session(before, passage)
            prepared_s = await self._prepare(place)
            if before is None and self.driver.stop.is_set():
                return SessionAttempt(None, prepared_s=prepared_s)
            result = await self._run_session(
                place, session_allowance(self.session_limits, look.limits, progress)
            )
        finally:
            self.slots.release()
        self._report_to_admission(place, result)
        return SessionAttempt(result, prepared_s=prepared_s)

    async def _prepare(self, place: RoundRef) -> float:
        """The seconds that it took; a session that was cut off finds its workspace as it was."""
        if self.history.session_record(place.index) is not None:
            return 0.0
        began = self.driver.clock.monotonic()
        # Before the round is told: one that is known to have begun may lose work itself.
        self.workspace.begin_round()
        self.board.begin_round()
        await self.prepare()
        return round(self.driver.clock.monotonic() - began, 3)

    async def _slot_is_free(self) -> bool:
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
        """Nothing is begun. A session that was cut off and cannot go on now is over: what it has
        done comes home, and what it has used is counted."""
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
        self.record_once(f"cut {before.session}", SessionEnded(result))
        return SessionAttempt(result)

    def _report_to_admission(self, place: RoundRef, result: SessionResult) -> None:
        """Also of a session that ended right before a crash: told twice, it counts once."""
        for event in self.admission.after_session(result):
            self.record_once(f"{event.type} {place.index}", event)

    async def _run_session(self, place: RoundRef, limits: SessionLimits) -> SessionResult:
        before = self.history.session_record(place.index)
        if before is not None:
            limits = remaining_limits(limits, cost_usd=before.cost_usd, seconds=before.seconds)
        self.record_once(f"round {place.index}", RoundStarted(place.number, place.instruction))
        return await self._converse(place, limits, before)

    async def _converse(
        self, place: RoundRef, limits: SessionLimits, before: SessionRecord | None
    ) -> SessionResult:
        brief = self.briefing.brief(place.instruction, limits)
        prompt = brief.prompt + withheld_prompt(self.workspace.withheld) + place.findings
        brief = replace(brief, prompt=prompt)
        if before is None or before.session is None:
            return await self.driver.run(brief, limits)
        # The same session: an agent that has nothing of it yet begins it with the same id.
        brief = replace(brief, session=before.session)
        if self.driver.agent.remembers(before.session, brief.home):
            brief = replace(
                brief,
                prompt=resumed_text(),
                resume=True,
                cost_before_usd=before.cost_usd,
            )
        spent = PriorSpending(before.cost_usd, before.usage, before.seconds)
        return await self.driver.run(brief, limits, spent=spent)

    async def import_round(self, place: RoundRef, before: str) -> RoundImport:
        """Commit and import what the session left; only then are its passes safe.

        `before` is the commit that the last round ended at.
        """
        began = self.driver.clock.monotonic()
        if self.import_work is None:
            home = await self.workspace.commit_and_import(self._message(place.number))
        else:
            home = await self.import_work(place, before)
        if home.lost:
            self.board.withdraw_passes(home.lost)
        else:
            self.board.confirm_passes(home.tip)
        moved = await self.workspace.tree_change(before, home.tip)
        took_s = round(self.driver.clock.monotonic() - began, 3)
        due = self.verification is not None and self.verification.is_due()
        return RoundImport(home, moved, took_s, await self.observe(), due)

    @property
    def baseline(self) -> str:
        """The commit before all work of the run."""
        return self.workspace.snapshot

    async def verify(self, before: str, tip: str, accepted: tuple[str, ...]) -> RoundVerification:
        """Show what the round claims; `before` is the commit that it began at."""
        return await self._run_verification(
            lambda proving: proving.verify_round(before, tip, accepted)
        )

    async def reverify(self, tips: RoundCommits, accepted: tuple[str, ...]) -> RoundVerification:
        """Show everything that has passed on the work as it is now."""
        return await self._run_verification(lambda proving: proving.reverify(tips, accepted))

    async def _run_verification(
        self, act: Callable[[DeliverableVerifier], Awaitable[VerificationFindings]]
    ) -> RoundVerification:
        if self.verification is None:
            raise AssertionError("nothing was found to be due without it")
        began = self.driver.clock.monotonic()
        findings = await act(self.verification)
        took_s = round(self.driver.clock.monotonic() - began, 3)
        return RoundVerification(findings, took_s, await self.observe())

    def _message(self, number: int) -> str:
        """From our own words only: an agent's summary may hold what must not be published."""
        passed = self.board.passed_this_round
        if not passed:
            return f"Round {number}: work in progress"
        names = ", ".join(f"{one_line(d.description)} ({one_line(d.id)})" for d in passed)
        return f"Round {number}: {names[:200]}"


def one_line(text: str) -> str:
    """What an agent wrote, fit for a commit message: git takes no zero bytes, for one."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
