"""Lines for what keeps a run in bounds: limits, breakers, the bill, questions to a person."""

from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import clock_time
from treadle.cli.terminal.figures import money
from treadle.cli.terminal.run_lines import marked
from treadle.cli.terminal.view import Level, Line, View
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
    BillDiffered,
    BreakerClosed,
    BreakerOpened,
    HostAsked,
    LimitNeared,
)

BoundEvent: TypeAlias = LimitNeared | BreakerOpened | BreakerClosed | HostAsked | BillDiffered
ApprovalEvent: TypeAlias = ApprovalAsked | ApprovalAnswered | ApprovalLapsed | ApprovalVoided


def bound_lines(event: BoundEvent, at: datetime, view: View) -> list[Line]:
    """Shown at every level, but for good news."""
    match event:
        case LimitNeared():
            used = f"{event.used:g} of {event.most:g}"
            return marked("!", f"Near a limit: {used} of {event.limit} used", view)
        case BreakerOpened():
            when = clock_time(event.until, now=at, zone=view.zone)
            return marked("!", f"{event.service} is left alone until {when}: {event.reason}", view)
        case BreakerClosed():
            works: Line = ((f"{event.service} works again", "phase"),)
            return [works] if view.level >= Level.NORMAL else []
        case HostAsked():
            place = f"{event.host}:{event.port}"
            if not event.allowed:
                return marked("!", f"Refused: {place} is not in sandbox.hosts", view)
            reached: Line = ((f"reached {place}", "quiet"),)
            return [reached] if view.level >= Level.VERBOSE else []
        case BillDiffered():
            figures = f"{money(event.ledger_usd)} counted, {money(event.agent_usd)} said the agent"
            return marked("!", f"The session's cost differs: {figures}", view)
        case _:
            assert_never(event)


def approval_lines(event: ApprovalEvent, at: datetime, view: View) -> list[Line]:
    """A question holds the run up, so it is shown at every level."""
    match event:
        case ApprovalAsked():
            return marked("?", _question(event, at, view), view)
        case ApprovalAnswered():
            said = f": {event.text}" if event.text else ""
            return [((f"{event.approval} {event.verdict} by {event.by}{said}", "phase"),)]
        case ApprovalLapsed():
            return marked("!", f"Nobody answered {event.approval} in time: {event.verdict}", view)
        case ApprovalVoided():
            return marked("!", f"{event.approval} is void: {event.reason}", view)
        case _:
            assert_never(event)


def _question(event: ApprovalAsked, at: datetime, view: View) -> str:
    approval = event.approval
    until = ""
    if approval.deadline is not None:
        when = clock_time(approval.deadline, now=at, zone=view.zone)
        then = "approved" if approval.at_deadline == "approve" else "denied"
        until = f" (until {when}, then {then})"
    return f"{approval.question}{until} · treadle approve {approval.id}"
