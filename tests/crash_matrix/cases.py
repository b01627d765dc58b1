"""The named points of the crash matrix, all of them."""

from collections.abc import Iterator

from tests.crash_matrix.case import (
    CHANGED,
    CHECKED,
    CONTINUED,
    DESTROYED,
    DIRTY,
    DROPPED,
    ENGINE_STORING,
    FAILURE,
    GONE,
    KEEP_LOG,
    LAND,
    OPENING,
    OUTAGE,
    OWN_COMMIT,
    PROMPT,
    QUOTA,
    REPLACE,
    RUN_CHECK,
    RUN_WORKSPACE,
    SANDBOXED_AGENT,
    SESSION_COMMITS,
    SETTLE,
    SLOWLY,
    SPAWN,
    STATUS,
    WAIT,
    Case,
    CaseCommand,
    cut,
    git,
    git_running,
    half_stored,
    stored,
    taken,
)
from tests.crash_matrix.spots import AtStep, Call, StepMoment
from tests.crash_matrix.takeovers import APPROVALS, RECOVERING, REOPENED, WORKERS


def at_steps() -> Iterator[Case]:
    """Every boundary of every step that the smallest run has."""
    moments: dict[StepMoment, str] = {
        "begun": "is about to be acted",
        "acted": "was acted, not stored",
        "stored": "was stored",
    }
    beginning = ("begin", "look 1", "try commands")
    for step in (*beginning, "session 1", "home 1", "session 2", "home 2", "land"):
        for moment, words in moments.items():
            landing = step == "land" and moment != "begun"
            yield cut(f"step “{step}” {words}", AtStep(step, moment), landing=landing)


BEGINNING = (
    taken("before run.started is stored", stored("run.started", moment="before")),
    Case(
        "before run.started is stored, started again",
        (CaseCommand("deliver", stored("run.started", moment="before")), CaseCommand("deliver")),
    ),
    Case(
        "engine opened, run not begun, started again",
        (
            CaseCommand(
                "deliver",
                Call("treadle.durable.workflow_tables:WorkflowTables.hand_back", "before"),
            ),
            CaseCommand("deliver"),
        ),
    ),
    cut("run.started stored", stored("run.started")),
    cut("before the snapshot", Call(f"{OPENING}:take_snapshot", "before"), scenario=DIRTY),
    cut("snapshot committed, no ref yet", git("after", "commit-tree"), scenario=DIRTY),
    cut("snapshot ref written", Call(f"{OPENING}:take_snapshot", "after"), scenario=DIRTY),
    cut("clone half built", Call("treadle.workspace.agent_tree:_move_into_place", "before")),
    cut("clone made, not told", Call(f"{OPENING}:make_clone", "after")),
    cut("workspace.prepared stored", stored("workspace.prepared")),
    cut("work.continued stored", stored("work.continued"), scenario=CONTINUED),
    cut(
        "workspace.prepared stored, with earlier work",
        stored("workspace.prepared"),
        scenario=CONTINUED,
    ),
    cut(
        "earlier work taken in, not told",
        Call(f"{RUN_WORKSPACE}:import_work", "after"),
        scenario=CONTINUED,
    ),
    cut("status.adopted stored", stored("status.adopted"), scenario=CONTINUED),
    cut("status.adopted stored, its work gone", stored("status.adopted"), scenario=GONE),
    cut(
        "workspace.prepared stored, specification changed",
        stored("workspace.prepared"),
        scenario=CHANGED,
    ),
    cut("pass set back, file not written", stored("deliverable.changed"), scenario=GONE),
)

SESSION = (
    cut("round.started stored", stored("round.started")),
    cut("session.started stored", stored("session.started")),
    cut("agent about to be spawned", Call(SPAWN, "before")),
    cut("agent spawned", Call(SPAWN, "after")),
    cut("prompt sent", Call(PROMPT, "after")),
    cut("agent.started stored", stored("agent.started")),
    cut("first tool decided", stored("tool.decided")),
    cut("deliverable.created stored, file not written", stored("deliverable.created")),
    cut("status.json half written", Call(REPLACE, "before", ("status.json.new",))),
    cut("status.json written, agent not answered", Call(STATUS, "after")),
    cut("before a batch of shown events", stored("tool.finished", moment="before")),
    cut("inside a batch of shown events", half_stored("tool.finished")),
    cut("after a batch of shown events", stored("tool.finished")),
    cut("usage.reported stored", stored("usage.reported", 2)),
    cut("Write decided, not done", stored("tool.decided", 2)),
    cut("Write done, told", stored("tool.finished", 2)),
    taken("deliverable.changed half stored", half_stored("deliverable.changed")),
    taken("deliverable.changed stored, file not written", stored("deliverable.changed")),
    cut("pass in status.json, agent not answered", Call(STATUS, "after", number=2)),
    cut(
        "agent gone, its processes not swept",
        Call(f"{SANDBOXED_AGENT}:wait_until_sandbox_inactive", "before", number=2),
    ),
    cut("before session.ended is stored", stored("session.ended", 2, "before")),
    cut("session.ended stored", stored("session.ended", 2)),
    taken("session.ended stored, taken over", stored("session.ended", 1)),
)

