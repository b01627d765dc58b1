"""Where the work of a run was and is, by its log: imports, landings, drops and restorations."""

from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.publishing import BranchPushed
from treadle.domain.events.work import (
    LandingUndone,
    WorkDropped,
    WorkImported,
    WorkLanded,
    WorkRestored,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId
from treadle.domain.ports import Store

_TYPES = (
    *("workspace.prepared", "work.imported", "branch.pushed"),
    *("work.landed", "landing.undone", "work.dropped", "work.restored"),
)


@dataclass(frozen=True, slots=True)
class WorkLog:
    """The state after the last event."""

    prepared: WorkspacePrepared | None = None
    imported: WorkImported | None = None
    # All that it had in the user's repository, the last one last.
    branches: tuple[str, ...] = ()
    # The last commit that is on the remote.
    pushed: str = ""
    # Unless that was undone or restored since.
    landed: WorkLanded | None = None
    # What was imported when it landed: the work alone, and the HEAD that it was joined with.
    landed_work: str = ""
    landed_onto: str | None = None
    # Whether a person has taken the last landing back.
    is_undone: bool = False
    dropped: WorkDropped | None = None
    dropped_at: datetime | None = None
    # Refs in the run's store that went back into its clone.
    work_refs: frozenset[str] = frozenset()


def read_work_log(store: Store, run: RunId) -> WorkLog:
    log = WorkLog()
    for recorded in store.read(run, types=_TYPES):
        log = _after(log, recorded)
    return log


def _after(log: WorkLog, recorded: RecordedEvent) -> WorkLog:
    match recorded.event:
        case WorkspacePrepared() as event:
            return replace(log, prepared=event)
        case WorkImported() as event:
            others = (branch for branch in log.branches if branch != event.branch)
            return replace(log, imported=event, branches=(*others, event.branch))
        case BranchPushed(commit=commit):
            return replace(log, pushed=commit)
        case WorkLanded() as event:
            return _with_landing(log, event)
        case LandingUndone():
            return replace(log, landed=None, is_undone=True)
        case WorkDropped() as event:
            refs = log.work_refs | ({event.work} - {""})
            return replace(log, dropped=event, dropped_at=recorded.at, work_refs=refs)
        case WorkRestored(branches=branches):
            # A branch that was taken meanwhile is restored under another name.
            names = (*(each for each in log.branches if each not in branches), *branches)
            return replace(log, dropped=None, dropped_at=None, branches=names)
        case _:
            return log


def _with_landing(log: WorkLog, event: WorkLanded) -> WorkLog:
    work, onto = event.commit, None
    if log.imported is not None:
        work, onto = log.imported.work or log.imported.commit, log.imported.onto
    return replace(log, landed=event, landed_work=work, landed_onto=onto, is_undone=False)
