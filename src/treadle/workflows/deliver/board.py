"""The deliverables of a run, as the loop reads them and agents change them by tools."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treadle.domain.agent import Tool
from treadle.domain.check import BeforeOutcome, Check
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    Proof,
    Tally,
    as_pending,
    tally,
    with_valid_proof,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckAdded
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.domain.ports import Clock, StatusBoard
from treadle.workflows.deliver.board_calls import BoardCalls, RoundClaims, withdrawn
from treadle.workflows.deliver.pass_rules import AT_ONCE, PassRules
from treadle.workflows.deliver.spec_check_owners import missing_checks, owner_of_left_checks
from treadle.workflows.deliver.status_projection import StatusProjection
from treadle.workflows.loop.deliverable_history import with_check
from treadle.workflows.loop.run_history import RunHistory


class DeliverableBoard:
    """Events first, then the file: status.json is a projection, never the truth."""

    def __init__(
        self,
        file: StatusBoard,
        record: Callable[[Event], None],
        clock: Clock,
        *,
        rehearsed: bool = False,
        clean: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda arguments: arguments,
        terms: PassRules = AT_ONCE,
    ) -> None:
        self._rehearsed = rehearsed
        self._record = record
        self._terms = terms
        self._projection = StatusProjection(file, record, clock, rehearsed=rehearsed)
        self._round_claims = RoundClaims()
        self._calls = BoardCalls(self._projection, record, terms, self._round_claims, clean)

    def open(self) -> None:
        """Begin a run with what an earlier one or a person left in the file."""
        self._projection.open()
        self._add_spec_checks()

    def reopen(self, known: RunHistory) -> None:
        """Go on from the run's own log; what was stored there and not written yet is written."""
        self._projection.reopen(known)
        if not known.is_fresh_leg:
            by_id = {d.id: d for d in self.deliverables}
            said = (by_id[name] for name in known.passed_this_round if name in by_id)
            self._round_claims.passed[:] = said
        # Also what a leg that ended had not shown: it is looked at before anybody works on.
        self._round_claims.claimed[:] = known.claimed_this_round
        self._add_spec_checks()

    def _add_spec_checks(self) -> None:
        """What the specification checks is carried, also by deliverables that are older than it.

        Where there are none yet, those that the agent creates will.
        """
        if not self.deliverables:
            return
        changed = {d.id: d for d in self.deliverables}
        for deliverable in self.deliverables:
            for check in missing_checks(deliverable, self._terms.spec_checks):
                self._record(CheckAdded(deliverable.id, check))
                changed[deliverable.id] = with_check(changed[deliverable.id], check)
        self._projection.change([d for d in changed.values() if d not in self.deliverables])
        left = owner_of_left_checks(self.deliverables, self._terms.spec_checks)
        if left is not None:
            made = self._projection.new(left)
            self._record(DeliverableCreated(made))
            self._projection.change([made])

    @property
    def left_out(self) -> tuple[str, ...]:
        """By id what the file holds and only a rehearsal wrote down: none of it is of this run."""
        return self._projection.left_out

    @property
    def deliverables(self) -> tuple[Deliverable, ...]:
        return self._projection.known

    @property
    def passed_this_round(self) -> list[Deliverable]:
        """Those that the agent has said are done, passed at once or claimed, in order."""
        return self._round_claims.passed

    def tally(self) -> Tally:
        return tally(self.deliverables)

    def tools(self) -> tuple[Tool, ...]:
        return self._calls.tools()

    def adopt(self) -> None:
        """Take over what a person wrote into status.json; a broken file is refused by its line."""
        self._projection.adopt()

    def begin_round(self) -> None:
        """What was said in the round before is over, shown or not."""
        self._round_claims.forget()

    async def recheck(self, holds: Callable[[str], Awaitable[bool]]) -> None:
        """Set passes back whose work is not in what this run starts from."""
        lost = [d for d in self.deliverables if not await self._pass_stands(d, holds)]
        self._set_back(lost, "the work behind the pass is missing here, or was only rehearsed")

    async def _pass_stands(self, d: Deliverable, holds: Callable[[str], Awaitable[bool]]) -> bool:
        if d.status != "passed" or d.claim is None:
            return True
        if d.claim.rehearsed and not self._rehearsed:
            return False
        return bool(d.claim.commit) and await holds(d.claim.commit)

    def unblock(self) -> None:
        """A person wants everything tried again: what is blocked becomes pending."""
        blocked = [d for d in self.deliverables if d.status == "blocked"]
        for d in blocked:
            self._record(DeliverableChanged(d.id, d.description, "blocked", "pending"))
        self._projection.change([as_pending(d) for d in blocked])

    def confirm_passes(self, commit: str) -> None:
        """The round's work is safe in this commit, so its passes are, too."""
        # First what a person wrote meanwhile: a pass that they took back is none to settle.
        self.adopt()
        safe = [
            replace(d, claim=replace(d.claim, commit=commit))
            for d in self.deliverables
            if d.claim is not None and not d.claim.commit
        ]
        self._projection.change(safe)

    def withdraw_passes(self, reason: str) -> None:
        """The round's work did not come home whole, so nothing that was said in it stands."""
        self.adopt()
        claims = self.claims()
        for deliverable in claims:
            self._record(withdrawn(deliverable))
        passed = [d for d in self.deliverables if d.claim and not d.claim.commit]
        self._set_back(passed, reason, also=claims)
        self._round_claims.forget()

    def claims(self) -> tuple[Deliverable, ...]:
        """What the agent has claimed in this round and nobody has shown yet, in order."""
        claimed = (self._projection.find(name) for name in self._round_claims.claimed)
        return tuple(d for d in claimed if d is not None and d.status == "pending")

    def drop_claims(self, names: Collection[str]) -> None:
        """These were not shown: they stay pending.

        Not recorded: whoever shows the round's claims once more has to come to the same.
        """
        for name in names:
            self._round_claims.drop(name)

    def pass_deliverable(self, name: str, commit: str, proof: Proof) -> None:
        """What was claimed holds on this commit; it is proven only if its checks can prove it."""
        self.adopt()
        self._round_claims.drop(name)
        found = self._projection.find(name)
        if found is None or found.status != "pending":
            return  # a person has decided meanwhile, or it was recorded before a crash
        passed = replace(found, status="passed", claim=Claim(commit), proof=proof)
        passed = self._projection.marked(with_valid_proof(passed))
        self._record(
            DeliverableChanged(name, found.description, "pending", "passed", passed.proof, commit)
        )
        self._projection.change([passed])

    def checks_to_see_fail(self) -> tuple[tuple[str, Check], ...]:
        """Checks of what is pending that nobody has run on the tree before the work, with ids."""
        return tuple(
            (d.id, check)
            for d in self.deliverables
            if d.status == "pending"
            for check in d.checks
            if not check.before
        )

    def set_before(
        self, name: str, criterion: str, before: BeforeOutcome, *, command: str = ""
    ) -> None:
        """How a check ended before the work, as its evidence in the log says; with `command`, only
        if it is still the same one."""
        found = self._projection.find(name)
        if found is None:
            return
        for check in found.checks:
            if check.criterion == criterion and command in ("", check.command):
                self._projection.change([with_check(found, replace(check, before=before))])

    def reset_check(self, name: str, check: Check) -> None:
        """This check is not any more what was seen to fail: as it is, nobody has looked at it."""
        found = self._projection.find(name)
        if found is None or check not in found.checks:
            return
        unseen = replace(check, before="")
        self._record(CheckAdded(name, unseen))
        self._projection.change([with_check(found, unseen)])

    def verifiable(self) -> tuple[Deliverable, ...]:
        """What has passed and can be shown again, because it has checks."""
        return tuple(d for d in self.deliverables if d.status == "passed" and d.checks)

    def not_blocked(self) -> tuple[Deliverable, ...]:
        """What has checks and is not blocked. Once nothing is pending, a pending one was set back
        by an interrupted attempt at the same step."""
        return tuple(d for d in self.deliverables if d.checks and d.status != "blocked")

    def set_broken(self, name: str, reason: str) -> None:
        """Something that had passed does not hold any more."""
        found = self._projection.find(name)
        self._set_back([found] if found is not None and found.status == "passed" else [], reason)

    def _set_back(
        self, lost: Sequence[Deliverable], why: str, also: Sequence[Deliverable] = ()
    ) -> None:
        for d in lost:
            self._record(DeliverableChanged(d.id, d.description, "passed", "pending"))
        if lost or also:
            names = ", ".join(d.id for d in (*lost, *also))
            self._record(RunWarned(f"pending again, because {why}: {names}"))
        self._projection.change([as_pending(d) for d in lost])
