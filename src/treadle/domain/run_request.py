"""What a run was asked for, as it is stored with the run. Types only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.ids import RunId
from treadle.domain.run import RunResult


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Every process that executes or continues the run reads this."""

    run: RunId
    project_dir: str
    flags: Mapping[str, Any]
    no_sandbox: bool
    rehearsal: bool
    # Given by the person who starts the run, as `no_sandbox` is: no file can give it.
    allow_destructive: bool = False
    # A leg lies between two ends of the run; later legs know how the last one ended.
    leg: int = 1
    so_far: RunResult | None = None
    # Settings by environment variable: the process that continues may have another environment.
    variables: Mapping[str, Any] = field(default_factory=dict)
    # Stored runs without a name are of the first workflow.
    workflow: str = "deliver"
    # What the workflow itself was given, by the names that it declares.
    inputs: Mapping[str, str] = field(default_factory=dict)
    # Of the shell that asked for the run: its variables that are no secrets, and the fingerprint
    # of its secret ones. Requests of earlier versions have neither.
    environment: Mapping[str, str] = field(default_factory=dict)
    login: str = ""
    # Of an item of a queue: the queue, and the run whose work it starts from.
    queue: RunId | None = None
    after: RunId | None = None
    # Where a copy of the log is written as JSON lines besides; empty: nowhere. A person names it.
    log_file: str = ""
