"""Names of runs and legs at the engine, and the location of its tables. Loads no engine."""

from treadle.domain.ids import RunId
from treadle.domain.storage import Storage
from treadle.durable.port import SHARED_QUEUE

ENGINE_WORKFLOW = "deliver"


def run_of(leg: str) -> RunId:
    """The run of a leg."""
    return RunId(leg.partition(".")[0])


def engine_location(storage: Storage) -> str:
    """The location of the engine's tables: a file, or the server that all machines share."""
    return storage.database_url or f"sqlite:///{storage.root / 'engine.db'}"


def own_queue(run: RunId) -> str:
    """The queue that only the run's own process listens to."""
    return f"run.{run}"


def worker_queue(login: str) -> str:
    """The queue of the workers with a login; runs of earlier versions have none."""
    return f"{SHARED_QUEUE}.{login}" if login else SHARED_QUEUE


def leg_name(run: RunId, leg: int) -> str:
    """The engine's name for a leg of a run."""
    return run if leg == 1 else f"{run}.{leg}"
