"""Events of limits, circuit breakers, network requests, costs, and questions to a person."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from treadle.domain.approval import AnswerVerdict, Approval, ApprovalId
from treadle.domain.ids import SessionId


@dataclass(frozen=True, slots=True)
class LimitNeared:
    """Four fifths of a limit are used; recorded once per limit."""

    limit: str
    used: float
    most: float
    type: Literal["limit.neared"] = "limit.neared"


@dataclass(frozen=True, slots=True)
class BreakerOpened:
    """An outside service failed repeatedly: no run uses it before `until`, then one run probes
    it."""

    service: str
    reason: str
    until: datetime
    type: Literal["breaker.opened"] = "breaker.opened"


@dataclass(frozen=True, slots=True)
class BreakerClosed:
    """The service works again."""

    service: str
    type: Literal["breaker.closed"] = "breaker.closed"


@dataclass(frozen=True, slots=True)
class HostAsked:
    """A confined process asked for a host; recorded once per host, port, decision and reason."""

    host: str
    port: int
    allowed: bool
    # Why it was refused.
    reason: str = ""
    type: Literal["host.asked"] = "host.asked"


@dataclass(frozen=True, slots=True)
class BillDiffered:
    """The agent's own cost of a session differs from the ledger's; the ledger counts."""

    session: SessionId
    ledger_usd: float
    agent_usd: float
    type: Literal["bill.differed"] = "bill.differed"


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """The run waits for a person; waiting is not running time."""

    approval: Approval
    type: Literal["approval.asked"] = "approval.asked"


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    """The first valid answer; the run continues with it."""

    approval: ApprovalId
    verdict: AnswerVerdict
    by: str
    text: str = ""
    type: Literal["approval.answered"] = "approval.answered"


@dataclass(frozen=True, slots=True)
class ApprovalLapsed:
    """The deadline passed without an answer; the announced default applies."""

    approval: ApprovalId
    verdict: Literal["approved", "denied"]
    type: Literal["approval.lapsed"] = "approval.lapsed"


@dataclass(frozen=True, slots=True)
class ApprovalVoided:
    """The question is void: its subject changed, or the run ended."""

    approval: ApprovalId
    reason: str
    type: Literal["approval.voided"] = "approval.voided"
