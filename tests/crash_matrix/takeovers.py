"""Points that involve more than one restart, a worker, or a person who answers."""

from tests.crash_matrix.case import (
    ANSWER,
    ASKED,
    LIMITED,
    LONG_QUOTA,
    RUN_WORKSPACE,
    SPAWN,
    WAIT,
    Case,
    CaseCommand,
    git,
    stored,
)
from tests.crash_matrix.spots import Call, Spot

RECOVERING = (
    Case(
        "run.recovered stored, after the first tool",
        (
            CaseCommand("deliver", stored("tool.decided")),
            CaseCommand("resume", stored("run.recovered")),
            CaseCommand("resume"),
        ),
    ),
    Case(
        "resumed session spawned, after the first tool",
        (
            CaseCommand("deliver", stored("tool.decided", 2)),
            CaseCommand("resume", Call(SPAWN, "after")),
            CaseCommand("resume"),
        ),
    ),
    Case(
        "commit made, not told, twice",
        (
            CaseCommand("deliver", Call(f"{RUN_WORKSPACE}:commit_round", "after", number=2)),
            CaseCommand("resume", Call(f"{RUN_WORKSPACE}:commit_round", "after")),
            CaseCommand("resume"),
        ),
    ),
    Case(
        "merged, not told, twice",
        (
            CaseCommand("deliver", git("after", "merge", "--ff-only")),
            CaseCommand("resume", stored("work.landed", moment="before")),
            CaseCommand("resume"),
        ),
        landing=True,
    ),
    Case(
        "inside the quota sleep, twice",
        (
            CaseCommand("deliver", Call(WAIT, "during", number=2)),
            CaseCommand("resume", Call(WAIT, "during", number=2)),
            CaseCommand("resume"),
        ),
        LONG_QUOTA,
    ),
    Case(
        "before the resumed run is claimed",
        (
            CaseCommand("deliver", stored("session.started")),
            CaseCommand("resume", Call("treadle.runs.resume:execute_in_foreground", "before")),
            CaseCommand("resume"),
        ),
    ),
)


def limited(name: str, spot: Spot) -> Case:
    """A run that has reached a limit is allowed more, and is killed over it."""
    commands = (
        CaseCommand("deliver", exit_code=5),
        CaseCommand("resume further", spot),
        CaseCommand("resume"),
    )
    return Case(name, commands, LIMITED)


REOPENED = (
    # Nothing of it was stored, so a person has to say it again.
    Case(
        "before run.reopened is stored",
        (
            CaseCommand("deliver", exit_code=5),
            CaseCommand("resume further", stored("run.reopened", moment="before")),
            CaseCommand("resume further"),
        ),
        LIMITED,
    ),
    limited("run.reopened stored", stored("run.reopened")),
    limited("reopened run's session spawned", Call(SPAWN, "after")),
    limited("reopened run's commit made, not told", Call(f"{RUN_WORKSPACE}:commit_round", "after")),
)

WORKERS = (
    Case(
        "run.queued stored, not enqueued",
        (
            CaseCommand("detach", Call("treadle.runs.worker_queue:enqueue_leg", "before")),
            CaseCommand("resume"),
        ),
    ),
    Case(
        "worker in a session, another worker",
        (
            CaseCommand("detach"),
            CaseCommand("worker", stored("tool.decided", 2)),
            CaseCommand("worker"),
        ),
    ),
    Case(
        "worker in a session, resumed by a person",
        (
            CaseCommand("detach"),
            CaseCommand("worker", stored("deliverable.changed")),
            CaseCommand("resume"),
        ),
    ),
    Case(
        "worker has committed, not told, another worker",
        (
            CaseCommand("detach"),
            CaseCommand("worker", Call(f"{RUN_WORKSPACE}:commit_round", "after", number=2)),
            CaseCommand("worker"),
        ),
    ),
    Case(
        "worker has taken a run over and not begun",
        (
            CaseCommand("deliver", stored("tool.decided")),
            CaseCommand("worker", Call("treadle.runs.worker:recover_lost_runs", "after")),
            CaseCommand("worker"),
        ),
    ),
    Case(
        "worker has told run.recovered",
        (
            CaseCommand("deliver", stored("tool.decided", 2)),
            CaseCommand("worker", stored("run.recovered")),
            CaseCommand("worker"),
        ),
    ),
    Case(
        "worker has spawned the resumed session",
        (
            CaseCommand("deliver", stored("tool.decided", 2)),
            CaseCommand("worker", Call(SPAWN, "after")),
            CaseCommand("worker"),
        ),
    ),
    Case(
        "worker in the landing, resumed by a person",
        (
            CaseCommand("deliver", stored("work.imported")),
            CaseCommand("worker", git("after", "merge", "--ff-only")),
            CaseCommand("resume", exit_code=0),
        ),
        landing=True,
    ),
)

AWAITED = "treadle.workflows.loop.approval_requests:_wait_for_answer"

APPROVALS = (
    Case(
        "approval asked, not told",
        (
            CaseCommand("detach"),
            CaseCommand("worker", stored("approval.asked", moment="before")),
            CaseCommand("worker", Call(AWAITED, "during")),
            CaseCommand("approve"),
            CaseCommand("worker"),
        ),
        ASKED,
    ),
    Case(
        "waiting for an approval",
        (
            CaseCommand("detach"),
            CaseCommand("worker", Call(AWAITED, "during")),
            CaseCommand("approve"),
            CaseCommand("worker"),
        ),
        ASKED,
    ),
    Case(
        "before an approval is answered",
        (
            CaseCommand("detach"),
            CaseCommand("worker", Call(AWAITED, "during")),
            CaseCommand("approve", Call(ANSWER, "before")),
            CaseCommand("approve"),
            CaseCommand("worker"),
        ),
        ASKED,
    ),
    Case(
        "approval answered, command not ended",
        (
            CaseCommand("detach"),
            CaseCommand("worker", Call(AWAITED, "during")),
            CaseCommand("approve", Call(ANSWER, "after")),
            CaseCommand("worker"),
        ),
        ASKED,
    ),
    Case(
        "approval.answered stored, step not",
        (
            CaseCommand("detach"),
            CaseCommand("worker", Call(AWAITED, "during")),
            CaseCommand("approve"),
            CaseCommand("worker", stored("approval.answered")),
            CaseCommand("worker"),
        ),
        ASKED,
    ),
)
