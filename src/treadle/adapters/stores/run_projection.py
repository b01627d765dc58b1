"""Projects events onto the table of runs, so that lists need not read whole logs. Pure."""

from datetime import datetime
from typing import TypeAlias

from treadle.adapters.stores.database import Value
from treadle.domain.deliverable import tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.publishing import PullRequestFollowed
from treadle.domain.events.queue import ItemEnded, WaitStarted
from treadle.domain.events.run import (
    RoundStarted,
    RunEnded,
    RunPaused,
    RunQueued,
    RunRecovered,
    RunReopened,
    RunStarted,
)
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    LandingUndone,
    PlanMade,
    StatusAdopted,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId
from treadle.domain.lifecycle import IllegalTransition, StoredState, next_state
from treadle.domain.session import was_kept_from_working

RowChange: TypeAlias = tuple[str, tuple[Value, ...]]


def state_after(run: RunId, state: StoredState | None, event: Event) -> StoredState:
    """The state after a lifecycle event; IllegalTransition if it cannot follow."""
    by_a_person = isinstance(event, RunReopened) and event.by != "follow"
    if by_a_person and state == "succeeded":
        raise IllegalTransition(run, state, event.type)
    succeeded = isinstance(event, RunEnded) and event.result.succeeded
    return next_state(run, state, event.type, succeeded=succeeded)


def lifecycle_changes(
    recorded: RecordedEvent, *, state: StoredState, host: str
) -> tuple[RowChange, ...]:
    """The row changes of a lifecycle event; `state` is the state after it."""
    run, at, event = recorded.run, recorded.at, recorded.event
    match event:
        case RunQueued():
            return (_insert_queued(run, at, event),)
        case RunStarted():
            return (_insert_started(run, at, event, host),)
        case RunReopened():
            sql = "UPDATE runs SET state=?, reason='', ended_at='', reopened_at=? WHERE id=?"
            return (sql, (state, at.isoformat(), run)), _delete_requests(run)
        case RunEnded():
            return _update_ended(run, at, event, state), _delete_requests(run)
        case RunRecovered():
            return (("UPDATE runs SET state=?, host=? WHERE id=?", (state, host, run)),)
        case _:
            return _progress_changes(run, event, state, host)


def _progress_changes(
    run: RunId, event: Event, state: StoredState, host: str
) -> tuple[RowChange, ...]:
    match event:
        case RunPaused():
            return (_update_waiting(run, state, event.until, event.reason),)
        case PullRequestFollowed():
            follows = _update_waiting(run, state, event.until, event.url)
            return follows, ("UPDATE runs SET host=? WHERE id=?", (host, run))
        case ApprovalAsked(approval=approval):
            asked, _, _ = approval.question.partition("\n")
            return (_update_waiting(run, state, approval.deadline, asked),)
        case WaitStarted():
            return (_update_waiting(run, state, event.until, event.text),)
        case RoundStarted():
            round_change = "UPDATE runs SET host=?, rounds=? WHERE id=?", (host, event.number, run)
            return _update_waiting(run, state, None, ""), round_change
        case _:
            return (_update_waiting(run, state, None, ""),)


def work_changes(run: RunId, event: Event) -> tuple[RowChange, ...]:
    """The row changes of any other event; none if the list does not show it."""
    change = _work_change(run, event)
    return () if change is None else (change,)


def _work_change(run: RunId, event: Event) -> RowChange | None:
    match event:
        case SessionEnded():
            sql = (
                "UPDATE runs SET cost_usd = cost_usd + ?,"
                " rounds = rounds - CASE WHEN rounds > 0 THEN ? ELSE 0 END WHERE id=?"
            )
            not_counted = int(was_kept_from_working(event.result.outcome))
            return sql, (event.result.cost_usd, not_counted, run)
        case WorkspacePrepared():
            sql = "UPDATE runs SET branch=?, snapshot=? WHERE id=?"
            return sql, (event.branch, event.snapshot, run)
        case WorkLanded():
            return "UPDATE runs SET landed=? WHERE id=?", (event.commit, run)
        case ItemEnded():
            return "UPDATE runs SET rounds = rounds + 1 WHERE id=?", (run,)
        case LandingUndone():
            return "UPDATE runs SET landed='' WHERE id=?", (run,)
        case _:
            return _deliverables_change(run, event)


def _deliverables_change(run: RunId, event: Event) -> RowChange | None:
    match event:
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
        case _:
            return None


def _insert_queued(run: RunId, at: datetime, event: RunQueued) -> RowChange:
    sql = (
        "INSERT INTO runs (id, workflow, project_path, project_key, state, rehearsal, started_at)"
        " VALUES (?, ?, ?, ?, 'queued', ?, ?)"
    )
    values = (run, event.workflow, event.project, event.project_key, event.rehearsal)
    return sql, (*values, at.isoformat())


def _insert_started(run: RunId, at: datetime, event: RunStarted, host: str) -> RowChange:
    # A queued run has a row already. `started_at` is the time of the first start; the sandbox,
    # which is empty until then, tells a first start from a reopening.
    sql = (
        "INSERT INTO runs (id, workflow, project_path, project_key, state, sandbox, rehearsal,"
        " started_at, host) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET state='running', host=excluded.host,"
        " sandbox=excluded.sandbox, started_at = CASE runs.sandbox WHEN '' THEN"
        " excluded.started_at ELSE runs.started_at END"
    )
    return sql, (
        run,
        event.workflow,
        event.project,
        event.project_key,
        event.sandbox,
        event.rehearsal,
        at.isoformat(),
        host,
    )


def _delete_requests(run: RunId) -> RowChange:
    """A reopened run must not obey requests from before."""
    return "DELETE FROM requests WHERE run=?", (run,)


def _update_waiting(
    run: RunId, state: StoredState, until: datetime | None, reason: str
) -> RowChange:
    sql = "UPDATE runs SET state=?, until=?, waiting_for=? WHERE id=?"
    return sql, (state, until.isoformat() if until else "", reason, run)


def _update_ended(run: RunId, at: datetime, event: RunEnded, state: StoredState) -> RowChange:
    result = event.result
    sql = (
        "UPDATE runs SET state=?, reason=?, ended_at=?, rounds=?, passed=?, blocked=?, total=?,"
        " cost_usd=?, duration_s=?, until='', waiting_for='' WHERE id=?"
    )
    return sql, (
        state,
        result.reason,
        at.isoformat(),
        result.rounds,
        result.tally.passed,
        result.tally.blocked,
        result.tally.total,
        result.cost_usd,
        result.duration_s,
        run,
    )
