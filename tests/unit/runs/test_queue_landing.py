"""Work of a queue's item lands later if nothing but the checkout has kept it."""

import pytest

from tests.builders import NOON, RUN
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.domain.events.work import WorkDropped, WorkKept, WorkLanded
from treadle.runs.queue_landing import is_kept_by_checkout, landed_commit

BRANCH = "treadle/b-2"
BY_CHECKOUT = WorkKept(BRANCH, "main has other commits", "git merge", by_checkout=True)
BY_PERSON = WorkKept(BRANCH, "you said no", "git merge")
LANDED = WorkLanded(BRANCH, "9fceb02d")


@pytest.mark.parametrize(
    ("log", "is_kept", "commit"),
    [
        ((), False, ""),
        ((BY_CHECKOUT,), True, ""),
        ((BY_PERSON,), False, ""),
        ((BY_CHECKOUT, LANDED), False, "9fceb02d"),
        # Its branch is gone, and would be missed after each change of the checkout.
        ((BY_CHECKOUT, WorkDropped((), "", (), "")), False, ""),
    ],
)
def test_the_last_word_about_the_work_decides(
    log: tuple[WorkKept | WorkLanded | WorkDropped, ...], *, is_kept: bool, commit: str
) -> None:
    store = MemoryStore()
    store.append(RUN, [(NOON, event) for event in log])

    assert (is_kept_by_checkout(store, RUN), landed_commit(store, RUN)) == (is_kept, commit)