HOME = (
    cut("before the commit", Call(f"{RUN_WORKSPACE}:commit_round", "before", number=2)),
    cut("commit object made, branch not moved", git("after", "commit-tree")),
    cut("git commit-tree running", git_running("commit-tree")),
    cut("branch moved, index old", Call("treadle.workspace.commits:copy_index", "before")),
    cut("commit made, not told", Call(f"{RUN_WORKSPACE}:commit_round", "after", number=2)),
    taken(
        "commit made, not told, taken over",
        Call(f"{RUN_WORKSPACE}:commit_round", "after", number=2),
    ),
    cut("work.committed stored", stored("work.committed")),
    cut("git fetch into the quarantine running", git_running("fetch", "/tip", number=2)),
    cut(
        "fetched into the quarantine, not judged",
        Call(f"{RUN_WORKSPACE}:fetch_round", "after", number=2),
        scenario=OWN_COMMIT,
    ),
    cut("judged, not imported", Call(f"{RUN_WORKSPACE}:screen_round", "after", number=2)),
    cut("git fetch running", git_running("fetch", ".quarantine", number=2)),
    cut(
        "imported, clone not continued",
        Call(f"{RUN_WORKSPACE}:continue_from", "before", number=2),
        scenario=OWN_COMMIT,
    ),
    cut("fetched, not told", Call(f"{RUN_WORKSPACE}:import_work", "after", number=2)),
    cut(
        "fetched, not told, agent's own commit",
        Call(f"{RUN_WORKSPACE}:import_work", "after", number=2),
        scenario=OWN_COMMIT,
    ),
    cut("session.ended stored, commit dropped", stored("session.ended", 2), scenario=DROPPED),
    cut(
        "dropped commit kept, not told",
        Call(f"{SESSION_COMMITS}:keep_dropped_commits", "after", number=2),
        scenario=DROPPED,
    ),
    cut("git fetch of a dropped commit running", git_running("fetch", ".links"), scenario=DROPPED),
    cut("commits.kept stored, links not removed", stored("commits.kept"), scenario=DROPPED),
    cut("session.ended stored, work destroyed", stored("session.ended", 2), scenario=DESTROYED),
    cut(
        "workspace mended, loss not told",
        Call(f"{RUN_WORKSPACE}:commit_round", "after", number=2),
        scenario=DESTROYED,
    ),
    cut("work.imported half stored", half_stored("work.imported")),
    cut("work.imported stored", stored("work.imported")),
    cut("passes not settled", Call(SETTLE, "before", number=2)),
    cut("passes settled in status.json", Call(STATUS, "after", number=3)),
    cut(
        "inside the engine's transaction for “home 2”",
        Call(ENGINE_STORING, "after", number=6),
    ),
    cut("before plan.made is stored", stored("plan.made", moment="before")),
    cut("plan.made stored", stored("plan.made")),
)

