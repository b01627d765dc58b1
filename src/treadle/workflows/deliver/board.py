"""The deliverables of a run: the tools that change them, and status.json kept in step."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    Proof,
    Refused,
    Status,
    Tally,
    create,
    set_status,
    tally,
)
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import DeliverableChanged, DeliverableCreated, StatusAdopted
from treadle.domain.ports import Clock, StatusBoard
from treadle.workflows.deliver.board_tools import CREATE, LIST, SET_STATUS, given_deliverables
from treadle.workflows.deliver.recollection import Recollection


class Board:
    """Events first, then the file: status.json is a projection, never the truth."""

    def __init__(
        self,
        file: StatusBoard,
        record: Callable[[Event], None],
        clock: Clock,
        *,
        rehearsed: bool = False,
        clean: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda arguments: arguments,
    ) -> None:
        self._rehearsed = rehearsed
        self._clean = clean
        self._file = file
        self._record = record
        self._clock = clock
        self._warned = ""
        self._known: tuple[Deliverable, ...] = ()
        # Changes that the log has and the file does not have yet.
        self._unsaved: tuple[Deliverable, ...] = ()
        self.passed_this_round: list[Deliverable] = []

    def open(self) -> None:
        """Begin a run with what an earlier one or a person left in the file."""
        self._known = self._file.read()
        if self._known:
            self._record(StatusAdopted(self._known, "earlier_run"))

    def reopen(self, known: Recollection) -> None:
        """Go on from the run's own log; what was stored there and not written yet is written."""
        try:
            found = self._file.read()
        except ProjectError as error:
            self._warn(error, "going on from the last valid state")
            found = ()
        if known.is_fresh_leg:
            # The run had ended and all was written: what differs now is a person's.
            self._known = known.deliverables
            self._take_over(found or known.deliverables)
            return
        self._unsaved = tuple(self._claimed(d) for d in unsaved(found, known))
        self._known = known.deliverables
        self._take_over(found or known.deliverables)
        by_id = {d.id: d for d in self._known}
        names = known.passed_this_round
        self.passed_this_round = [by_id[name] for name in names if name in by_id]
        if self._unsaved:
            self._save()

    @property
    def deliverables(self) -> tuple[Deliverable, ...]:
        return self._known

    def tally(self) -> Tally:
        return tally(self._known)

    def adopt(self) -> None:
        """Take over what a person wrote into status.json; a broken file is refused by its line."""
        if self._unsaved:
            self._save()
            return
        try:
            self._take_over(self._file.read())
        except ProjectError as error:
            self._warn(error, "going on from the last valid state")

    async def recheck(self, holds: Callable[[str], Awaitable[bool]]) -> None:
        """Set passes back whose work is not in what this run starts from."""
        lost = [d for d in self._known if not await self._stands(d, holds)]
        self._set_back(lost, "the work behind the pass is missing here, or was only rehearsed")

    def unblock(self) -> None:
        """A person wants everything tried again: what is blocked becomes pending."""
        blocked = [d for d in self._known if d.status == "blocked"]
        for d in blocked:
            self._record(DeliverableChanged(d.id, d.description, "blocked", "pending"))
        if blocked:
            pending = [replace(d, status="pending") for d in blocked]
            self._change(with_changes(self._known, pending), pending)

    def _set_back(self, lost: Sequence[Deliverable], why: str) -> None:
        for deliverable in lost:
            self._record(
                DeliverableChanged(deliverable.id, deliverable.description, "passed", "pending")
            )
        if lost:
            names = ", ".join(d.id for d in lost)
            self._record(RunWarned(f"pending again, because {why}: {names}"))
            pending = [replace(d, status="pending", claim=None) for d in lost]
            self._change(with_changes(self._known, pending), pending)

    async def _stands(self, d: Deliverable, holds: Callable[[str], Awaitable[bool]]) -> bool:
        if d.status != "passed" or d.claim is None:
            return True
        if d.claim.rehearsed and not self._rehearsed:
            return False
        return bool(d.claim.commit) and await holds(d.claim.commit)

    def settle(self, commit: str) -> None:
        """The round's work is safe in this commit, so its passes are, too."""
        # First what a person wrote meanwhile: a pass that they took back is none to settle.
        self.adopt()
        safe = [
            replace(d, claim=replace(d.claim, commit=commit))
            for d in self._known
            if d.claim is not None and not d.claim.commit
        ]
        if safe:
            self._change(with_changes(self._known, safe), safe)

    def take_back(self, reason: str) -> None:
        """The round's work did not come home whole, so none of its passes stands."""
        self.adopt()
        self._set_back([d for d in self._known if d.claim and not d.claim.commit], reason)
        self.passed_this_round.clear()

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool(call=self._create, **CREATE),
            Tool(call=self._set_status, **SET_STATUS),
            Tool(call=self._list, **LIST),
        )

    async def _create(self, arguments: Mapping[str, Any]) -> ToolReply:
        new = given_deliverables(self._clean(arguments))
        if isinstance(new, Refused):
            return ToolReply(new.reason, is_error=True)
        self.adopt()
        # An agent that was cut off asks again for what it never saw an answer to.
        known, asked = self._asked_for(), new
        new = tuple(d for d in asked if d not in known)
        if asked and not new:
            return ToolReply("They were created already.")
        after = create(self._known, new)
        if isinstance(after, Refused):
            return ToolReply(after.reason, is_error=True)
        for deliverable in new:
            self._record(DeliverableCreated(deliverable))
        self._change(after, new)
        return ToolReply(f"Created {len(new)}: {', '.join(d.id for d in new)}.")

    async def _set_status(self, arguments: Mapping[str, Any]) -> ToolReply:
        name, given = str(arguments.get("deliverableId", "")), arguments.get("status")
        if given not in get_args(Status):
            return ToolReply(
                f"Unknown status {given!r}: use pending, passed or blocked.", is_error=True
            )
        status = cast("Status", given)
        self.adopt()
        after = set_status(self._known, name, status)
        if isinstance(after, Refused):
            return ToolReply(after.reason, is_error=True)
        before = next(d for d in self._known if d.id == name)
        proof: Proof | None = "claimed" if status == "passed" else None
        self._record(DeliverableChanged(name, before.description, before.status, status, proof))
        self.passed_this_round = [d for d in self.passed_this_round if d.id != name]
        if status == "passed":
            self.passed_this_round.append(before)
        changed = [self._claimed(d) for d in after if d.id == name]
        self._change(with_changes(after, changed), changed)
        return ToolReply(f"{name} is {status} now. {self._left()}")

    async def _list(self, arguments: Mapping[str, Any]) -> ToolReply:
        self.adopt()
        return ToolReply(json.dumps(listed(self._known), ensure_ascii=False, indent=1))

    def _asked_for(self) -> tuple[Deliverable, ...]:
        return tuple(replace(d, status="pending", claim=None) for d in self._known)

    def _claimed(self, d: Deliverable) -> Deliverable:
        return d if d.claim is None else replace(d, claim=Claim(rehearsed=self._rehearsed))

    def _left(self) -> str:
        now = self.tally()
        return f"{now.passed} passed, {now.blocked} blocked, {now.pending} pending."

    def _change(self, after: tuple[Deliverable, ...], changed: Sequence[Deliverable]) -> None:
        self._known = after
        self._unsaved = (*self._unsaved, *changed)
        self._save()

    def _save(self) -> None:
        """Bring the file up to the log. One that takes no writes is tried again the next time."""
        try:
            while not self._file.write(self._known, today=self._clock.now().date().isoformat()):
                # Somebody saved the file in this very moment.
                self._take_over(self._file.read())
        except ProjectError as error:
            self._warn(error, "going on without it")
        else:
            self._unsaved = ()

    def _take_over(self, found: tuple[Deliverable, ...]) -> None:
        after = with_changes(found, self._unsaved)
        edited = unclaimed(after) != unclaimed(self._known)
        self._known = after
        if edited:
            self._record(StatusAdopted(after, "hand_edit"))

    def _warn(self, error: ProjectError, consequence: str) -> None:
        if error.message != self._warned:
            self._warned = error.message
            self._record(RunWarned(f"{error.message}; {consequence}"))


