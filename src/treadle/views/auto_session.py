"""A queue of increments as one JSON object, with the names that other loops use for these. Pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from treadle.domain.exit_reasons import DONE, PERSON_NEEDED, ExitReason, exit_code
from treadle.domain.lifecycle import ALIVE, RunState
from treadle.views.queue_summary import ItemStatus, summarize_queue
from treadle.workflows.auto.auto_session import AutoSession

SessionStatus = Literal["initializing", "running", "paused", "needs_human", "completed", "failed"]

# Those of a queue for which nothing waits for a person.
LIVE_STATUSES: Mapping[RunState, SessionStatus] = {
    "queued": "initializing",
    "running": "running",
    "paused": "paused",
    "waiting": "paused",
    # Its work is done, and others have to say something.
    "following": "paused",
    # Another process can go on with it.
    "lost": "paused",
}
# Where the exit code does not say it. A limit of rounds completes a session there; the exit code
# of the command still says that not everything is done.
ENDED_STATUSES: Mapping[ExitReason, SessionStatus] = {
    "interrupted": "paused",
    "max_iterations": "completed",
}


def session_status(session: AutoSession) -> SessionStatus:
    """The status by the state of the run and what waits, or by the reason of its end."""
    state, reason, waiting = session.state, session.reason, session.queue.waiting
    if state in ALIVE and (session.pending or (waiting is not None and waiting.needs_person)):
        return "needs_human"
    if state in LIVE_STATUSES:
        return LIVE_STATUSES[state]
    if reason is None:
        return "completed" if state == "succeeded" else "failed"
    if reason in ENDED_STATUSES:
        return ENDED_STATUSES[reason]
    by_code: Mapping[int, SessionStatus] = {DONE: "completed", PERSON_NEEDED: "needs_human"}
    return by_code.get(exit_code(reason), "failed")


def session_document(session: AutoSession) -> dict[str, Any]:
    records = session.queue.records
    ended = [record for record in records if record.ended is not None]
    current = session.queue.current
    return {
        "sessionId": session.run,
        "status": session_status(session),
        "startTime": session.started_at,
        "iteration": session.current_rounds
        + sum(record.ended.rounds for record in ended if record.ended is not None),
        "maxIterations": session.max_iterations,
        "maxHours": session.max_hours,
        "completionPromise": session.inputs.get("promise", ""),
        "originalPrompt": session.inputs.get("words", ""),
        "incrementQueue": list(_wanted(session)),
        "currentIncrement": None if current is None else current.started.item,
        "completedIncrements": [r.started.item for r in records if r.succeeded],
        "checkpoints": [
            {
                "increment": record.started.item,
                "run": record.started.run,
                "reason": record.ended.reason,
                "iterations": record.ended.rounds,
                "costUsd": record.ended.cost_usd,
            }
            for record in ended
            if record.ended is not None
        ],
        "endReason": session.reason,
        "humanGates": {"pending": session.pending[0] if session.pending else None},
    }


# The words of other loops for how far an increment is.
_PROGRESS: Mapping[ItemStatus, str] = {
    "done": "completed",
    "failed": "failed",
    "interrupted": "pending",
    "skipped": "skipped",
    "working": "active",
}


def queue_status_document(session: AutoSession) -> dict[str, Any]:
    """How far each increment is: `queueStatus` of `treadle show --json`."""
    items = {each.name: each for each in summarize_queue(session.queue).items}
    names = [*_wanted(session), *(name for name in items if name not in _wanted(session))]
    statuses = {
        name: _PROGRESS[items[name].status] if name in items else "pending" for name in names
    }
    count = Counter(statuses.values())
    current = session.queue.current
    return {
        "total": len(names),
        **{word: count[word] for word in ("completed", "failed", "skipped", "active", "pending")},
        "current": None if current is None else current.started.item,
        "increments": [
            {
                "id": name,
                "status": statuses[name],
                "reason": items[name].reason if name in items else "",
                "run": items[name].run if name in items else "",
            }
            for name in names
        ],
    }


def auto_summary_document(session: AutoSession, duration_s: float) -> dict[str, Any]:
    """What the queue took and brought so far: `autoSummary` of `treadle show --json`."""
    summary = summarize_queue(session.queue)
    document = session_document(session)
    return {
        **{key: document[key] for key in ("sessionId", "status", "startTime", "endReason")},
        "iterations": document["iteration"],
        "completedIncrements": document["completedIncrements"],
        "failedIncrements": [each.name for each in summary.items if each.status == "failed"],
        "skippedIncrements": [each.name for each in summary.items if each.status == "skipped"],
        "costUsd": summary.cost_usd,
        "durationS": round(duration_s, 3),
    }


def _wanted(session: AutoSession) -> tuple[str, ...]:
    return tuple(name for name in session.inputs.get("increments", "").split(",") if name)
