"""Adds, accepts and removes checks of deliverables on behalf of a person. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, find_command_problem, with_valid_proof
from treadle.verify.checks.spec_checks import fold_text
from treadle.verify.grades.grade import without_author

_NOT_PINNED = "it was not seen to pass with your own tests"
_LIST = "see them with `treadle check list`"
_LONGEST = 60
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class CheckEdit:
    """The deliverables after an edit, and the edited one as it was before.

    `check` was added or removed; `previous` is the check that it replaced.
    """

    deliverables: tuple[Deliverable, ...]
    deliverable: Deliverable
    check: Check
    previous: Check | None = None

    @property
    def is_new_criterion(self) -> bool:
        """Whether the edit added the criterion together with its check."""
        return self.check.criterion not in self.deliverable.acceptance_criteria


@dataclass(frozen=True, slots=True)
class EditRefusal:
    """Why nothing was changed, and what to do instead."""

    message: str
    hint: str


def with_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str, command: str
) -> CheckEdit | EditRefusal:
    """Set the command that checks a criterion, given by its text or its number.

    An unknown text becomes a new criterion. Results of an earlier command do not count.
    """
    target = _find_deliverable(deliverables, deliverable)
    if isinstance(target, EditRefusal):
        return target
    if problem := find_command_problem(command):
        return EditRefusal(f"the check {problem}", "give the shell line behind `--`")
    text = _find_criterion(target, criterion)
    if isinstance(text, EditRefusal):
        return text
    previous = next((check for check in target.checks if check.criterion == text), None)
    check = Check(text, command, "person")
    if previous is not None and previous.command == command:
        # For the same command, earlier results still hold.
        check = replace(check, before=previous.before, pinned=previous.pinned)
    known = text in target.acceptance_criteria
    changed = replace(
        target,
        acceptance_criteria=(*target.acceptance_criteria, *(() if known else (text,))),
        checks=(*(c for c in target.checks if c.criterion != text), check),
    )
    return CheckEdit(_replace_deliverable(deliverables, changed), target, check, previous)


def without_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str
) -> CheckEdit | EditRefusal:
    """Remove the check of a criterion; the criterion stays and can only be claimed."""
    found = _find_check(deliverables, deliverable, criterion)
    if isinstance(found, EditRefusal):
        return found
    target, removed = found
    kept = tuple(check for check in target.checks if check is not removed)
    return CheckEdit(
        _replace_deliverable(deliverables, replace(target, checks=kept)), target, removed
    )


def with_accepted_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str
) -> CheckEdit | EditRefusal:
    """Make an agent's check the person's own: from now on it can prove the criterion."""
    found = _find_check(deliverables, deliverable, criterion)
    if isinstance(found, EditRefusal):
        return found
    target, previous = found
    if previous.origin != "agent":
        return EditRefusal(
            f"the check for {_shorten(previous.criterion)!r} was not written by an agent", _LIST
        )
    check = replace(previous, origin="person", why=_why_not_proven(previous))
    checks = tuple(check if each is previous else each for each in target.checks)
    changed = replace(target, checks=checks)
    if changed.status == "passed" and not changed.why:
        changed = replace(changed, proof=changed.grade_by_checks)
    return CheckEdit(_replace_deliverable(deliverables, changed), target, check, previous)


def _why_not_proven(accepted: Check) -> str:
    """Why an accepted check is not proven, which is no longer that the agent wrote it."""
    why = without_author(accepted.why)
    return why or (_NOT_PINNED if accepted.pinned == "failed" else "")


def _find_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str
) -> tuple[Deliverable, Check] | EditRefusal:
    """The deliverable, and its check of the criterion."""
    target = _find_deliverable(deliverables, deliverable)
    if isinstance(target, EditRefusal):
        return target
    text = _find_criterion(target, criterion)
    if isinstance(text, EditRefusal):
        return text
    check = next((check for check in target.checks if check.criterion == text), None)
    if check is None:
        return EditRefusal(f"{target.id} has no check for {_shorten(text)!r}", _LIST)
    return target, check


def _find_deliverable(deliverables: Sequence[Deliverable], name: str) -> Deliverable | EditRefusal:
    if not deliverables:
        return EditRefusal(
            "this project has no deliverables yet",
            "run `treadle deliver` first, or write the check into SPEC.md",
        )
    exact = (each for each in deliverables if each.id == name)
    similar = (each for each in deliverables if each.id.casefold() == name.casefold())
    match = next(exact, None) or next(similar, None)
    if match is None:
        return EditRefusal(
            f"there is no deliverable {name!r}", f"there are {_list_ids(deliverables)}"
        )
    return match


def _list_ids(deliverables: Sequence[Deliverable]) -> str:
    """The first ids, escaped: an agent chose them, so they may contain anything."""
    names = [each.id if each.id.isprintable() else ascii(each.id) for each in deliverables]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _find_criterion(deliverable: Deliverable, given: str) -> str | EditRefusal:
    """The text of the criterion that matches `given`; an unknown text is a new criterion."""
    criteria = deliverable.acceptance_criteria
    if not given.strip():
        return EditRefusal("the criterion is empty", "give its text or its number")
    for text in criteria:
        if fold_text(text) == fold_text(given):
            return text
    if not given.isascii() or not given.isdigit():
        return " ".join(given.split())
    number = int(given)
    if not 1 <= number <= len(criteria):
        return EditRefusal(
            f"{deliverable.id} has no criterion {given}: it has {len(criteria)}", _LIST
        )
    return criteria[number - 1]


def _replace_deliverable(
    deliverables: Sequence[Deliverable], changed: Deliverable
) -> tuple[Deliverable, ...]:
    updated = with_valid_proof(changed)
    return tuple(updated if each.id == updated.id else each for each in deliverables)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
