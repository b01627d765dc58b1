"""Events of a run: its rounds, pauses, warnings and end."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.domain.ids import RunId
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult

SandboxMode = Literal["unsandboxed", "sandboxed"]
# What a session is asked to do; its text is `.treadle/instructions/<name>.md` where there is one.
# The name of an instruction; each workflow has its own.
Instruction = str


@dataclass(frozen=True, slots=True)
class RunQueued:
    """The run waits for a worker: the first event of a detached run."""

    run: RunId
    workflow: str
    project: str
    project_key: str
    rehearsal: bool
    type: Literal["run.queued"] = "run.queued"


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A process works on the run: its first event, except for `run.queued`."""

    run: RunId
    workflow: str
    project: str
    project_key: str
    version: str
    model: str
    plan_model: str
    limits: RunLimits
    sandbox: SandboxMode
    rehearsal: bool
    # The kind of login that the agent uses, in words; empty in rehearsals.
    login: str = ""
    # The queue whose item it does.
    queue: RunId | None = None
    type: Literal["run.started"] = "run.started"


@dataclass(frozen=True, slots=True)
class RunWarned:
    """Something a person should know that does not stop the run."""

    message: str
    type: Literal["run.warned"] = "run.warned"


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """One fresh session is about to work."""

    number: int
    instruction: Instruction
    type: Literal["round.started"] = "round.started"


@dataclass(frozen=True, slots=True)
class RoundFailed:
    """A round ended in an error that counts towards `max_retries`."""

    number: int
    message: str
    consecutive: int
    max_retries: int
    type: Literal["round.failed"] = "round.failed"


@dataclass(frozen=True, slots=True)
class RunPaused:
    """The run sleeps until the provider's quota is back; this does not count as running time."""

    reason: str
    until: datetime
    type: Literal["run.paused"] = "run.paused"


@dataclass(frozen=True, slots=True)
class RunResumed:
    """The pause is over."""

    type: Literal["run.resumed"] = "run.resumed"


@dataclass(frozen=True, slots=True)
class RunRecovered:
    """The run's process was gone, and another one continues it, within these limits."""

    limits: RunLimits | None = None
    sandbox: SandboxMode = "sandboxed"
    type: Literal["run.recovered"] = "run.recovered"


@dataclass(frozen=True, slots=True)
class RunReopened:
    """A run that had ended continues, within these limits; what it has used counts."""

    # follow: by the run itself, to follow its pull request.
    by: Literal["resume", "retry", "follow"]
    limits: RunLimits
    sandbox: SandboxMode = "sandboxed"
    type: Literal["run.reopened"] = "run.reopened"


@dataclass(frozen=True, slots=True)
class InterruptRequested:
    """A person or the system asked the run to stop."""

    by: Literal["SIGINT", "SIGTERM", "SIGHUP", "cancel", "pause"]
    type: Literal["interrupt.requested"] = "interrupt.requested"


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run has ended. Only a later `treadle land` or `treadle resume` adds to its log."""

    result: RunResult
    type: Literal["run.ended"] = "run.ended"
