"""Checks that a person gives or takes away: what becomes of the deliverables. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, flaw_of_command, with_honest_proof
from treadle.verify.spec_checks import folded

_LIST = "see them with `treadle check list`"
_LONGEST = 60
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Edit:
    """The deliverables after it, and the one it was about as it was before.

    `check` was given or taken away; `previous` stood in its place.
    """

    deliverables: tuple[Deliverable, ...]
    deliverable: Deliverable
    check: Check
    previous: Check | None = None

    @property
    def is_new_criterion(self) -> bool:
        """Nobody had asked for this before: it was added together with its check."""
        return self.check.criterion not in self.deliverable.acceptance_criteria


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why nothing was changed, and what to do instead."""

    message: str
    hint: str


def with_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str, command: str
) -> Edit | Unfit:
    """The criterion, by its text or its number, shown by this command from now on.

    A text that no criterion has becomes one. What was seen of an earlier command does not count.
    """
    found = _find(deliverables, deliverable)
    if isinstance(found, Unfit):
        return found
    if problem := flaw_of_command(command):
        return Unfit(f"the check {problem}", "give the shell line behind `--`")
    text = _criterion(found, criterion)
    if isinstance(text, Unfit):
        return text
    previous = next((check for check in found.checks if check.criterion == text), None)
    check = Check(text, command, "person")
    if previous is not None and previous.command == command:
        # The same command: what was seen of it still holds.
        check = replace(check, before=previous.before)
    known = text in found.acceptance_criteria
    changed = replace(
        found,
        acceptance_criteria=(*found.acceptance_criteria, *(() if known else (text,))),
        checks=(*(c for c in found.checks if c.criterion != text), check),
    )
    return Edit(_replaced(deliverables, changed), found, check, previous)


def without_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str
) -> Edit | Unfit:
    """The criterion stays, and can only be claimed from now on."""
    found = _find(deliverables, deliverable)
    if isinstance(found, Unfit):
        return found
    text = _criterion(found, criterion)
    if isinstance(text, Unfit):
        return text
    gone = next((check for check in found.checks if check.criterion == text), None)
    if gone is None:
        return Unfit(f"{found.id} has no check for {_short(text)!r}", _LIST)
    left = tuple(check for check in found.checks if check is not gone)
    return Edit(_replaced(deliverables, replace(found, checks=left)), found, gone)


def _find(deliverables: Sequence[Deliverable], name: str) -> Deliverable | Unfit:
    if not deliverables:
        return Unfit(
            "this project has no deliverables yet",
            "run `treadle deliver` first, or write the check into SPEC.md",
        )
    exact = (each for each in deliverables if each.id == name)
    alike = (each for each in deliverables if each.id.casefold() == name.casefold())
    found = next(exact, None) or next(alike, None)
    if found is None:
        return Unfit(f"there is no deliverable {name!r}", f"there are {_names(deliverables)}")
    return found


def _names(deliverables: Sequence[Deliverable]) -> str:
    """The first ones; an agent chose them, so they may hold anything."""
    names = [each.id if each.id.isprintable() else ascii(each.id) for each in deliverables]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _criterion(deliverable: Deliverable, given: str) -> str | Unfit:
    """The text of the criterion that is meant; a text nobody has written yet is a new one."""
    criteria = deliverable.acceptance_criteria
    if not given.strip():
        return Unfit("the criterion is empty", "give its text or its number")
    for text in criteria:
        if folded(text) == folded(given):
            return text
    if not given.isascii() or not given.isdigit():
        return " ".join(given.split())
    number = int(given)
    if not 1 <= number <= len(criteria):
        return Unfit(f"{deliverable.id} has no criterion {given}: it has {len(criteria)}", _LIST)
    return criteria[number - 1]


def _replaced(deliverables: Sequence[Deliverable], changed: Deliverable) -> tuple[Deliverable, ...]:
    honest = with_honest_proof(changed)
    return tuple(honest if each.id == honest.id else each for each in deliverables)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
