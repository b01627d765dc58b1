"""Events of a session: start, prompt, signals and end."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.ids import SessionId
from treadle.domain.session import SessionResult
from treadle.domain.signal import Role, SignalKind


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A fresh agent session is about to be started; stored before the process is."""

    session: SessionId
    role: Role
    model: str
    resumed: bool = False
    type: Literal["session.started"] = "session.started"


@dataclass(frozen=True, slots=True)
class PromptSent:
    """The instruction the session was given."""

    text: str
    type: Literal["prompt.sent"] = "prompt.sent"


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session is over; none of its processes can do anything any more."""

    result: SessionResult
    type: Literal["session.ended"] = "session.ended"


@dataclass(frozen=True, slots=True)
class SignalGiven:
    """The agent said something about the work that its role may say."""

    kind: SignalKind
    text: str
    via: Literal["marker", "tool"]
    type: Literal["signal.given"] = "signal.given"


@dataclass(frozen=True, slots=True)
class SignalRefused:
    """The agent used a signal that its role may not use; it has no effect."""

    kind: SignalKind
    role: Role
    via: Literal["marker", "tool"]
    type: Literal["signal.refused"] = "signal.refused"
