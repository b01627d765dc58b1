"""What a coding agent receives and what it emits: the types of the `Agent` port."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from treadle.domain.events.agent import (
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    QuotaReported,
    ToolCalled,
    ToolFinished,
)
from treadle.domain.ids import SessionId
from treadle.domain.session import Outcome
from treadle.domain.signal import Role
from treadle.domain.usage import Usage


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """A piece of text as it arrives; pieces break anywhere, also inside a marker."""

    text: str


@dataclass(frozen=True, slots=True)
class TextClosed:
    """A block of text is complete."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The agent is alive and has nothing to show for it."""


@dataclass(frozen=True, slots=True)
class ResponseStarted:
    """The model began to answer: the first byte of a response."""


@dataclass(frozen=True, slots=True)
class ResponseUsed:
    """What one model response used."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure as the agent described it; `session` decides what it means."""

    message: str
    api_status: int | None = None
    error: str = ""
    terminal_reason: str = ""
    subtype: str = ""
    exit_code: int | None = None


# The subtype of a fault that is the sandbox's, not the agent's.
SANDBOX_FAULT = "sandbox"


@dataclass(frozen=True, slots=True)
class AgentEnded:
    """The end of the stream, exactly once. Cost and usage are those of this session alone."""

    outcome: Outcome | Fault
    cost_usd: float | None = None
    usage: Usage | None = None
    turns: int = 0


AgentEvent: TypeAlias = (
    AgentStarted
    | TextStreamed
    | TextClosed
    | AgentThought
    | ToolCalled
    | ToolFinished
    | ResponseStarted
    | ResponseUsed
    | ApiRetried
    | QuotaReported
    | MessageSkipped
    | Heartbeat
    | AgentEnded
)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One use of a tool that the agent asks leave for."""

    id: str
    name: str
    input: Mapping[str, Any]
    # Where the agent's shell is, which is where relative paths begin; empty: in the workspace.
    directory: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    reason: str = ""
    # The rule that decided, by the name that `treadle policy show` lists it under.
    rule: str = ""
    # The question to a person that was answered so, if one was asked.
    approval: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must decide, and why; `subject` is exactly what they decide about."""

    reason: str
    subject: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Deny:
    """No, why, and what to do instead: the agent reads it."""

    reason: str
    rule: str = ""
    approval: str = ""


# What the policy says; a question to a person becomes a yes or a no before the agent hears of it.
PolicyDecision: TypeAlias = Allow | Ask | Deny
Decision: TypeAlias = Allow | Deny
Decide: TypeAlias = Callable[[ToolUse], Awaitable[Decision]]


@dataclass(frozen=True, slots=True)
class ToolReply:
    text: str
    is_error: bool = False


# The MCP server that brings our tools, and what their names begin with on the wire.
OWN_SERVER = "treadle"
OWN_TOOLS = f"mcp__{OWN_SERVER}__"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of ours that the agent can call; on the wire its name begins with `OWN_TOOLS`."""

    name: str
    description: str
    schema: Mapping[str, Any]
    call: Callable[[Mapping[str, Any]], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True)
class CommitIdentity:
    """Whose name commits carry."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class SessionBrief:
    """Everything one session is started with."""

    session: SessionId
    role: Role
    prompt: str
    context: str  # the project's own instructions (CLAUDE.md), appended to the system prompt
    workspace: Path
    home: Path
    model: str
    max_turns: int
    max_cost_usd: float
    decide: Decide
    identity: CommitIdentity
    tools: tuple[Tool, ...] = ()
    builtin_tools: tuple[str, ...] = ()
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    thinking_tokens: int | None = None
    # Set to go on with an earlier conversation; what that one had cost is not counted again.
    resume: bool = False
    cost_before_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class LeftoverProcess:
    """A process that outlived the work that started it."""

    pid: int
    command: str
