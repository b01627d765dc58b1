"""What landed, and on what, is known from the import before the landing."""

import pytest

from tests.builders import NOON, RUN
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.domain.events.work import LandingUndone, WorkImported, WorkLanded
from treadle.runs.work_log import read_work_log

BRANCH = "treadle/work"


@pytest.mark.parametrize(
    ("imported", "landed"),
    [
        (WorkImported(BRANCH, "work", 1), ("work", None)),
        # It was joined with what the user had done meanwhile.
        (WorkImported(BRANCH, "joined", 1, "work", "head"), ("work", "head")),
    ],
)
def test_the_landed_work_is_the_one_of_the_sessions(
    imported: WorkImported, landed: tuple[str, str | None]
) -> None:
    store = MemoryStore()
    later = WorkImported(BRANCH, "later", 2)
    store.append(RUN, [(NOON, event) for event in (imported, WorkLanded(BRANCH, "landed"), later)])

    log = read_work_log(store, RUN)

    assert (log.landed_work, log.landed_onto, log.is_undone) == (*landed, False)
    store.append(RUN, [(NOON, LandingUndone(BRANCH, "landed", "head"))])
    assert read_work_log(store, RUN).is_undone
