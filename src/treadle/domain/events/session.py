"""Events of a session: start, prompt, signals and end."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.ids import SessionId
from treadle.domain.session import SessionResult
from treadle.domain.signal import Role, SignalKind


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """An agent session is about to start; stored before the process starts."""

    session: SessionId
    role: Role
    model: str
    resumed: bool = False
    # A person talks to the agent in a terminal, and sees nothing else there until it has ended.
    in_terminal: bool = False
    type: Literal["session.started"] = "session.started"


@dataclass(frozen=True, slots=True)
class PromptSent:
    """The prompt of the session."""

    text: str
    type: Literal["prompt.sent"] = "prompt.sent"


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session has ended; none of its processes can act any more."""

    result: SessionResult
    type: Literal["session.ended"] = "session.ended"


@dataclass(frozen=True, slots=True)
class SignalGiven:
    """The agent gave a signal that its role may give."""

    kind: SignalKind
    text: str
    via: Literal["marker", "tool"]
    type: Literal["signal.given"] = "signal.given"


@dataclass(frozen=True, slots=True)
class SignalRefused:
    """The agent gave a signal that its role may not give; it has no effect."""

    kind: SignalKind
    role: Role
    via: Literal["marker", "tool"]
    type: Literal["signal.refused"] = "signal.refused"


@dataclass(frozen=True, slots=True)
class PromiseRefused:
    """The agent called its increment complete, and what Treadle ran says otherwise."""

    reason: str
    type: Literal["promise.refused"] = "promise.refused"
