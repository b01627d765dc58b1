"""Tests that are gone from where they were, and are there under another id. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from treadle.domain.testing import Case
from treadle.verify.named import own_name, without_arguments


def moved(gone: Iterable[Case], arrived: Iterable[Case]) -> frozenset[str]:
    """Which of those that are gone have another one in their place, among new ones that pass.

    Under the same name elsewhere; or, where a test is run for a table of arguments, with other
    arguments at the same place. The latter is not for one that was red: it may have been exchanged
    for an easier one. Each new test stands for one old one.
    """
    left = list(gone)
    new = [case for case in arrived if case.outcome == "passed"]
    found: set[str] = set()
    _pair(left, new, found, by=lambda case: own_name(case.id))
    tables = [case for case in left if case.outcome != "failed"]
    _pair(tables, new, found, by=lambda case: without_arguments(case.id))
    return frozenset(found)


def _pair(gone: list[Case], new: list[Case], found: set[str], *, by: Callable[[Case], str]) -> None:
    """Take pairs of the same key out of both lists, in their order."""
    waiting: dict[str, list[Case]] = defaultdict(list)
    for case in reversed(new):
        waiting[by(case)].append(case)
    taken: set[str] = set()
    for case in gone:
        key = by(case)
        if key and waiting[key]:
            taken.add(waiting[key].pop().id)
            found.add(case.id)
    gone[:] = [case for case in gone if case.id not in found]
    new[:] = [case for case in new if case.id not in taken]
