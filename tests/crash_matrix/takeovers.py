"""Points that involve more than one restart, a worker, or a person who answers."""

from tests.crash_matrix.case import (
    ANSWER,
    ASKED,
    LIMITED,
    LONG_QUOTA,
    SPAWN,
    WAIT,
    WORKSITE,
    Act,
    Case,
    git,
    stored,
)
from tests.crash_matrix.spots import Call, Spot

RECOVERING = (
    Case(
        "run.recovered stored, after the first tool",
        (
            Act("deliver", stored("tool.decided")),
            Act("resume", stored("run.recovered")),
            Act("resume"),
        ),
    ),
    Case(
        "resumed session spawned, after the first tool",
        (
            Act("deliver", stored("tool.decided", 2)),
            Act("resume", Call(SPAWN, "after")),
            Act("resume"),
        ),
    ),
    Case(
        "commit made, not told, twice",
        (
            Act("deliver", Call(f"{WORKSITE}:commit_round", "after", number=2)),
            Act("resume", Call(f"{WORKSITE}:commit_round", "after")),
            Act("resume"),
        ),
    ),
    Case(
        "merged, not told, twice",
        (
            Act("deliver", git("after", "merge", "--ff-only")),
            Act("resume", stored("work.landed", moment="before")),
            Act("resume"),
        ),
        landing=True,
    ),
    Case(
        "inside the quota sleep, twice",
        (
            Act("deliver", Call(WAIT, "during", number=2)),
            Act("resume", Call(WAIT, "during", number=2)),
            Act("resume"),
        ),
        LONG_QUOTA,
    ),
    Case(
        "before the resumed run is claimed",
        (
            Act("deliver", stored("session.started")),
            Act("resume", Call("treadle.runs.resume:execute_in_foreground", "before")),
            Act("resume"),
        ),
    ),
)


def limited(name: str, spot: Spot) -> Case:
    """A run that has reached a limit is allowed more, and is killed over it."""
    acts = (Act("deliver", exit_code=5), Act("resume further", spot), Act("resume"))
    return Case(name, acts, LIMITED)


REOPENED = (
    # Nothing of it was stored, so a person has to say it again.
    Case(
        "before run.reopened is stored",
        (
            Act("deliver", exit_code=5),
            Act("resume further", stored("run.reopened", moment="before")),
            Act("resume further"),
        ),
        LIMITED,
    ),
    limited("run.reopened stored", stored("run.reopened")),
    limited("reopened run's session spawned", Call(SPAWN, "after")),
    limited("reopened run's commit made, not told", Call(f"{WORKSITE}:commit_round", "after")),
)

WORKERS = (
    Case(
        "run.queued stored, not enqueued",
        (
            Act("detach", Call("treadle.runs.queue:enqueue_leg", "before")),
            Act("resume"),
        ),
    ),
    Case(
        "worker in a session, another worker",
        (Act("detach"), Act("worker", stored("tool.decided", 2)), Act("worker")),
    ),
    Case(
        "worker in a session, resumed by a person",
        (Act("detach"), Act("worker", stored("deliverable.changed")), Act("resume")),
    ),
    Case(
        "worker has committed, not told, another worker",
        (
            Act("detach"),
            Act("worker", Call(f"{WORKSITE}:commit_round", "after", number=2)),
            Act("worker"),
        ),
    ),
    Case(
        "worker has taken a run over and not begun",
        (
            Act("deliver", stored("tool.decided")),
            Act("worker", Call("treadle.runs.worker:recover_lost_runs", "after")),
            Act("worker"),
        ),
    ),
    Case(
        "worker has told run.recovered",
        (
            Act("deliver", stored("tool.decided", 2)),
            Act("worker", stored("run.recovered")),
            Act("worker"),
        ),
    ),
    Case(
        "worker has spawned the resumed session",
        (
            Act("deliver", stored("tool.decided", 2)),
            Act("worker", Call(SPAWN, "after")),
            Act("worker"),
        ),
    ),
    Case(
        "worker in the landing, resumed by a person",
        (
            Act("deliver", stored("work.imported")),
            Act("worker", git("after", "merge", "--ff-only")),
            Act("resume", exit_code=0),
        ),
        landing=True,
    ),
)

AWAITED = "treadle.workflows.loop.approval_requests:_wait_for_answer"

APPROVALS = (
    Case(
        "approval asked, not told",
        (
            Act("detach"),
            Act("worker", stored("approval.asked", moment="before")),
            Act("worker", Call(AWAITED, "during")),
            Act("approve"),
            Act("worker"),
        ),
        ASKED,
    ),
    Case(
        "waiting for an approval",
        (Act("detach"), Act("worker", Call(AWAITED, "during")), Act("approve"), Act("worker")),
        ASKED,
    ),
    Case(
        "before an approval is answered",
        (
            Act("detach"),
            Act("worker", Call(AWAITED, "during")),
            Act("approve", Call(ANSWER, "before")),
            Act("approve"),
            Act("worker"),
        ),
        ASKED,
    ),
    Case(
        "approval answered, command not ended",
        (
            Act("detach"),
            Act("worker", Call(AWAITED, "during")),
            Act("approve", Call(ANSWER, "after")),
            Act("worker"),
        ),
        ASKED,
    ),
    Case(
        "approval.answered stored, step not",
        (
            Act("detach"),
            Act("worker", Call(AWAITED, "during")),
            Act("approve"),
            Act("worker", stored("approval.answered")),
            Act("worker"),
        ),
        ASKED,
    ),
)
