"""The log files that a run writes beside its log in the database; they are copies, and go with it.

One file for each session, one of JSON lines for the run, one for all runs of this installation,
and the one of `--log-file`; those of a queue of increments in the form of other loops.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.stores.json_logs import ALL_RUNS_LOG, RUN_LOG, JsonLog, RotatedFile
from treadle.adapters.stores.recorder import EventReader
from treadle.adapters.stores.run_list import run_directory
from treadle.adapters.stores.session_logs import SessionLogs
from treadle.domain.errors import UsageError
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ports import Store
from treadle.wiring.checked_request import CheckedRequest
from treadle.workflows.auto.auto_logs import (
    AutoLogState,
    auto_log_lines,
    file_name,
    with_question,
)
from treadle.workflows.auto.next_step import WORKFLOW as INCREMENT
from treadle.workflows.queue.queue_state import read_queue
from treadle.workspace.project_root import find_link


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The readers that write the files of one run."""

    sessions: SessionLogs
    readers: Sequence[EventReader]

    def close(self) -> None:
        self.sessions.close()


def open_log_files(checked: CheckedRequest, store: Store) -> LogFiles:
    """The files of this run, as far as they can be written; nothing is opened yet."""
    root, run = checked.environment.root, checked.request.run
    sessions = SessionLogs(run_directory(root, run))
    files = [RotatedFile(root / ALL_RUNS_LOG), RotatedFile(run_directory(root, run) / RUN_LOG)]
    if checked.request.log_file:
        files.append(RotatedFile(Path(checked.request.log_file)))
    with suppress(OSError):
        (root / ALL_RUNS_LOG).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    readers = [sessions.read_event, *(JsonLog(file).read_event for file in files)]
    if checked.request.queue is not None and checked.request.workflow == INCREMENT:
        readers.append(_auto_logs(root, checked, store).read_event)
    return LogFiles(sessions, readers)


def _auto_logs(root: Path, checked: CheckedRequest, store: Store) -> "AutoLogs":
    """Those of the queue, continued by the run of one increment."""
    queue = checked.request.queue
    assert queue is not None  # noqa: S101  the caller has looked
    records = read_queue(store.read(queue)).records
    earlier = [each.ended.rounds for each in records if each.ended is not None]
    names = [each.started.item for each in records if each.started.run == checked.request.run]
    state = AutoLogState("".join(names[-1:]), sum(earlier))
    return AutoLogs(run_directory(root, queue), state)


@dataclass(slots=True)
class AutoLogs:
    """A reader that appends to the files of a queue. It never raises."""

    directory: Path
    state: AutoLogState

    def read_event(self, recorded: RecordedEvent) -> None:
        self.state = with_question(self.state, recorded)
        for log, text in auto_log_lines(self.state, recorded):
            line = "".join(each if each.isprintable() else " " for each in text)
            with suppress(OSError):
                RotatedFile(self.directory / file_name(log)).append(f"{line}\n".encode())


def require_log_file(named: Path, project: Path) -> str:
    """The path as it is stored with the run; raises UsageError if nothing can be written there."""
    if link := find_link(named, project):
        raise UsageError(f"{link} is a symbolic link in the project", hint="name another file")
    path = named.parent.resolve() / named.name
    if path.is_relative_to(project) and not path.is_relative_to(project / ".treadle"):
        # A new file there would keep the work from landing.
        raise UsageError(
            f"{named} is in the project, where it would keep work from landing",
            hint="name a file elsewhere, or below .treadle",
        )
    try:
        RotatedFile(path).append(b"")
    except OSError as error:
        raise UsageError(
            f"cannot write {named}: {error.strerror}",
            hint="name a file in a folder that exists and that you can write to",
        ) from None
    return str(path)
