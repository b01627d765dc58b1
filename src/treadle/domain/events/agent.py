"""Events of the agent in a session. Long texts and tool arguments are shortened."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """The agent process has started and reported its model and version."""

    model: str
    version: str
    tools: tuple[str, ...]
    type: Literal["agent.started"] = "agent.started"


@dataclass(frozen=True, slots=True)
class AgentSpoke:
    """Text of the agent, without markers."""

    text: str
    type: Literal["agent.spoke"] = "agent.spoke"


@dataclass(frozen=True, slots=True)
class AgentThought:
    """A thinking block, shortened."""

    text: str
    type: Literal["agent.thought"] = "agent.thought"


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model asked for a tool; a `tool.decided` follows."""

    id: str
    name: str
    input: dict[str, Any]
    parent: str | None = None
    type: Literal["tool.called"] = "tool.called"


@dataclass(frozen=True, slots=True)
class ToolDecided:
    """The decision on one tool use, by the policy or a person, stored before the tool runs."""

    id: str
    name: str
    decision: Literal["allow", "deny"]
    reason: str
    # The rule that decided, and the approval that a person gave, if one was asked for.
    rule: str = ""
    approval: str = ""
    type: Literal["tool.decided"] = "tool.decided"


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The result of a tool, shortened."""

    id: str
    output: str
    is_error: bool
    type: Literal["tool.finished"] = "tool.finished"


@dataclass(frozen=True, slots=True)
class UsageReported:
    """The usage of one model response. The cost is an estimate from the price table."""

    model: str
    usage: Usage
    cost_usd: float
    type: Literal["usage.reported"] = "usage.reported"


@dataclass(frozen=True, slots=True)
class ApiRetried:
    """The model service failed and the agent retries by itself."""

    attempt: int
    max_attempts: int
    delay_s: float
    status: int | None
    error: str
    type: Literal["api.retried"] = "api.retried"


@dataclass(frozen=True, slots=True)
class QuotaReported:
    """The provider reported how much of a quota window is used."""

    status: str
    window: str
    resets_at: datetime | None
    utilization: float | None
    type: Literal["quota.reported"] = "quota.reported"


@dataclass(frozen=True, slots=True)
class MessageSkipped:
    """The agent sent a message of a kind that this version does not know; it was skipped."""

    kind: str
    type: Literal["message.skipped"] = "message.skipped"


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """A background process of a tool was ended with its session."""

    pid: int
    command: str
    type: Literal["process.ended"] = "process.ended"
