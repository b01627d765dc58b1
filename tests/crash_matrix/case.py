"""A row of the crash matrix: what is killed where, and what goes on afterwards."""

from dataclasses import dataclass
from typing import Literal

from tests.crash_matrix.spots import Call, Moment, Spot

Command = Literal[
    "deliver", "detach", "resume", "resume further", "worker", "answered worker", "approve"
]

APPEND = "treadle.adapters.stores.event_store:EventStore.append"
INSERTED = "treadle.adapters.stores.event_store:_project"
GIT = "treadle.workspace.git:Git.try_run"
GIT_STARTED = "treadle.workspace.git:Git._start"
STATUS = "treadle.adapters.stores.status_file:StatusFile.write"
REPLACE = "pathlib:Path.replace"
OPENING = "treadle.workflows.loop.open_workspace"
RUN_WORKSPACE = "treadle.workflows.loop.run_workspace"
SESSION_COMMITS = "treadle.workflows.loop.session_commits"
LAND = "treadle.workspace.checkout_landing"
SANDBOXED_AGENT = "treadle.adapters.agents.claude.sandboxed_process"
RUN_CHECK = "treadle.adapters.project_commands.command:SandboxedCheckCommands.run"
KEEP_LOG = "treadle.adapters.stores.evidence:EvidenceLogs.keep"
SPAWN = "treadle.adapters.agents.claude.transport:ProcessTransport.connect"
PROMPT = "treadle.adapters.agents.claude.control:Control.send_prompt"
WAIT = "treadle.workflows.loop.run_pauses:RunPauses.sleep_until"
SETTLE = "treadle.workflows.deliver.board:DeliverableBoard.confirm_passes"
ENGINE_STORING = "dbos._sys_db:SystemDatabase._record_operation_result_txn"
ANSWER = "treadle.adapters.stores.approval_store:DatabaseApprovals.answer"

PLAIN, DIRTY, OWN_COMMIT = "one deliverable", "uncommitted changes", "agent commits"
QUOTA, LONG_QUOTA, FAILURE = "quota spent", "quota spent for longer", "session fails"
OUTAGE = "service fails"
CONTINUED, GONE, ASKED = "earlier work", "earlier work gone", "landing asked"
CHANGED, DESTROYED = "new specification", "work destroyed"
DROPPED = "agent drops a commit"
CHECKED, SLOWLY = "checked work", "checked slowly"
LIMITED = "limit reached"


@dataclass(frozen=True, slots=True)
class CaseCommand:
    """One command, and where its process dies; the last one of a case lives."""

    command: Command
    dies: Spot | None = None
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the matrix."""

    name: str
    commands: tuple[CaseCommand, ...]
    scenario: str = PLAIN
    # The user's checkout is being changed at that moment, as it should be.
    landing: bool = False


def cut(name: str, spot: Spot, *, scenario: str = PLAIN, landing: bool = False) -> Case:
    """Killed in the foreground, resumed by a person."""
    return Case(name, (CaseCommand("deliver", spot), CaseCommand("resume")), scenario, landing)


def taken(name: str, spot: Spot, *, scenario: str = PLAIN, landing: bool = False) -> Case:
    """Killed in the foreground, taken over by a worker."""
    return Case(name, (CaseCommand("deliver", spot), CaseCommand("worker")), scenario, landing)


def stored(event: str, number: int = 1, moment: Moment = "after") -> Call:
    """When an event of this type is in the log, or is about to be."""
    return Call(APPEND, moment, (event,), number)


def half_stored(event: str, number: int = 1) -> Call:
    """Inside the transaction that stores the event."""
    return Call(INSERTED, "before", (event,), number)


def git(moment: Moment, *words: str, number: int = 1) -> Call:
    return Call(GIT, moment, words, number)


def git_running(*words: str, number: int = 1) -> Call:
    """Git has been started and goes on without us."""
    return Call(GIT_STARTED, "after", words, number)