LANDING = (
    cut("backup ref written", Call(f"{LAND}:back_up", "after")),
    cut("before the merge", git("before", "merge", "--ff-only")),
    cut("git merge running", git_running("merge", "--ff-only"), landing=True),
    cut("merged, not told", git("after", "merge", "--ff-only"), landing=True),
    taken("merged, not told, taken over", git("after", "merge", "--ff-only"), landing=True),
    cut(
        "index moved to the snapshot", git("after", "read-tree", "-i"), scenario=DIRTY, landing=True
    ),
    cut(
        "HEAD moved to the snapshot",
        git("after", "update-ref", "HEAD"),
        scenario=DIRTY,
        landing=True,
    ),
    cut(
        "merged over the snapshot", git("after", "merge", "--ff-only"), scenario=DIRTY, landing=True
    ),
    cut("work.landed half stored", half_stored("work.landed"), landing=True),
    cut("work.landed stored", stored("work.landed"), landing=True),
    cut("before run.ended is stored", stored("run.ended", moment="before"), landing=True),
    taken("run.ended stored, engine not told", stored("run.ended"), landing=True),
    Case(
        "run.ended stored, resumed",
        (CaseCommand("deliver", stored("run.ended")), CaseCommand("resume")),
        landing=True,
    ),
    Case(
        "engine told, command not ended",
        (
            CaseCommand("deliver", Call("treadle.runs.start:result_from", "before")),
            CaseCommand("resume"),
        ),
        landing=True,
    ),
)

WAITING = (
    cut("session that met the quota stored", stored("session.ended", 2), scenario=QUOTA),
    cut("step “pause 1” was acted, not stored", AtStep("pause 1", "acted"), scenario=QUOTA),
    cut("run.paused stored", stored("run.paused"), scenario=QUOTA),
    cut("inside the quota sleep", Call(WAIT, "during", number=2), scenario=QUOTA),
    taken("inside the quota sleep, taken over", Call(WAIT, "during", number=2), scenario=QUOTA),
    cut("run.resumed stored", stored("run.resumed"), scenario=QUOTA),
    cut("round.failed stored", stored("round.failed"), scenario=FAILURE),
    cut("inside the retry sleep", Call(WAIT, "during", number=2), scenario=FAILURE),
    taken("inside the retry sleep, taken over", Call(WAIT, "during", number=2), scenario=FAILURE),
    cut("retry begun", stored("round.started", 3), scenario=FAILURE),
    cut("outage, run.paused stored", stored("run.paused"), scenario=OUTAGE),
    cut("inside the sleep of an outage", Call(WAIT, "during", number=2), scenario=OUTAGE),
    taken("outage, taken over by a worker", Call(WAIT, "during", number=2), scenario=OUTAGE),
    cut("session after an outage begun", stored("round.started", 3), scenario=OUTAGE),
)


def verifying() -> Iterator[Case]:
    """While Treadle itself finds out whether a claim holds."""
    for step in ("verify 1", "verify 2", "verify 3", "show 1"):
        yield cut(f"step “{step}” was acted, not stored", AtStep(step, "acted"), scenario=CHECKED)
    yield cut("check about to be run", Call(RUN_CHECK, "before"), scenario=CHECKED)
    yield cut("tests running", Call(RUN_CHECK, "during", number=3), scenario=SLOWLY)
    yield cut("check over, its log not kept", Call(KEEP_LOG, "before"), scenario=CHECKED)
    yield cut("check.finished stored", stored("check.finished", 1), scenario=CHECKED)
    yield cut("red check.finished stored", stored("check.finished", 2), scenario=CHECKED)
    yield cut("suite.finished stored", stored("suite.finished", 2), scenario=CHECKED)
    yield cut("claim.refused stored", stored("claim.refused"), scenario=CHECKED)
    yield cut("proven, file not written", stored("deliverable.changed"), scenario=CHECKED)
    yield taken("proven, taken over", stored("deliverable.changed"), scenario=CHECKED)


CASES: tuple[Case, ...] = (
    *at_steps(),
    *BEGINNING,
    *SESSION,
    *HOME,
    *LANDING,
    *WAITING,
    *verifying(),
    *RECOVERING,
    *REOPENED,
    *WORKERS,
    *APPROVALS,
)

# The database is another, the run is not: one point of each kind is enough.
ON_POSTGRES: tuple[Case, ...] = tuple(
    case
    for case in CASES
    if case.name
    in (
        "deliverable.changed half stored",
        "commit made, not told, twice",
        "inside the quota sleep",
        "worker in the landing, resumed by a person",
    )
)

# Begun by the version before, whose database this version takes over: one point of each kind.
AFTER_UPGRADE: tuple[Case, ...] = tuple(
    case
    for case in CASES
    if case.name
    in (
        "Write decided, not done",
        "deliverable.changed half stored",
        "commit made, not told, twice",
        "inside the quota sleep",
        "proven, file not written",
        "run.reopened stored",
        "worker in a session, another worker",
        "waiting for an approval",
    )
)


def named(name: str) -> Case:
    """The case with this name."""
    return next(case for case in CASES if case.name == name)
