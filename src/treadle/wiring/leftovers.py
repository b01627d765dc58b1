"""What is left of runs whose process was killed is ended, but never what somebody works on."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack

from treadle.adapters.stores.runs import list_runs
from treadle.domain.events.agent import ProcessEnded
from treadle.domain.events.session import SessionStarted
from treadle.domain.ids import RunId
from treadle.domain.ports import Store
from treadle.domain.run_row import RunFilter
from treadle.settings.environment import Environment
from treadle.wiring.agent import end_lost_processes
from treadle.wiring.holding import hold_orphan

LOOK_BACK = 50


async def end_leftovers(
    own: Iterable[str], store: Store, environment: Environment, tell: Callable[[ProcessEnded], None]
) -> None:
    """End the processes of the caller's own earlier sessions and commands, and those of all lost
    runs."""
    with ExitStack() as held:
        lost: list[str] = []
        for row in list_runs(environment.storage, RunFilter(states=("lost",), limit=LOOK_BACK)):
            # Held to the end: a session that is taken up again has the name that it had.
            if held.enter_context(hold_orphan(environment.root, row.id)):
                lost += [row.id, *sessions_of(store, row.id)]
        for process in await end_lost_processes((*own, *lost)):
            tell(ProcessEnded(process.pid, process.command))


def sessions_of(store: Store, run: RunId) -> list[str]:
    """The names of all sessions that a run began."""
    started = (recorded.event for recorded in store.read(run, types=("session.started",)))
    return [event.session for event in started if isinstance(event, SessionStarted)]
