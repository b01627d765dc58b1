"""Adds and removes checks of deliverables on behalf of a person. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, find_command_problem, with_valid_proof
from treadle.verify.spec_checks import fold_text

_LIST = "see them with `treadle check list`"
_LONGEST = 60
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class CheckEdit:
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
class EditRefusal:
    """Why nothing was changed, and what to do instead."""

    message: str
    hint: str


def with_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str, command: str
) -> CheckEdit | EditRefusal:
    """The criterion, by its text or its number, shown by this command from now on.

    A text that no criterion has becomes one. What was seen of an earlier command does not count.
    """
    found = _find_deliverable(deliverables, deliverable)
    if isinstance(found, EditRefusal):
        return found
    if problem := find_command_problem(command):
        return EditRefusal(f"the check {problem}", "give the shell line behind `--`")
    text = _find_criterion(found, criterion)
    if isinstance(text, EditRefusal):
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
    return CheckEdit(_replace_deliverable(deliverables, changed), found, check, previous)


def without_check(
    deliverables: Sequence[Deliverable], deliverable: str, criterion: str
) -> CheckEdit | EditRefusal:
    """The criterion stays, and can only be claimed from now on."""
    found = _find_deliverable(deliverables, deliverable)
    if isinstance(found, EditRefusal):
        return found
    text = _find_criterion(found, criterion)
    if isinstance(text, EditRefusal):
        return text
    gone = next((check for check in found.checks if check.criterion == text), None)
    if gone is None:
        return EditRefusal(f"{found.id} has no check for {_shorten(text)!r}", _LIST)
    left = tuple(check for check in found.checks if check is not gone)
    return CheckEdit(_replace_deliverable(deliverables, replace(found, checks=left)), found, gone)


def _find_deliverable(deliverables: Sequence[Deliverable], name: str) -> Deliverable | EditRefusal:
    if not deliverables:
        return EditRefusal(
            "this project has no deliverables yet",
            "run `treadle deliver` first, or write the check into SPEC.md",
        )
    exact = (each for each in deliverables if each.id == name)
    alike = (each for each in deliverables if each.id.casefold() == name.casefold())
    found = next(exact, None) or next(alike, None)
    if found is None:
        return EditRefusal(
            f"there is no deliverable {name!r}", f"there are {_list_ids(deliverables)}"
        )
    return found


def _list_ids(deliverables: Sequence[Deliverable]) -> str:
    """The first ones; an agent chose them, so they may hold anything."""
    names = [each.id if each.id.isprintable() else ascii(each.id) for each in deliverables]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _find_criterion(deliverable: Deliverable, given: str) -> str | EditRefusal:
    """The text of the criterion that is meant; a text nobody has written yet is a new one."""
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
    honest = with_valid_proof(changed)
    return tuple(honest if each.id == honest.id else each for each in deliverables)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
