"""Answers an agent's calls of the deliverable tools."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.check import Check, Grade
from treadle.domain.deliverable import (
    Deliverable,
    DeliverableStatus,
    RejectedChange,
    add_deliverables,
    as_pending,
    set_status,
    tally,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckAdded, ClaimRefused, DeliverableClaimed
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.verify.grades.grade import claimed_criteria
from treadle.workflows.deliver.board_limits import LONGEST_TEXT, find_excess
from treadle.workflows.deliver.board_tools import (
    ADD_CHECK,
    CREATE,
    LIST,
    SET_STATUS,
    deliverable_entries,
    parse_check,
    parse_deliverables,
    resolve_check,
)
from treadle.workflows.deliver.pass_rules import PassRules, claim_reply, decide_claim
from treadle.workflows.deliver.spec_check_owners import with_spec_checks
from treadle.workflows.deliver.status_projection import StatusProjection
from treadle.workflows.loop.deliverable_history import with_check


@dataclass(slots=True)
class RoundClaims:
    """What the agent passed or claimed in the current round; the ids of its open claims, and of
    its refused ones."""

    passed: list[Deliverable] = field(default_factory=list)
    claimed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def clear(self) -> None:
        self.passed.clear()
        self.claimed.clear()
        self.refused.clear()

    def remove(self, name: str) -> None:
        self.passed[:] = [d for d in self.passed if d.id != name]
        self.remove_claim(name)

    def remove_claim(self, name: str) -> None:
        self.claimed[:] = [each for each in self.claimed if each != name]


@dataclass(frozen=True, slots=True)
class BoardCalls:
    """The tools of one run's board."""

    projection: StatusProjection
    record: Callable[[Event], None]
    rules: PassRules
    claims: RoundClaims
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool(call=self._create, **CREATE),
            Tool(call=self._add_check, **ADD_CHECK),
            Tool(call=self._set_status, **SET_STATUS),
            Tool(call=self._list, **LIST),
        )

    async def _create(self, arguments: Mapping[str, Any]) -> ToolReply:
        parsed = parse_deliverables(self.clean(arguments))
        if isinstance(parsed, RejectedChange):
            return ToolReply(parsed.reason, is_error=True)
        if excess := find_excess((), parsed):
            return ToolReply(excess.reason, is_error=True)
        requested = tuple(with_spec_checks(d, self.rules.spec_checks) for d in parsed)
        # First, because the deliverables may change while this waits.
        refusal = await self._find_refusal([check for d in requested for check in d.checks])
        self.projection.adopt()
        # An interrupted agent repeats a call whose reply it never got.
        new = tuple(d for d in requested if not self._exists(d))
        if requested and not new:
            return ToolReply("They were created already.")
        if excess := find_excess(self.projection.deliverables, new):
            return ToolReply(excess.reason, is_error=True)
        if refusal:
            return ToolReply(refusal, is_error=True)
        after = add_deliverables(self.projection.deliverables, new)
        if isinstance(after, RejectedChange):
            return ToolReply(after.reason, is_error=True)
        created = tuple(map(self.projection.mark_new, new))
        for deliverable in created:
            self.record(DeliverableCreated(deliverable))
        self.projection.change(created)
        return ToolReply(f"Created {len(new)}: {', '.join(d.id for d in new)}.")

    def _exists(self, requested: Deliverable) -> bool:
        """Whether it was created already; it may have got a status and checks since."""
        present = self.projection.find(requested.id)
        if present is None:
            return False
        commands = {check.criterion: check.command for check in present.checks}
        return (
            requested.description == present.description
            and requested.acceptance_criteria == present.acceptance_criteria
            and all(commands.get(check.criterion) == check.command for check in requested.checks)
        )

    async def _find_refusal(self, checks: Sequence[Check]) -> str:
        """Why one of the agent's checks is refused; empty if none is."""
        for check in checks:
            if check.origin != "agent":
                continue
            if reason := await self._why_not_run(check.command):
                return _refusal_text(check, reason)
        return ""

    async def _why_not_run(self, command: str) -> str:
        """In a thread, because the decision may start a program."""
        return await asyncio.to_thread(self.rules.why_not_run, command)

    async def _add_check(self, arguments: Mapping[str, Any]) -> ToolReply:
        parsed = parse_check(self.clean(arguments))
        if isinstance(parsed, RejectedChange):
            return ToolReply(parsed.reason, is_error=True)
        if len(parsed.command) > LONGEST_TEXT:
            return ToolReply(f"A check may have {LONGEST_TEXT:,} characters.", is_error=True)
        reason = await self._why_not_run(parsed.command)
        self.projection.adopt()
        resolved = resolve_check(parsed, self.projection.deliverables)
        if isinstance(resolved, RejectedChange):
            return ToolReply(resolved.reason, is_error=True)
        deliverable, check = resolved
        reply = ToolReply(f"{deliverable.id} has this check now: {check.command}")
        if any(each.criterion == check.criterion for each in deliverable.checks):
            return reply
        if reason:
            return ToolReply(_refusal_text(check, reason), is_error=True)
        changed = with_check(deliverable, check)
        others = [d for d in self.projection.deliverables if d.id != deliverable.id]
        if excess := find_excess(others, [changed]):
            return ToolReply(excess.reason, is_error=True)
        self.record(CheckAdded(deliverable.id, check))
        self.projection.change([changed])
        return reply

    async def _set_status(self, arguments: Mapping[str, Any]) -> ToolReply:
        name, status = arguments.get("deliverableId"), arguments.get("status")
        if not isinstance(name, str):
            return ToolReply("`deliverableId` must be a string.", is_error=True)
        if status not in get_args(DeliverableStatus):
            return ToolReply(
                f"Unknown status {status!r}: use pending, passed or blocked.", is_error=True
            )
        self.projection.adopt()
        deliverable = self.projection.find(name)
        is_claimed = name in self.claims.claimed
        if deliverable is not None and status == deliverable.status == "pending" and is_claimed:
            return self._withdraw(deliverable)
        after = set_status(self.projection.deliverables, name, cast("DeliverableStatus", status))
        if isinstance(after, RejectedChange):
            return ToolReply(after.reason, is_error=True)
        changed = next(d for d in after if d.id == name)
        if status == "passed":
            return self._claim(changed)
        return self._change(changed)

    def _claim(self, changed: Deliverable) -> ToolReply:
        timing = decide_claim(changed, self.rules)
        if isinstance(timing, RejectedChange):
            return self._refuse(changed, timing)
        if timing == "at_once":
            return self._change(changed)
        if changed.id not in self.claims.claimed:
            self.record(DeliverableClaimed(changed.id, changed.description))
            self.claims.claimed.append(changed.id)
            self.claims.passed.append(as_pending(changed))
        return ToolReply(f"{claim_reply(changed, self.rules)} {self._tally_text()}")

    def _refuse(self, changed: Deliverable, rejection: RejectedChange) -> ToolReply:
        """Recorded once per round, however often the agent tries."""
        if changed.id not in self.claims.refused:
            unchecked = len(claimed_criteria(changed))
            self.record(ClaimRefused(changed.id, changed.description, 0, unchecked))
            self.claims.refused.append(changed.id)
        return ToolReply(rejection.reason, is_error=True)

    def _withdraw(self, deliverable: Deliverable) -> ToolReply:
        self.record(withdrawal_event(deliverable))
        self.claims.remove(deliverable.id)
        return ToolReply(f"{deliverable.id} is not claimed any more. {self._tally_text()}")

    def _change(self, changed: Deliverable) -> ToolReply:
        name, status = changed.id, changed.status
        before = next(d for d in self.projection.deliverables if d.id == name)
        proof: Grade | None = "claimed" if status == "passed" else None
        self.record(DeliverableChanged(name, before.description, before.status, status, proof))
        self.claims.remove(name)
        if status == "passed":
            self.claims.passed.append(before)
        self.projection.change([self.projection.with_rehearsal_mark(changed)])
        return ToolReply(f"{name} is {status} now. {self._tally_text()}")

    async def _list(self, arguments: Mapping[str, Any]) -> ToolReply:
        self.projection.adopt()
        entries = deliverable_entries(self.projection.deliverables, claimed=self.claims.claimed)
        return ToolReply(json.dumps(entries, ensure_ascii=False, indent=1))

    def _tally_text(self) -> str:
        counts = tally(self.projection.deliverables)
        return f"{counts.passed} passed, {counts.blocked} blocked, {counts.pending} pending."


def withdrawal_event(deliverable: Deliverable) -> DeliverableChanged:
    """The event that records the withdrawal of a claim."""
    return DeliverableChanged(deliverable.id, deliverable.description, "pending", "pending")


def _refusal_text(check: Check, reason: str) -> str:
    return f"Treadle does not run the check for {check.criterion!r}: {reason}"