def with_changes(
    found: Sequence[Deliverable], changed: Sequence[Deliverable]
) -> tuple[Deliverable, ...]:
    """A person's list with our statuses in it; what is not in it comes behind."""
    ours = {d.id: d for d in changed}
    theirs = {d.id for d in found}
    return (
        *(
            replace(d, status=ours[d.id].status, claim=ours[d.id].claim) if d.id in ours else d
            for d in found
        ),
        *(d for d in ours.values() if d.id not in theirs),
    )


def unsaved(found: Sequence[Deliverable], known: Recollection) -> tuple[Deliverable, ...]:
    """What the log has and the file has not: a change whose `previous` is what the file says.

    Any other difference is a person's edit, which stands.
    """
    there = {d.id: d for d in found}
    last = {change.id: change for change in known.changes}
    missing = []
    for deliverable in known.deliverables:
        before = there.get(deliverable.id)
        if before is None:
            missing.append(deliverable)
        elif (change := last.get(deliverable.id)) is not None and (
            before.status == change.previous and before.status != deliverable.status
        ):
            claim = Claim() if deliverable.status == "passed" else None
            missing.append(replace(before, status=deliverable.status, claim=claim))
    return tuple(missing)


def unclaimed(deliverables: Sequence[Deliverable]) -> tuple[Deliverable, ...]:
    """The deliverables as people edit them: where the work behind a pass is, is not theirs."""
    return tuple(replace(d, claim=None) for d in deliverables)


def listed(deliverables: Sequence[Deliverable]) -> list[dict[str, Any]]:
    """The deliverables as the agent reads them."""
    return [
        {
            "id": d.id,
            "description": d.description,
            "acceptanceCriteria": list(d.acceptance_criteria),
            "status": d.status,
        }
        for d in deliverables
    ]
