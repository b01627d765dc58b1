"""Acts the steps of a `deliver` run: look, one session, its work brought to safety."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from treadle.domain.agent import Brief
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import Instruction, RoundStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.limits import SessionLimits
from treadle.domain.session import Cancelled, SessionResult
from treadle.session.drive import Driver, Spent
from treadle.session.gates import Gates, WaitUntil
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.findings import Findings, Tips
from treadle.workflows.deliver.instructions import resumed_text
from treadle.workflows.deliver.limits import left_of, within
from treadle.workflows.deliver.look import Look, Surroundings
from treadle.workflows.deliver.progress import Progress
from treadle.workflows.deliver.recollection import Recollection, Turn
from treadle.workflows.deliver.stuck import criteria_of
from treadle.workflows.deliver.verification import Verification
from treadle.workflows.withheld import withheld_prompt
from treadle.workflows.worksite import Home, Worksite
from treadle.workspace.movement import Movement


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the run a session is: its turn in this leg, its round, and what it is for."""

    turn: int
    number: int
    instruction: Instruction
    # What the session is told of that did not hold after the last one.
    told: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a session ended; no result if the run was asked to stop, or had to wait, before it."""

    result: SessionResult | None
    hold: WaitUntil | None = None
    # What making the workspace ready has taken before it.
    prepared_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Homecoming:
    """The work of a round is safe; what the run sees after it."""

    home: Home
    movement: Movement
    took_s: float
    look: Look
    # Whether the round left anything to be shown: claims, or checks that nobody has seen fail.
    due: bool = False


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found out about the work; what the run sees after it."""

    findings: Findings
    took_s: float
    look: Look


class Briefs(Protocol):
    """Writes what a session of the workflow is started with."""

    def brief(self, instruction: Instruction, limits: SessionLimits) -> Brief: ...


async def nothing_to_prepare() -> None:
    """For workspaces that are ready as they are."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Acts the steps of one run. `known` is what its log said when this process took it on."""

    driver: Driver
    board: Board
    worksite: Worksite
    briefing: Briefs
    session_limits: SessionLimits
    surroundings: Surroundings
    gates: Gates
    known: Recollection
    record_once: Callable[[str, Event], None]
    slots: asyncio.Semaphore
    # Makes the workspace ready before a session: installs what the project needs.
    prepare: Callable[[], Awaitable[None]] = nothing_to_prepare
    # Commits and imports what a session left, given the commit that the last one ended at; None:
    # with a message from our own words only.
    bring: Callable[[Place, str], Awaitable[Home]] | None = None
    verification: Verification | None = None

    async def look(self) -> Look:
        """What decides about the next step, as it is now."""
        self.board.adopt()
        around, proving = self.surroundings, self.verification
        return Look(
            at=self.driver.clock.now(),
            tally=self.board.tally(),
            criteria=criteria_of(self.board.deliverables),
            limits=around.limits(),
            wait_for_quota=around.wait_for_quota,
            stopping=around.stopping(),
            others_today_usd=around.others_today_usd(),
            provable=proving is not None and proving.has_something_to_show(),
            fix_rounds=around.fix_rounds,
            unshown=self.known.is_fresh_leg and proving is not None and proving.is_due(),
        )

    async def session(self, place: Place, progress: Progress, look: Look) -> Attempt:
        """One session; its work is still in the clone when this returns.

        One that another process had begun is resumed in the agent, and one that had ended then is
        not run again.
        """
        before = self.known.turn(place.turn)
        if before is not None and before.result is not None:
            self._tell_gates(place, before.result)
            return Attempt(before.result)
        if not await self._slot_is_free():
            return self._not_now(before)
        try:
            passage = self.gates.before_session()
            if isinstance(passage, WaitUntil):
                return self._not_now(before, passage)
            prepared_s = await self._make_ready(place)
            if before is None and self.driver.stop.is_set():
                return Attempt(None, prepared_s=prepared_s)
            result = await self._in_turn(place, within(self.session_limits, look.limits, progress))
        finally:
            self.slots.release()
        self._tell_gates(place, result)
        return Attempt(result, prepared_s=prepared_s)

    async def _make_ready(self, place: Place) -> float:
        """The seconds that it took; a session that was cut off finds its workspace as it was."""
        if self.known.turn(place.turn) is not None:
            return 0.0
        began = self.driver.clock.monotonic()
        # Before the round is told: one that is known to have begun may lose work itself.
        self.worksite.begin_round()
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

    def _not_now(self, before: Turn | None, hold: WaitUntil | None = None) -> Attempt:
        """Nothing is begun. A session that was cut off and cannot go on now is over: what it has
        done comes home, and what it has used is counted."""
        if before is None or before.session is None:
            return Attempt(None, hold)
        result = SessionResult(
            session=before.session,
            outcome=Cancelled(),
            cost_usd=round(before.cost_usd, 6),
            usage=before.usage,
            turns=0,
            duration_s=round(before.seconds, 3),
        )
        self.record_once(f"cut {before.session}", SessionEnded(result))
        return Attempt(result)

    def _tell_gates(self, place: Place, result: SessionResult) -> None:
        """Also of a session that ended right before a crash: told twice, it counts once."""
        for event in self.gates.after_session(result):
            self.record_once(f"{event.type} {place.turn}", event)

    async def _in_turn(self, place: Place, limits: SessionLimits) -> SessionResult:
        before = self.known.turn(place.turn)
        if before is not None:
            limits = left_of(limits, cost_usd=before.cost_usd, seconds=before.seconds)
        self.record_once(f"round {place.turn}", RoundStarted(place.number, place.instruction))
        return await self._converse(place, limits, before)

    async def _converse(
        self, place: Place, limits: SessionLimits, before: Turn | None
    ) -> SessionResult:
        brief = self.briefing.brief(place.instruction, limits)
        prompt = brief.prompt + withheld_prompt(self.worksite.withheld) + place.told
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
        spent = Spent(before.cost_usd, before.usage, before.seconds)
        return await self.driver.run(brief, limits, spent=spent)

    async def bring_home(self, place: Place, before: str) -> Homecoming:
        """Commit and import what the session left; only then are its passes safe.

        `before` is the commit that the last round ended at.
        """
        began = self.driver.clock.monotonic()
        if self.bring is None:
            home = await self.worksite.bring_home(self._message(place.number))
        else:
            home = await self.bring(place, before)
        if home.lost:
            self.board.take_back(home.lost)
        else:
            self.board.settle(home.tip)
        moved = await self.worksite.movement(before, home.tip)
        took_s = round(self.driver.clock.monotonic() - began, 3)
        due = self.verification is not None and self.verification.is_due()
        return Homecoming(home, moved, took_s, await self.look(), due)

    @property
    def baseline(self) -> str:
        """The commit before all work of the run."""
        return self.worksite.snapshot

    async def verify(self, before: str, tip: str, accepted: tuple[str, ...]) -> Verified:
        """Show what the round claims; `before` is the commit that it began at."""
        return await self._verified(lambda proving: proving.after_round(before, tip, accepted))

    async def show_again(self, tips: Tips, accepted: tuple[str, ...]) -> Verified:
        """Show everything that has passed on the work as it is now."""
        return await self._verified(lambda proving: proving.again(tips, accepted))

    async def _verified(self, act: Callable[[Verification], Awaitable[Findings]]) -> Verified:
        if self.verification is None:
            raise AssertionError("nothing was found to be due without it")
        began = self.driver.clock.monotonic()
        findings = await act(self.verification)
        took_s = round(self.driver.clock.monotonic() - began, 3)
        return Verified(findings, took_s, await self.look())

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
