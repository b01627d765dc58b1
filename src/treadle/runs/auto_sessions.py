"""Reads what is known of a queue of increments, for programs that follow it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run_row import RunRow
from treadle.runs.approvals import open_questions
from treadle.runs.find import open_logs, open_rows
from treadle.runs.request_json import read_request
from treadle.settings.environment import Environment
from treadle.settings.load import load_settings
from treadle.workflows.auto.auto_session import AutoSession
from treadle.workflows.queue.queue_state import read_queue


def read_auto_session(row: RunRow, environment: Environment) -> AutoSession:
    """The queue with the limits that it was started with."""
    request = read_request(environment.root, row.id)
    given = {name: value for name, value in request.flags.items() if value is not None}
    if "limits.max_iterations" in given:
        given["auto.max_iterations"] = given["limits.max_iterations"]
    flags = {name: given[name] for name in _LIMITS if name in given}
    settings = load_settings(
        Path(row.project_path), environment=environment.raw, flags=flags
    ).settings
    with open_logs(environment.storage) as logs:
        queue = read_queue(logs.read(row.id))
    runs = {record.started.run for record in queue.records}
    questions = open_questions(environment.storage, datetime.now(UTC))
    current = queue.current
    rounds = 0
    if current is not None:
        with open_rows(environment.storage) as find:
            rounds = find(current.started.run).rounds
    return AutoSession(
        run=row.id,
        state=row.state,
        reason=cast("ExitReason", row.reason) if row.reason and not row.alive else None,
        started_at=row.started_at,
        inputs=request.inputs,
        max_iterations=settings.auto.max_iterations,
        max_hours=round(settings.limits.max_minutes / 60, 4),
        queue=queue,
        current_rounds=rounds,
        pending=[each.approval.question for each in questions if each.approval.run in runs],
    )


_LIMITS = ("auto.max_iterations", "limits.max_minutes")
