"""Reads facts about checks from the log of a run. Pure."""

from collections.abc import Callable, Collection, Iterator

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.verification import CheckFinished
from treadle.workflows.deliver.verifier import CheckKey

ReadLog = Callable[[Collection[str]], Iterator[RecordedEvent]]


def first_check_commits(read: ReadLog) -> dict[CheckKey, str]:
    """The commit on which each check first ran before the work."""
    commits: dict[CheckKey, str] = {}
    for event in _finished_checks(read):
        if event.evidence.when == "before":
            key = (event.deliverable, event.criterion, event.evidence.command)
            commits.setdefault(key, event.evidence.commit)
    return commits


def count_looks(read: ReadLog) -> dict[CheckKey, int]:
    """How often each check was tried before the work."""
    looks: dict[CheckKey, int] = {}
    for event in _finished_checks(read):
        if event.evidence.when == "before":
            key = (event.deliverable, event.criterion, event.evidence.command)
            looks[key] = looks.get(key, 0) + 1
    return looks


def unknown_looks(read: ReadLog) -> dict[CheckKey, CheckFinished]:
    """Looks before the work at which a program was missing."""
    looks: dict[CheckKey, CheckFinished] = {}
    for event in _finished_checks(read):
        if event.evidence.when == "before" and event.missing_program:
            looks[event.deliverable, event.criterion, event.evidence.command] = event
    return looks


def green_checks(read: ReadLog) -> list[CheckFinished]:
    """The checks that were green on the work."""
    return [
        event
        for event in _finished_checks(read)
        if event.is_green and event.evidence.when != "before"
    ]


def red_checks(read: ReadLog) -> list[CheckFinished]:
    """The checks that were red on the work."""
    return [
        event
        for event in _finished_checks(read)
        if not event.is_green and event.evidence.when != "before"
    ]


def _finished_checks(read: ReadLog) -> Iterator[CheckFinished]:
    for recorded in read(("check.finished",)):
        if isinstance(recorded.event, CheckFinished):
            yield recorded.event
