"""Answers an agent's calls of the deliverable tools."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.check import Check
from treadle.domain.deliverable import (
    Deliverable,
    DeliverableStatus,
    Proof,
    RejectedChange,
    add_deliverables,
    as_pending,
    set_status,
    tally,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckAdded, ClaimRefused, DeliverableClaimed
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated
from treadle.verify.proof import claimed_criteria
from treadle.workflows.deliver.board_tools import (
    ADD_CHECK,
    CREATE,
    LIST,
    SET_STATUS,
    given_check,
    given_deliverables,
    listed,
    wanted_check,
)
from treadle.workflows.deliver.pass_rules import PassRules, claim_reply, decide_claim
from treadle.workflows.deliver.spec_check_owners import owner_of_left_checks, with_spec_checks
from treadle.workflows.deliver.status_projection import StatusProjection
from treadle.workflows.loop.deliverable_history import with_check


@dataclass(slots=True)
class RoundClaims:
    """What the agent has said in the round that runs: passed or claimed, and of that claimed;
    and by id what its word was not taken for."""

    passed: list[Deliverable] = field(default_factory=list)
    claimed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def forget(self) -> None:
        self.passed.clear()
        self.claimed.clear()
        self.refused.clear()

    def take_back(self, name: str) -> None:
        self.passed[:] = [d for d in self.passed if d.id != name]
        self.drop(name)

    def drop(self, name: str) -> None:
        self.claimed[:] = [each for each in self.claimed if each != name]


@dataclass(frozen=True, slots=True)
class BoardCalls:
    """The tools of one run's board."""

    projection: StatusProjection
    record: Callable[[Event], None]
    terms: PassRules
    word: RoundClaims
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool(call=self._create, **CREATE),
            Tool(call=self._add_check, **ADD_CHECK),
            Tool(call=self._set_status, **SET_STATUS),
            Tool(call=self._list, **LIST),
        )

    async def _create(self, arguments: Mapping[str, Any]) -> ToolReply:
        given = given_deliverables(self.clean(arguments))
        if isinstance(given, RejectedChange):
            return ToolReply(given.reason, is_error=True)
        asked = tuple(with_spec_checks(d, self.terms.spec_checks) for d in given)
        # First: what is known of the deliverables must not change while it is acted on.
        barred = await self._barred([check for d in asked for check in d.checks])
        self.projection.adopt()
        # An agent that was cut off asks again for what it never saw an answer to.
        new = tuple(d for d in asked if not self._has(d))
        if asked and not new:
            return ToolReply("They were created already.")
        if barred:
            return ToolReply(barred, is_error=True)
        after = add_deliverables(self.projection.known, new)
        if isinstance(after, RejectedChange):
            return ToolReply(after.reason, is_error=True)
        left = owner_of_left_checks(after, self.terms.spec_checks)
        made = tuple(map(self.projection.new, new if left is None else (*new, left)))
        for deliverable in made:
            self.record(DeliverableCreated(deliverable))
        self.projection.change(made)
        return ToolReply(_created(new, left))

    def _has(self, asked: Deliverable) -> bool:
        """Whether it is there, whatever became of it; it may have got checks since."""
        known = self.projection.find(asked.id)
        if known is None:
            return False
        commands = {check.criterion: check.command for check in known.checks}
        return (
            asked.description == known.description
            and asked.acceptance_criteria == known.acceptance_criteria
            and all(commands.get(check.criterion) == check.command for check in asked.checks)
        )

    async def _barred(self, checks: Sequence[Check]) -> str:
        """Why one of the agent's own is not taken; empty if all are."""
        for check in checks:
            if check.origin != "agent":
                continue
            if reason := await self._why_not_run(check.command):
                return _not_run(check, reason)
        return ""

    async def _why_not_run(self, command: str) -> str:
        """In a thread, as every line of an agent is judged: that may start a program."""
        return await asyncio.to_thread(self.terms.why_not_run, command)

    async def _add_check(self, arguments: Mapping[str, Any]) -> ToolReply:
        given = given_check(self.clean(arguments))
        if isinstance(given, RejectedChange):
            return ToolReply(given.reason, is_error=True)
        reason = await self._why_not_run(given.command)
        self.projection.adopt()
        found = wanted_check(given, self.projection.known)
        if isinstance(found, RejectedChange):
            return ToolReply(found.reason, is_error=True)
        deliverable, check = found
        reply = ToolReply(f"{deliverable.id} has this check now: {check.command}")
        if any(each.criterion == check.criterion for each in deliverable.checks):
            return reply
        if reason:
            return ToolReply(_not_run(check, reason), is_error=True)
        self.record(CheckAdded(deliverable.id, check))
        self.projection.change([with_check(deliverable, check)])
        return reply

    async def _set_status(self, arguments: Mapping[str, Any]) -> ToolReply:
        name, given = arguments.get("deliverableId"), arguments.get("status")
        if not isinstance(name, str):
            return ToolReply("`deliverableId` must be a text.", is_error=True)
        if given not in get_args(DeliverableStatus):
            return ToolReply(
                f"Unknown status {given!r}: use pending, passed or blocked.", is_error=True
            )
        self.projection.adopt()
        found = self.projection.find(name)
        if found is not None and given == found.status == "pending" and name in self.word.claimed:
            return self._withdraw(found)
        status = cast("DeliverableStatus", given)
        after = set_status(self.projection.known, name, status)
        if isinstance(after, RejectedChange):
            return ToolReply(after.reason, is_error=True)
        changed = next(d for d in after if d.id == name)
        if status == "passed":
            return self._say_done(changed)
        return self._change(changed)

    def _say_done(self, changed: Deliverable) -> ToolReply:
        when = decide_claim(changed, self.terms)
        if isinstance(when, RejectedChange):
            return self._refuse(changed, when)
        if when == "at_once":
            return self._change(changed)
        if changed.id not in self.word.claimed:
            self.record(DeliverableClaimed(changed.id, changed.description))
            self.word.claimed.append(changed.id)
            self.word.passed.append(as_pending(changed))
        return ToolReply(f"{claim_reply(changed, self.terms)} {self._left()}")

    def _refuse(self, changed: Deliverable, refused: RejectedChange) -> ToolReply:
        """Said once in a round, however often the agent tries."""
        if changed.id not in self.word.refused:
            unchecked = len(claimed_criteria(changed))
            self.record(ClaimRefused(changed.id, changed.description, 0, unchecked))
            self.word.refused.append(changed.id)
        return ToolReply(refused.reason, is_error=True)

    def _withdraw(self, found: Deliverable) -> ToolReply:
        self.record(withdrawn(found))
        self.word.take_back(found.id)
        return ToolReply(f"{found.id} is not claimed any more. {self._left()}")

    def _change(self, changed: Deliverable) -> ToolReply:
        name, status = changed.id, changed.status
        before = next(d for d in self.projection.known if d.id == name)
        proof: Proof | None = "claimed" if status == "passed" else None
        self.record(DeliverableChanged(name, before.description, before.status, status, proof))
        self.word.take_back(name)
        if status == "passed":
            self.word.passed.append(before)
        self.projection.change([self.projection.marked(changed)])
        return ToolReply(f"{name} is {status} now. {self._left()}")

    async def _list(self, arguments: Mapping[str, Any]) -> ToolReply:
        self.projection.adopt()
        entries = listed(self.projection.known, claimed=self.word.claimed)
        return ToolReply(json.dumps(entries, ensure_ascii=False, indent=1))

    def _left(self) -> str:
        now = tally(self.projection.known)
        return f"{now.passed} passed, {now.blocked} blocked, {now.pending} pending."


def withdrawn(deliverable: Deliverable) -> DeliverableChanged:
    """How the log is told that a claim does not stand any more."""
    return DeliverableChanged(deliverable.id, deliverable.description, "pending", "pending")


def _not_run(check: Check, reason: str) -> str:
    return f"Treadle does not run the check for {check.criterion!r}: {reason}"


def _created(new: Sequence[Deliverable], left: Deliverable | None) -> str:
    told = f"Created {len(new)}: {', '.join(d.id for d in new)}."
    if left is None:
        return told
    return (
        f"{told} Treadle added {left.id} for the checks of the specification whose text is no "
        "criterion of yours."
    )
