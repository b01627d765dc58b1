"""Adds, accepts and removes a person's checks in the project's status.json."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.ports import StatusBoard
from treadle.runs.find import STATUS_FILE
from treadle.verify.checks.check_edits import (
    CheckEdit,
    EditRefusal,
    with_accepted_check,
    with_check,
    without_check,
)

# A run may write the file at the same time, but rarely does so repeatedly.
ATTEMPTS = 8

Change = Callable[[Sequence[Deliverable]], CheckEdit | EditRefusal]


def add_check(
    project: Path, deliverable: str, criterion: str, *, command: str, now: datetime
) -> CheckEdit:
    """Add the command as the check of the criterion; a live run adopts it."""
    file = StatusFile(project / STATUS_FILE)
    return edit_status(
        file, lambda deliverables: with_check(deliverables, deliverable, criterion, command), now
    )


def accept_check(project: Path, deliverable: str, criterion: str, *, now: datetime) -> CheckEdit:
    """Make an agent's check of the criterion the person's own."""
    file = StatusFile(project / STATUS_FILE)
    return edit_status(
        file,
        lambda deliverables: with_accepted_check(deliverables, deliverable, criterion),
        now,
    )


def remove_check(project: Path, deliverable: str, criterion: str, *, now: datetime) -> CheckEdit:
    """Remove the check of the criterion."""
    file = StatusFile(project / STATUS_FILE)
    return edit_status(
        file, lambda deliverables: without_check(deliverables, deliverable, criterion), now
    )


def edit_status(file: StatusBoard, change: Change, now: datetime) -> CheckEdit:
    """Apply the change, and try again if another process wrote the file in between."""
    for _ in range(ATTEMPTS):
        edit = change(file.read())
        if isinstance(edit, EditRefusal):
            raise UsageError(edit.message, hint=edit.hint)
        if file.write(edit.deliverables, today=now.date().isoformat()):
            return edit
    raise ProjectError(f"{STATUS_FILE} keeps changing", hint="try again in a moment")
