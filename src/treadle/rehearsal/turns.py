"""The values of a parsed script: sessions made of turns, each a reply of the model or a fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from treadle.domain.signal import Role
from treadle.domain.usage import Usage

Auth = Literal["api_key", "subscription"]
CutPoint = Literal["before", "middle"]
QuotaWindow = Literal["five_hour", "seven_day", "seven_day_opus", "seven_day_sonnet"]
Speed = Literal["standard", "fast"]
StopReason = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]

DEFAULT_USAGE = Usage(input_tokens=100, output_tokens=20)


@dataclass(frozen=True, slots=True)
class ReplyText:
    text: str


@dataclass(frozen=True, slots=True)
class ReplyThinking:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model uses; `${workspace}` in its input is replaced when the turn is served."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """A server-sent event that is sent unchanged, for kinds that clients do not know."""

    body: Mapping[str, Any]


ContentBlock: TypeAlias = ReplyText | ReplyThinking | ToolCall | StreamEvent


@dataclass(frozen=True, slots=True)
class QuotaWarning:
    """Reports in a reply that a subscription window is nearly used."""

    used: float
    resets_in_s: float
    window: QuotaWindow = "five_hour"


@dataclass(frozen=True, slots=True)
class ServiceIteration:
    """An answer that the service has made on the way, such as a summary of the conversation. It is
    billed beside the reply and listed in `usage.iterations`."""

    kind: str
    usage: Usage
    model: str | None = None  # None: the model of the reply


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A response of the model, complete or cut off in the middle by a fault."""

    blocks: tuple[ContentBlock, ...]
    stop_reason: StopReason = "end_turn"
    usage: Usage = DEFAULT_USAGE
    speed: Speed | None = None  # None: the usage does not tell
    further: tuple[ServiceIteration, ...] = ()
    model: str | None = None  # None: the model that the request names
    chunk: int | None = None  # characters in one delta; None: a block is one delta
    delay_between_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    quota_warning: QuotaWarning | None = None
    fault: Literal["drop", "hang"] | None = None


@dataclass(frozen=True, slots=True)
class ApiError:
    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuotaSpent:
    """A subscription window is used up; it resets this many seconds after the response."""

    resets_in_s: float
    window: QuotaWindow = "five_hour"


@dataclass(frozen=True, slots=True)
class NoResponse:
    """No byte of a response: the connection is closed, or kept open."""

    how: Literal["drop", "hang"]


@dataclass(frozen=True, slots=True)
class InvalidBody:
    """A 200 with a body that is not in the API's format."""

    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


TurnAnswer: TypeAlias = ModelReply | ApiError | QuotaSpent | NoResponse | InvalidBody


@dataclass(frozen=True, slots=True)
class Turn:
    answer: TurnAnswer
    delay_s: float = 0.0
    repeat: int | None = 1  # None: endless
    expect: tuple[str, ...] = ()
    optional: bool = False  # may stay unused
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SessionScript:
    turns: tuple[Turn, ...]
    role: Role | None = None
    name: str = ""
    subagent: tuple[Turn, ...] = ()
    repeat: int | None = 1  # how many sessions it serves; None: any number
    optional: bool = False
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Script:
    """A whole rehearsal; every turn in it can be reached."""

    sessions: tuple[SessionScript, ...]
    auth: Auth = "api_key"
    source: str = field(default="", compare=False)
