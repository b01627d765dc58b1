"""What a person gave up or brought back of a run's work, and the commands for both. Pure."""

from dataclasses import replace
from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.domain.events.work import (
    CommitsKept,
    LandingUndone,
    WorkDropped,
    WorkKept,
    WorkRestored,
)
from treadle.domain.ids import RunId, short_id

RecoveryEvent: TypeAlias = WorkDropped | WorkRestored | LandingUndone


def undo_command(run: RunId) -> str:
    return f"treadle undo {short_id(run)}"


def restorable_text(run: RunId, until: datetime) -> str:
    """How to get back what was removed, and how long that is possible."""
    return f"{undo_command(run)}    # restores it, until {until:%Y-%m-%d}"


def kept_after(event: RecoveryEvent, kept: WorkKept | None, run: RunId) -> WorkKept | None:
    """Where the work is after the event, and the command that brings it where it belongs."""
    land = f"treadle land {short_id(run)}"
    match event:
        case WorkDropped(branches=branches):
            name = branches[-1].branch if branches else "no branch"
            return WorkKept(name, "you dropped it", undo_command(run))
        case WorkRestored(branches=branches) if branches:
            return WorkKept(branches[-1], "it was dropped and restored", land)
        case WorkRestored():
            return kept
        case LandingUndone(branch=branch):
            return WorkKept(branch, "its landing was undone", land)
        case _:
            assert_never(event)


def add_dropped(before: CommitsKept | None, event: CommitsKept) -> CommitsKept:
    """The commits that sessions dropped in all rounds together."""
    if before is None:
        return event
    return replace(event, refs=(*before.refs, *event.refs), commits=before.commits + event.commits)
