"""Decides what a queue of increments does next. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from treadle.domain.increment import FailurePolicy, Increment, IncrementStatus


@dataclass(frozen=True, slots=True)
class StartIncrement:
    name: str


@dataclass(frozen=True, slots=True)
class SkipIncrement:
    """What it depends on failed, was skipped, or is nobody's work."""

    name: str
    because_of: str


@dataclass(frozen=True, slots=True)
class WaitForIncrements:
    """As many increments are in work as may be; these are."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskAboutFailure:
    """A person decides whether the others go on: those that do not depend on the failed one."""

    name: str


@dataclass(frozen=True, slots=True)
class StopQueue:
    """An increment failed, and the others are not to be started."""

    name: str


@dataclass(frozen=True, slots=True)
class QueueFinished:
    """Nothing is left; `is_complete` if all of it is done."""

    is_complete: bool


NextIncrement: TypeAlias = (
    StartIncrement | SkipIncrement | WaitForIncrements | AskAboutFailure | StopQueue | QueueFinished
)


@dataclass(frozen=True, slots=True)
class QueueRules:
    """How many increments may be in work at once, and what a failed one means to the others."""

    wip_limit: int = 1
    on_failure: FailurePolicy = "skip_dependants"
    # Failed ones for which a person said that the others go on.
    accepted: frozenset[str] = frozenset()


def next_increment(
    queue: Sequence[Increment], statuses: Mapping[str, IncrementStatus], rules: QueueRules
) -> NextIncrement:
    """What to do with the queue, given the status of each increment, also of others than its own.

    `queue` has dependencies first. One that waits, is ready or was never seen may be started.
    """
    left = [each for each in queue if statuses.get(each.name) not in ("done", "failed", "skipped")]
    failed = [each.name for each in queue if statuses.get(each.name) == "failed"]
    unsettled = next((name for name in failed if name not in rules.accepted), None)
    if unsettled is not None and left:
        match rules.on_failure:
            case "stop":
                return StopQueue(unsettled)
            case "ask":
                return AskAboutFailure(unsettled)
            case "skip_dependants":
                pass
            case never:
                assert_never(never)
    if not left:
        return QueueFinished(all(statuses.get(each.name) == "done" for each in queue))
    return _skip(left, statuses) or _start(left, statuses, rules.wip_limit)


def _skip(
    left: Sequence[Increment], statuses: Mapping[str, IncrementStatus]
) -> SkipIncrement | None:
    """The first that needs something which is neither done nor going to be."""
    coming = {each.name for each in left}
    for each in left:
        for needed in each.depends_on:
            if needed not in coming and statuses.get(needed) not in ("done", "working"):
                return SkipIncrement(each.name, needed)
    return None


def _start(
    left: Sequence[Increment], statuses: Mapping[str, IncrementStatus], wip_limit: int
) -> StartIncrement | WaitForIncrements:
    in_work = tuple(sorted(name for name, status in statuses.items() if status == "working"))
    for each in left:
        is_free = all(statuses.get(name) == "done" for name in each.depends_on)
        if each.name not in in_work and is_free and len(in_work) < (each.wip or wip_limit):
            return StartIncrement(each.name)
    return WaitForIncrements(in_work)
