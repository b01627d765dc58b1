"""Lands the work of a queue's items later, when the checkout allows it."""

from dataclasses import dataclass

from treadle.adapters.stores.run_list import find_run
from treadle.domain.errors import ProjectInUse, StoreError, TreadleError
from treadle.domain.events.work import WorkKept, WorkLanded
from treadle.domain.ids import RunId
from treadle.domain.ports import Store
from treadle.runs.finished_work import land_run, work_of
from treadle.wiring.checked_request import CheckedRequest
from treadle.workspace.snapshot import CheckoutState, read_checkout


def landed_commit(store: Store, run: RunId) -> str:
    """The commit at which the work of the run landed; empty if it is not in the checkout."""
    last = [recorded.event for recorded in store.read(run, types=("work.landed", "work.kept"))][-1:]
    return next((event.commit for event in last if isinstance(event, WorkLanded)), "")


def is_kept_by_checkout(store: Store, run: RunId) -> bool:
    """Whether the work would land in another state of the checkout. A person who was asked and said
    no, or who has dropped the work, is not asked again, nor is a setting against it."""
    log = store.read(run, types=("work.landed", "work.kept", "work.dropped"))
    last = [recorded.event for recorded in log][-1:]
    return any(isinstance(event, WorkKept) and event.by_checkout for event in last)


@dataclass(slots=True)
class LaterLanding:
    """The last good work of a queue, which contains all earlier one."""

    checked: CheckedRequest
    store: Store
    # What the checkout was when it was last tried.
    tried: CheckoutState | None = None

    async def land(self, run: RunId) -> WorkLanded | None:
        """Land the work of the run if only the checkout kept it on its branch, and has changed
        since; None if it stays there."""
        if not is_kept_by_checkout(self.store, run):
            return None
        try:
            now = await read_checkout(self.checked.project)
            if now == self.tried:
                return None
            self.tried = now
            return await self._land(run)
        except StoreError:
            raise
        except ProjectInUse:
            self.tried = None
            return None
        except TreadleError:
            return None  # it stays on its branch, and its log says why

    async def _land(self, run: RunId) -> WorkLanded | None:
        environment = self.checked.environment
        row = find_run(environment.storage, run)
        work = work_of(self.store, row)
        event = None if work is None else await land_run(row, environment, work)
        return event if isinstance(event, WorkLanded) else None
