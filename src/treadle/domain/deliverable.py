"""Deliverables, the units of completed work, and the only ways their status can change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import Check, Grade, lowest_grade

DeliverableStatus = Literal["pending", "passed", "blocked"]

# A longer line is a program, and belongs in a file.
LONGEST_COMMAND = 8_000


@dataclass(frozen=True, slots=True)
class Claim:
    """The commit of the work behind a pass; empty until the round's commits are imported."""

    commit: str = ""
    rehearsed: bool = False


@dataclass(frozen=True, slots=True)
class Deliverable:
    id: str
    description: str
    acceptance_criteria: tuple[str, ...]
    status: DeliverableStatus = "pending"
    # Only for a pass; a pass set by a person has none.
    claim: Claim | None = None
    # At most one per criterion; a criterion without a check can only be claimed.
    checks: tuple[Check, ...] = ()
    # Only for a pass: its grade.
    proof: Grade | None = None
    # Created by a rehearsal script; runs with a real model ignore it.
    rehearsed: bool = False
    # Why the grade is lower than that of the checks, in one line; empty if it is not.
    why: str = ""

    @property
    def grade_by_checks(self) -> Grade:
        """The lowest grade of all criteria; one without a check is claimed."""
        grades: dict[str, Grade] = {check.criterion: check.grade for check in self.checks}
        return lowest_grade(grades.get(text, "claimed") for text in self.acceptance_criteria)


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of deliverables by status."""

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
class RejectedChange:
    """Why a change was not made, worded for the agent."""

    reason: str


def tally(deliverables: Sequence[Deliverable]) -> Tally:
    return Tally(
        passed=sum(d.status == "passed" for d in deliverables),
        blocked=sum(d.status == "blocked" for d in deliverables),
        total=len(deliverables),
    )


def add_deliverables(
    existing: Sequence[Deliverable], new: Sequence[Deliverable]
) -> tuple[Deliverable, ...] | RejectedChange:
    """Append all of `new` to `existing`, or none."""
    if not new:
        return RejectedChange("No deliverables were given: pass at least one.")
    known = {d.id for d in existing}
    for deliverable in new:
        if problem := _find_problem(deliverable, known):
            return RejectedChange(problem)
        known.add(deliverable.id)
    return (*existing, *(as_pending(d) for d in new))


def as_pending(deliverable: Deliverable) -> Deliverable:
    """The deliverable as pending, without claim and proof."""
    checks = tuple(replace(check, pinned="", why="") for check in deliverable.checks)
    return replace(deliverable, status="pending", claim=None, proof=None, checks=checks, why="")


def with_valid_proof(deliverable: Deliverable) -> Deliverable:
    """The deliverable with no higher grade than its checks give: they may have been edited."""
    if deliverable.status != "passed":
        return replace(deliverable, claim=None, proof=None, why="")
    proof = lowest_grade((deliverable.proof or "claimed", deliverable.grade_by_checks))
    return replace(deliverable, proof=proof)


def with_known_grades(deliverable: Deliverable) -> Deliverable:
    """The deliverable as its grade was recorded: versions without pinned trees stored only that a
    pass is proven."""
    if deliverable.proof != "proven" or any(check.pinned for check in deliverable.checks):
        return deliverable
    checks = tuple(
        replace(check, pinned="passed") if check.before == "failed" else check
        for check in deliverable.checks
    )
    return replace(deliverable, checks=checks)


def find_check_problem(criteria: Sequence[str], checks: Sequence[Check]) -> str | None:
    """What is wrong with the checks of a deliverable with these criteria, or None."""
    criteria_seen: set[str] = set()
    for check in checks:
        if check.criterion not in criteria:
            return f"a check is for {check.criterion!r}, which is not an acceptance criterion"
        if check.criterion in criteria_seen:
            return f"there are two checks for {check.criterion!r}: a criterion has one at most"
        if problem := find_command_problem(check.command):
            return f"the check for {check.criterion!r} {problem}"
        criteria_seen.add(check.criterion)
    return None


def find_command_problem(command: str) -> str | None:
    """Why this line cannot be a check's command, or None."""
    if not command.strip():
        return "has an empty command"
    if "\0" in command:
        return "has a zero byte in its command"
    if len(command) > LONGEST_COMMAND:
        return f"is longer than {LONGEST_COMMAND} characters: make it a script of the project"
    return None


def _find_problem(deliverable: Deliverable, known: set[str]) -> str | None:
    if not deliverable.id.strip():
        return "A deliverable needs an id, for example DL-001."
    if deliverable.id in known:
        return f"Deliverable {deliverable.id} already exists: choose another id."
    if not deliverable.description.strip():
        return f"Deliverable {deliverable.id} needs a description."
    criteria = deliverable.acceptance_criteria
    if not criteria or not all(c.strip() for c in criteria):
        return f"Deliverable {deliverable.id} needs acceptance criteria, none of them empty."
    if problem := find_check_problem(criteria, deliverable.checks):
        return f"Deliverable {deliverable.id}: {problem}."
    return None


def set_status(
    existing: Sequence[Deliverable], deliverable_id: str, status: DeliverableStatus
) -> tuple[Deliverable, ...] | RejectedChange:
    """Change one status; passed and blocked can only change to pending."""
    deliverable = next((d for d in existing if d.id == deliverable_id), None)
    if deliverable is None:
        names = ", ".join(d.id for d in existing) or "none yet"
        return RejectedChange(f"Deliverable {deliverable_id} not found. Known ids: {names}.")
    if deliverable.status == status:
        return RejectedChange(f"Deliverable {deliverable_id} is {status} already.")
    if "pending" not in (deliverable.status, status):
        return RejectedChange(
            f"Deliverable {deliverable_id} is {deliverable.status}: it cannot become {status}"
            " directly. Set it to pending first if the situation has really changed."
        )
    changed = replace(as_pending(deliverable), status=status)
    if status == "passed":
        changed = replace(changed, claim=Claim(), proof="claimed")
    return tuple(changed if d is deliverable else d for d in existing)
