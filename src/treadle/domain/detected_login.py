"""The login that a run would use, without the login itself. Types only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LoginKind = Literal[
    "api key",
    "auth token",
    "key helper",
    "token",
    "subscription",
    "Console key",
    "cloud provider",
    "keychain",
    "none",
]
# Who is billed: a subscription, an account by use, a cloud. Behind a gateway of the user's own
# nobody here knows.
LoginPayment = Literal["subscription", "by use", "cloud", "unknown"]


@dataclass(frozen=True, slots=True)
class LoginProblem:
    """Why a login cannot work unattended, and what to do instead."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class DetectedLogin:
    """The login that the agent chooses of all that are there."""

    kind: LoginKind
    # The variable, file or setting that it comes from, as people know it.
    source: str = ""
    payment: LoginPayment = "unknown"
    # None: it does not expire, or nobody here knows when.
    expires_at: datetime | None = None
    # Whether it is renewed before it expires.
    renewed: bool = False
    # What a person should know of a login that works.
    note: str = ""
    problem: LoginProblem | None = None
