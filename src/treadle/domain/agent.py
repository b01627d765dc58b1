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
    """A chunk of text as it arrives; chunks end anywhere, even inside a marker."""

    text: str


@dataclass(frozen=True, slots=True)
class TextClosed:
    """A block of text is complete."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The agent is alive; nothing else is known."""


@dataclass(frozen=True, slots=True)
class ResponseStarted:
    """The first byte of a model's response has arrived."""


@dataclass(frozen=True, slots=True)
class ResponseUsed:
    """The usage of one model response."""

    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure as the agent reported it; `session.faults` decides what it means."""

    message: str
    api_status: int | None = None
    error: str = ""
    terminal_reason: str = ""
    subtype: str = ""
    exit_code: int | None = None


# The subtype of a fault of the sandbox.
SANDBOX_FAULT = "sandbox"


@dataclass(frozen=True, slots=True)
class AgentEnded:
    """The end of the stream, exactly once. A resumed session's earlier cost is not included."""

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
    """One use of a tool that needs a decision."""

    id: str
    name: str
    input: Mapping[str, Any]
    # The working directory of the agent's shell; empty: the workspace.
    directory: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    reason: str = ""
    # The name of the rule that decided, as in `treadle policy show`.
    rule: str = ""
    # The approval that a person gave, if one was asked for.
    approval: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must decide about `subject`."""

    reason: str
    subject: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Deny:
    """The agent reads the reason, and what to do instead."""

    reason: str
    rule: str = ""
    approval: str = ""


# The policy's decision; `Ask` becomes `Allow` or `Deny` before the agent gets it.
PolicyDecision: TypeAlias = Allow | Ask | Deny
Decision: TypeAlias = Allow | Deny
Decide: TypeAlias = Callable[[ToolUse], Awaitable[Decision]]


@dataclass(frozen=True, slots=True)
class ToolReply:
    text: str
    is_error: bool = False


# The MCP server of our tools, and the prefix of their names.
OWN_SERVER = "treadle"
OWN_TOOLS = f"mcp__{OWN_SERVER}__"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of ours that the agent can call; the agent sees its name with `OWN_TOOLS`."""

    name: str
    description: str
    schema: Mapping[str, Any]
    call: Callable[[Mapping[str, Any]], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True)
class CommitIdentity:
    """The author of commits."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A person's terminal: its descriptors, and the variables that say what it can show."""

    input: int
    output: int
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionBrief:
    """Everything one session is started with."""

    session: SessionId
    role: Role
    prompt: str
    context: str  # the project's own instructions, appended to the system prompt
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
    # Set to continue an earlier conversation; its earlier cost is not counted again.
    resume: bool = False
    # The session whose conversation a new session continues under its own id.
    continues: SessionId | None = None
    # Of a session that was cut off, also if the agent begins it anew.
    cost_before_usd: float = 0.0
    # Handed to the agent, for a person to talk to it; None: the prompt is all that it is told.
    terminal: Terminal | None = None
    # All that the agent may write, whatever its role; None: what its role may.
    writable: tuple[Path, ...] | None = None


@dataclass(frozen=True, slots=True)
class LeftoverProcess:
    """A process that outlived its session."""

    pid: int
    command: str
