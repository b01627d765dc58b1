"""Reads what past runs of a project took, from their logs."""

from treadle.adapters.stores.database import Database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.run_list import RunList, host_of
from treadle.domain.effort import PAST_ENDS, SPENT_EVENTS, Effort, past_effort
from treadle.domain.ids import RunId
from treadle.domain.run_row import RunFilter
from treadle.domain.storage import Storage

# The newest runs; a project and its prices change.
MOST_RUNS = 30


def past_efforts(database: Database, storage: Storage, run: RunId) -> tuple[Effort, ...]:
    """What earlier runs of the same workflow in the same project took; rehearsals count for
    rehearsals only."""
    rows = RunList(database, storage)
    row = rows.find(run)
    same = RunFilter(
        project_key=row.project_key,
        states=("succeeded", "ended"),
        workflow=row.workflow,
        limit=1_000,
    )
    # Ids sort by time.
    earlier = [
        each.id
        for each in rows.select(same)
        if each.id < run and each.rehearsal == row.rehearsal and each.reason in PAST_ENDS
    ]
    store = EventStore(database, host_of(storage.root))
    found = (past_effort(store.read(name, types=SPENT_EVENTS)) for name in earlier[:MOST_RUNS])
    return tuple(each for each in found if each is not None)
