"""Sample runs in a real store, as the commands that read find them."""

import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import run_lock
from treadle.cli.terminal.styled_lines import Line, RenderOptions, format_line
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RunQueued, RunStarted
from treadle.domain.ids import RunId
from treadle.domain.storage import Storage
from treadle.workspace.project_root import project_key

from .sample_runs import ALL_RUNS, RUN, START

LATER = START + timedelta(hours=3)
OPTIONS = RenderOptions(zone=UTC)

Command = Callable[..., int]


def _in_project(event: Event, run: RunId, project: Path) -> Event:
    if isinstance(event, RunQueued | RunStarted):
        return replace(event, run=run, project=str(project), project_key=project_key(project))
    return event


def store(
    root: Path, log: Sequence[RecordedEvent], project: Path, *, number: int = 4
) -> list[RecordedEvent]:
    """Keep a sample run under an id of its own, a day later for each number."""
    run, days = RunId(f"{RUN[:-1]}{number}"), timedelta(days=number)
    kept = open_store(Storage(root))
    stored = kept.append(run, [(r.at + days, _in_project(r.event, run, project)) for r in log])
    kept.close()
    return list(stored)


def store_all(root: Path, project: Path) -> None:
    for number, sample in enumerate(ALL_RUNS.values()):
        store(root, sample(), project, number=number)


@contextmanager
def living(root: Path, run: RunId) -> Iterator[None]:
    """The run has an owner for a while."""
    lock = run_lock(root, run)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def drawn(lines: Sequence[Line]) -> list[str]:
    return [format_line(line, OPTIONS) for line in lines]
