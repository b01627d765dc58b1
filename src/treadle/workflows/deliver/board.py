"""The deliverables of a run: the loop reads them, agents change them with tools."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treadle.domain.agent import Tool
from treadle.domain.check import Check
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    Tally,
    as_pending,
    tally,
    with_valid_proof,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckAdded, CheckFinished, DeliverableGraded
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.domain.ports import Clock, StatusBoard
from treadle.verify.grades.grade import with_grades
from treadle.workflows.deliver.board_calls import BoardCalls, RoundClaims, withdrawal_event
from treadle.workflows.deliver.pass_rules import PASS_AT_ONCE, PassRules
from treadle.workflows.deliver.spec_check_owners import (
    missing_checks,
    owner_of_unmatched_checks,
    with_spec_checks,
)
from treadle.workflows.deliver.status_projection import StatusProjection
from treadle.workflows.loop.deliverable_history import with_check, with_outcome_before
from treadle.workflows.loop.run_history import RunHistory


class DeliverableBoard:
    """Changes are recorded first, then written: status.json is a projection of the log."""

    def __init__(
        self,
        file: StatusBoard,
        record: Callable[[Event], None],
        clock: Clock,
        *,
        rehearsed: bool = False,
        clean: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda arguments: arguments,
        rules: PassRules = PASS_AT_ONCE,
    ) -> None:
        self._rehearsed = rehearsed
        # Ids of deliverables that have passed in this run.
        self._passed_in_run: set[str] = set()
        self._record = record = self._noting_passes(record)
        self._rules = rules
        self._projection = StatusProjection(file, record, clock, rehearsed=rehearsed)
        self._round_claims = RoundClaims()
        self._calls = BoardCalls(self._projection, record, rules, self._round_claims, clean)

    def _noting_passes(self, record: Callable[[Event], None]) -> Callable[[Event], None]:
        def record_and_note(event: Event) -> None:
            record(event)
            if isinstance(event, DeliverableChanged) and event.status == "passed":
                self._passed_in_run.add(event.id)

        return record_and_note

    def open(self) -> None:
        """Start a run with the deliverables in the file."""
        self._projection.open()
        self._add_spec_checks()

    def reopen(self, history: RunHistory) -> None:
        """Continue from the run's log; write what the file lacks."""
        self._projection.reopen(history)
        self._passed_in_run.update(each.id for each in history.changes if each.status == "passed")
        if not history.is_fresh_leg:
            by_id = {d.id: d for d in self.deliverables}
            passed = (by_id[name] for name in history.passed_this_round if name in by_id)
            self._round_claims.passed[:] = passed
        # Claims of an ended leg, too: they are verified before the next session.
        self._round_claims.claimed[:] = history.claimed_this_round
        self._add_spec_checks()

    def _add_spec_checks(self) -> None:
        """Add the checks of the specification to existing deliverables.

        Those that the agent creates later get them on creation.
        """
        if not self.deliverables:
            return
        changed = {d.id: d for d in self.deliverables}
        for deliverable in self.deliverables:
            for check in missing_checks(deliverable, self._rules.spec_checks):
                self._record(CheckAdded(deliverable.id, check))
                changed[deliverable.id] = with_check(changed[deliverable.id], check)
        self._projection.change([d for d in changed.values() if d not in self.deliverables])

    def add_unmatched_checks(self) -> None:
        """Add a deliverable for the checks of the specification that no planned one has.

        Only once the plan is made: until then the planner may still write one for them.
        """
        unmatched = owner_of_unmatched_checks(self.deliverables, self._rules.spec_checks)
        if self.deliverables and unmatched is not None:
            created = self._projection.mark_new(unmatched)
            self._record(DeliverableCreated(created))
            self._projection.change([created])

    @property
    def rehearsed_ids(self) -> tuple[str, ...]:
        """The deliverables in the file that only a rehearsal created; this run ignores them."""
        return self._projection.rehearsed_ids

    @property
    def deliverables(self) -> tuple[Deliverable, ...]:
        return self._projection.deliverables

    @property
    def passed_this_round(self) -> list[Deliverable]:
        """The deliverables that the agent passed or claimed in this round, in order."""
        return self._round_claims.passed

    def tally(self) -> Tally:
        return tally(self.deliverables)

    def has_only_claims(self) -> bool:
        """Whether something has passed in this run, and none of it has a grade above claimed."""
        passed = [d for d in self.deliverables if d.id in self._passed_in_run]
        passed = [d for d in passed if d.status == "passed"]
        return bool(passed) and all(d.proof in (None, "claimed") for d in passed)

    def tools(self) -> tuple[Tool, ...]:
        return self._calls.tools()

    def adopt(self) -> None:
        """Adopt a person's edits of status.json; warn about a broken file."""
        self._projection.adopt()

    def create(self, deliverables: Sequence[Deliverable]) -> None:
        """Create what does not exist yet."""
        new = [d for d in deliverables if self._projection.find(d.id) is None]
        checked = (with_spec_checks(d, self._rules.spec_checks) for d in new)
        created = list(map(self._projection.mark_new, checked))
        for deliverable in created:
            self._record(DeliverableCreated(deliverable))
        self._projection.change(created)

    def accept_checks(self) -> None:
        """Make the checks of agents a person's own: a person said yes to the plan with them."""
        self.adopt()
        accepted = tuple(_with_own_checks(d) for d in self.deliverables)
        self._projection.replace_all(accepted, "plan_accepted")

    def discard_plan(self) -> None:
        """Remove the pending deliverables, because a person wants another plan."""
        self.adopt()
        kept = tuple(d for d in self.deliverables if d.status != "pending")
        self._projection.replace_all(kept, "plan_rejected")

    def begin_round(self) -> None:
        """Clear the claims of the round before."""
        self._round_claims.clear()

    async def reset_missing_passes(self, is_contained: Callable[[str], Awaitable[bool]]) -> None:
        """Reset passes whose work is not contained in the start of this run."""
        invalid = [d for d in self.deliverables if not await self._is_pass_valid(d, is_contained)]
        self._reset_passes(
            invalid, "the work behind the pass is missing here, or was only rehearsed"
        )

    async def _is_pass_valid(
        self, d: Deliverable, is_contained: Callable[[str], Awaitable[bool]]
    ) -> bool:
        if d.status != "passed" or d.claim is None:
            return True
        if d.claim.rehearsed and not self._rehearsed:
            return False
        return bool(d.claim.commit) and await is_contained(d.claim.commit)

    def unblock(self) -> None:
        """Make blocked deliverables pending, because a person wants a retry."""
        blocked = [d for d in self.deliverables if d.status == "blocked"]
        for d in blocked:
            self._record(DeliverableChanged(d.id, d.description, "blocked", "pending"))
        self._projection.change([as_pending(d) for d in blocked])

    def confirm_passes(self, commit: str) -> None:
        """Bind the passes of the round to the commit that holds its work."""
        # A person may have withdrawn a pass meanwhile.
        self.adopt()
        safe = [
            replace(d, claim=replace(d.claim, commit=commit))
            for d in self.deliverables
            if d.claim is not None and not d.claim.commit
        ]
        self._projection.change(safe)

    def withdraw_passes(self, reason: str) -> None:
        """Withdraw the passes and claims of a round that was not imported completely."""
        self.adopt()
        claims = self.claims()
        for deliverable in claims:
            self._record(withdrawal_event(deliverable))
        passed = [d for d in self.deliverables if d.claim and not d.claim.commit]
        self._reset_passes(passed, reason, claims=claims)
        self._round_claims.clear()

    def claims(self) -> tuple[Deliverable, ...]:
        """The claims of this round that are not verified yet, in order."""
        claimed = (self._projection.find(name) for name in self._round_claims.claimed)
        return tuple(d for d in claimed if d is not None and d.status == "pending")

    def drop_claims(self, names: Collection[str]) -> None:
        """Drop claims that failed verification: they stay pending.

        Not recorded, so that a repeated verification of the round gives the same result.
        """
        for name in names:
            self._round_claims.remove_claim(name)

    def pass_deliverable(self, name: str, commit: str, graded: DeliverableGraded) -> None:
        """Pass a verified claim on this commit with its grade."""
        self.adopt()
        self._round_claims.remove_claim(name)
        deliverable = self._projection.find(name)
        if deliverable is None or deliverable.status != "pending":
            return  # a person has changed it, or it was recorded before a crash
        passed = replace(deliverable, status="passed", claim=Claim(commit))
        passed = with_valid_proof(with_grades(passed, graded))
        passed = self._projection.with_rehearsal_mark(passed)
        self._record(
            DeliverableChanged(
                name, deliverable.description, "pending", "passed", passed.proof, commit
            )
        )
        self._projection.change([passed])

    def checks_before_work(self) -> tuple[tuple[str, Check], ...]:
        """Checks of pending deliverables that have not run on the tree before the work."""
        return tuple(
            (d.id, check)
            for d in self.deliverables
            if d.status == "pending"
            for check in d.checks
            if not check.before
        )

    def set_before(self, finished: CheckFinished) -> None:
        """Set how a check ended before the work, if its command is still the same."""
        deliverable = self._projection.find(finished.deliverable)
        if deliverable is not None:
            self._projection.change([with_outcome_before(deliverable, finished)])

    def regrade(self, graded: DeliverableGraded) -> None:
        """Set the grade of a passed deliverable, which is recorded already."""
        deliverable = self._projection.find(graded.id)
        if deliverable is not None and deliverable.status == "passed":
            self._projection.change([with_valid_proof(with_grades(deliverable, graded))])

    def verifiable(self) -> tuple[Deliverable, ...]:
        """Passed deliverables with checks."""
        return tuple(d for d in self.deliverables if d.status == "passed" and d.checks)

    def not_blocked(self) -> tuple[Deliverable, ...]:
        """Deliverables with checks that are not blocked. Where all had passed, a pending one was
        reset by an interrupted attempt at the same step."""
        return tuple(d for d in self.deliverables if d.checks and d.status != "blocked")

    def reset_pass(self, name: str, reason: str) -> None:
        """Make a passed deliverable pending again."""
        deliverable = self._projection.find(name)
        if deliverable is not None and deliverable.status == "passed":
            self._reset_passes([deliverable], reason)

    def _reset_passes(
        self, invalid: Sequence[Deliverable], reason: str, claims: Sequence[Deliverable] = ()
    ) -> None:
        for d in invalid:
            self._record(DeliverableChanged(d.id, d.description, "passed", "pending"))
        if invalid or claims:
            names = ", ".join(d.id for d in (*invalid, *claims))
            self._record(RunWarned(f"pending again, because {reason}: {names}"))
        self._projection.change([as_pending(d) for d in invalid])


def _with_own_checks(deliverable: Deliverable) -> Deliverable:
    """The deliverable with its checks as a person's; they have no results before the work."""
    checks = (
        replace(check, origin="person") if check.origin == "agent" else check
        for check in deliverable.checks
    )
    return replace(deliverable, checks=tuple(checks))
