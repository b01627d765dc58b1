"""What one event changes in the table of runs, so that lists need not read whole logs."""

from datetime import datetime

from treadle.domain.deliverable import tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunEnded, RunStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId

Change = tuple[str, tuple[object, ...]]


def change_for(run: RunId, at: datetime, event: Event) -> Change | None:
    """The statement and its values, or None when the list does not show this fact."""
    match event:
        case RunStarted():
            return _started(at, event)
        case RoundStarted():
            return "UPDATE runs SET rounds=? WHERE id=?", (event.number, run)
        case SessionEnded():
            sql = "UPDATE runs SET cost_usd = cost_usd + ? WHERE id=?"
            return sql, (event.result.cost_usd, run)
        case RunEnded():
            return _ended(run, at, event)
        case _:
            return _work_change(run, event)


def _work_change(run: RunId, event: Event) -> Change | None:
    match event:
        case WorkspacePrepared():
            sql = "UPDATE runs SET branch=?, snapshot=? WHERE id=?"
            return sql, (event.branch, event.snapshot, run)
        case DeliverableCreated():
            return "UPDATE runs SET total = total + 1 WHERE id=?", (run,)
        case DeliverableChanged():
            sql = "UPDATE runs SET passed = passed + ?, blocked = blocked + ? WHERE id=?"
            passed = (event.status == "passed") - (event.previous == "passed")
            blocked = (event.status == "blocked") - (event.previous == "blocked")
            return sql, (passed, blocked, run)
        case StatusAdopted():
            sql = "UPDATE runs SET passed=?, blocked=?, total=? WHERE id=?"
            now = tally(event.deliverables)
            return sql, (now.passed, now.blocked, now.total, run)
        case PlanMade():
            return "UPDATE runs SET planned=? WHERE id=?", (event.spec, run)
        case WorkLanded():
            return "UPDATE runs SET landed=? WHERE id=?", (event.commit, run)
        case _:
            return None


def _started(at: datetime, event: RunStarted) -> Change:
    sql = (
        "INSERT INTO runs (id, workflow, project_path, project_key, state, sandbox, rehearsal,"
        " started_at) VALUES (?, ?, ?, ?, 'running', ?, ?, ?)"
    )
    return sql, (
        event.run,
        event.workflow,
        event.project,
        event.project_key,
        event.sandbox,
        event.rehearsal,
        at.isoformat(),
    )


def _ended(run: RunId, at: datetime, event: RunEnded) -> Change:
    result = event.result
    sql = (
        "UPDATE runs SET state=?, reason=?, ended_at=?, rounds=?, passed=?, blocked=?, total=?,"
        " cost_usd=? WHERE id=?"
    )
    return sql, (
        "succeeded" if result.succeeded else "ended",
        result.reason,
        at.isoformat(),
        result.rounds,
        result.tally.passed,
        result.tally.blocked,
        result.tally.total,
        result.cost_usd,
        run,
    )
