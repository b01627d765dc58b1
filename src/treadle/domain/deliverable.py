"""Deliverables: the units of done, and the only ways their status can change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import Check

Status = Literal["pending", "passed", "blocked"]

# Every pass is claimed until Treadle itself has run a check for it.
Proof = Literal["claimed", "proven"]


@dataclass(frozen=True, slots=True)
class Claim:
    """Where the work behind a pass is: empty until its round's commits are safe."""

    commit: str = ""
    rehearsed: bool = False


@dataclass(frozen=True, slots=True)
class Deliverable:
    id: str
    description: str
    acceptance_criteria: tuple[str, ...]
    status: Status = "pending"
    # Of a pass only; a person's own pass has none and is taken at their word.
    claim: Claim | None = None
    # At most one for each criterion; a criterion without one can only be claimed.
    checks: tuple[Check, ...] = ()
    # Of a pass only: whether Treadle itself has shown it.
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many deliverables there are of each kind."""

    passed: int = 0
    blocked: int = 0
    total: int = 0

    @property
    def pending(self) -> int:
        return self.total - self.passed - self.blocked

    @property
    def all_achievable_passed(self) -> bool:
        return self.passed > 0 and self.pending == 0

    @property
    def all_blocked(self) -> bool:
        return self.total > 0 and self.blocked == self.total


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a change was not made, in words the agent can act on."""

    reason: str


def tally(deliverables: Sequence[Deliverable]) -> Tally:
    return Tally(
        passed=sum(d.status == "passed" for d in deliverables),
        blocked=sum(d.status == "blocked" for d in deliverables),
        total=len(deliverables),
    )


def create(
    existing: Sequence[Deliverable], new: Sequence[Deliverable]
) -> tuple[Deliverable, ...] | Refused:
    """All of `new` behind `existing`, or none of them."""
    if not new:
        return Refused("No deliverables were given: pass at least one.")
    known = {d.id for d in existing}
    for deliverable in new:
        if problem := _flaw(deliverable, known):
            return Refused(problem)
        known.add(deliverable.id)
    return (*existing, *(replace(d, status="pending", claim=None) for d in new))


def _flaw(deliverable: Deliverable, known: set[str]) -> str | None:
    if not deliverable.id.strip():
        return "A deliverable needs an id, for example DL-001."
    if deliverable.id in known:
        return f"Deliverable {deliverable.id} already exists: choose another id."
    if not deliverable.description.strip():
        return f"Deliverable {deliverable.id} needs a description."
    criteria = deliverable.acceptance_criteria
    if not criteria or not all(c.strip() for c in criteria):
        return f"Deliverable {deliverable.id} needs acceptance criteria, none of them empty."
    return None


def set_status(
    existing: Sequence[Deliverable], deliverable_id: str, status: Status
) -> tuple[Deliverable, ...] | Refused:
    """The list with one status changed; between passed and blocked the way is through pending."""
    found = next((d for d in existing if d.id == deliverable_id), None)
    if found is None:
        names = ", ".join(d.id for d in existing) or "none yet"
        return Refused(f"Deliverable {deliverable_id} not found. Known ids: {names}.")
    if found.status == status:
        return Refused(f"Deliverable {deliverable_id} is {status} already.")
    if "pending" not in (found.status, status):
        return Refused(
            f"Deliverable {deliverable_id} is {found.status}: it cannot become {status} directly. "
            "Set it to pending first if the situation has really changed."
        )
    claim = Claim() if status == "passed" else None
    changed = replace(found, status=status, claim=claim)
    return tuple(changed if d is found else d for d in existing)
