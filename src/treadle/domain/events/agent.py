"""Events of what the agent did in a session. Texts and tool arguments are bounded already."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The agent process is up and has named its model and version."""

    model: str
    version: str
    tools: tuple[str, ...]
    type: Literal["agent.started"] = "agent.started"


@dataclass(frozen=True, slots=True)
class AgentSpoke:
    """Text for people, markers taken out."""

    text: str
    type: Literal["agent.spoke"] = "agent.spoke"


@dataclass(frozen=True, slots=True)
class AgentThought:
    """A thinking block, shortened."""

    text: str
    type: Literal["agent.thought"] = "agent.thought"


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asked for a tool. Whether it may is said by the `tool.decided` that follows."""

    id: str
    name: str
    input: dict[str, Any]
    parent: str | None = None
    type: Literal["tool.called"] = "tool.called"


@dataclass(frozen=True, slots=True)
class ToolDecided:
    """The answer to one tool use, of the policy or of a person, stored before the tool runs."""

    id: str
    name: str
    decision: Literal["allow", "deny"]
    reason: str
    # The rule that decided, and the question that a person answered so, if one was asked.
    rule: str = ""
    approval: str = ""
    type: Literal["tool.decided"] = "tool.decided"


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool gave its result, shortened."""

    id: str
    output: str
    is_error: bool
    type: Literal["tool.finished"] = "tool.finished"


@dataclass(frozen=True, slots=True)
class UsageReported:
    """One model response was used up. The cost is our own estimate from the price table."""

    model: str
    usage: Usage
    cost_usd: float
    type: Literal["usage.reported"] = "usage.reported"


@dataclass(frozen=True, slots=True)
class ApiRetried:
    """The model service failed and the agent tries again by itself."""

    attempt: int
    max_attempts: int
    delay_s: float
    status: int | None
    error: str
    type: Literal["api.retried"] = "api.retried"


@dataclass(frozen=True, slots=True)
class QuotaReported:
    """The provider said how much of a usage window is left."""

    status: str
    window: str
    resets_at: datetime | None
    utilization: float | None
    type: Literal["quota.reported"] = "quota.reported"


@dataclass(frozen=True, slots=True)
class MessageSkipped:
    """The agent said something this version does not know; it was passed over."""

    kind: str
    type: Literal["message.skipped"] = "message.skipped"


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """A background process left by a tool was ended with its session."""

    pid: int
    command: str
    type: Literal["process.ended"] = "process.ended"
