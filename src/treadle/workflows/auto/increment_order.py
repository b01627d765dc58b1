"""The order of increments: what depends on what, cycles, what may start. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from treadle.domain.increment import (
    Increment,
    IncrementList,
    IncrementProblem,
    IncrementStatus,
)

_NUMBER_DIGITS = 4


@dataclass(frozen=True, slots=True)
class OrderRefusal:
    """Why increments cannot be worked through, and what to do about it."""

    message: str
    hint: str


def resolve_dependencies(found: IncrementList) -> IncrementList:
    """The list with full names of dependencies; one that names nothing is a problem of its folder.

    What depends on a folder with a problem stays: it waits, and its list entry says for what.
    """
    names = found.names
    increments: list[Increment] = []
    problems = list(found.problems)
    for increment in found.increments:
        full = [find_name(named, names) for named in increment.depends_on]
        refusals = [each for each in full if isinstance(each, OrderRefusal)]
        if refusals:
            message = f"depends_on: {refusals[0].message}"
            problems.append(IncrementProblem(increment.name, message))
        else:
            known = dict.fromkeys(each for each in full if isinstance(each, str))
            increments.append(replace(increment, depends_on=tuple(known)))
    return IncrementList(tuple(increments), tuple(sorted(problems, key=lambda each: each.name)))


def find_name(named: str, names: Sequence[str]) -> str | OrderRefusal:
    """The one full name that `0003-login`, `0003` or `3` stands for."""
    if named in names:
        return named
    if named.isascii() and named.isdecimal() and len(named) <= _NUMBER_DIGITS:
        number = named.zfill(_NUMBER_DIGITS)
        fitting = [name for name in names if name.startswith(f"{number}-")]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            return OrderRefusal(f"{named} can be {' or '.join(fitting)}", "write the whole name")
    close = get_close_matches(named, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else "see them with `treadle increments ls`"
    return OrderRefusal(f"there is no increment {named[:60]}", hint)


def find_cycle(increments: Sequence[Increment]) -> tuple[str, ...]:
    """The names around the first cycle, the first one again at its end; empty without one."""
    needs = {each.name: each.depends_on for each in increments}
    checked: set[str] = set()
    for start in sorted(needs):
        path: list[str] = []
        iterators: list[Iterator[str]] = []
        upcoming: str | None = start
        while upcoming is not None or path:
            if upcoming is None:
                checked.add(path.pop())
                iterators.pop()
            elif upcoming in path:
                return (*path[path.index(upcoming) :], upcoming)
            elif upcoming in needs and upcoming not in checked:
                path.append(upcoming)
                iterators.append(iter(needs[upcoming]))
            upcoming = next(iterators[-1], None) if iterators else None
    return ()


def cycle_text(cycle: Sequence[str]) -> str:
    return " → ".join(cycle)


def order_increments(
    found: IncrementList, wanted: Sequence[str], done: Collection[str]
) -> tuple[Increment, ...] | OrderRefusal:
    """The wanted increments, or all that are left, in an order in which dependencies come first.

    The order of `wanted` counts as far as dependencies allow, else that of the numbers.
    """
    by_name = {each.name: each for each in found.increments}
    chosen = _choose(found, wanted, done)
    if isinstance(chosen, OrderRefusal):
        return chosen
    if cycle := find_cycle([by_name[name] for name in chosen]):
        return OrderRefusal(
            f"increments depend on each other: {cycle_text(cycle)}",
            "take one of them out of depends_on",
        )
    for name in chosen:
        for needed in by_name[name].depends_on:
            if needed not in done and needed not in chosen:
                listed = ",".join((needed, *chosen))
                return OrderRefusal(
                    f"{name} needs {needed}, which is not done", f"--increments {listed}"
                )
    return dependencies_first([by_name[name] for name in chosen])


def _choose(
    found: IncrementList, wanted: Sequence[str], done: Collection[str]
) -> list[str] | OrderRefusal:
    names = [each.name for each in found.increments]
    problems = {each.name: each.message for each in found.problems}
    if not wanted:
        left = [name for name in names if name not in done]
        if not left:
            return OrderRefusal(
                "no increment is left to work on", "add one with `treadle increments add`"
            )
        return left
    chosen: dict[str, None] = {}
    for named in wanted:
        full = find_name(named, found.names)
        if isinstance(full, OrderRefusal):
            return full
        if full in problems:
            return OrderRefusal(f"{full} {problems[full]}", "see `treadle increments ls`")
        chosen[full] = None
    return list(chosen)


def dependencies_first(increments: Sequence[Increment]) -> tuple[Increment, ...]:
    """The same in an order in which each comes after those that it needs; without a cycle."""
    left = list(increments)
    ordered: list[Increment] = []
    while left:
        open_names = {each.name for each in left}
        ordered.append(
            left.pop(
                next(at for at, each in enumerate(left) if open_names.isdisjoint(each.depends_on))
            )
        )
    return tuple(ordered)


def increment_statuses(
    found: IncrementList, recorded: Mapping[str, IncrementStatus]
) -> dict[str, IncrementStatus]:
    """The status of each by name: what is recorded, else what follows from its dependencies."""
    statuses: dict[str, IncrementStatus] = {each.name: "broken" for each in found.problems}
    cyclic = set(find_cycle(found.increments))
    for each in found.increments:
        if each.name in recorded:
            statuses[each.name] = recorded[each.name]
        elif each.name in cyclic:
            statuses[each.name] = "broken"
        else:
            is_free = all(recorded.get(needed) == "done" for needed in each.depends_on)
            statuses[each.name] = "ready" if is_free else "waiting"
    return statuses
