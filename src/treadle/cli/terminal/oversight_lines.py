"""Lines for what limits a run: limits, circuit breakers, cost differences, approvals."""

from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity
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
from treadle.views.duration import clock_time
from treadle.views.figures import money

LimitEvent: TypeAlias = LimitNeared | BreakerOpened | BreakerClosed | HostAsked | BillDiffered
ApprovalEvent: TypeAlias = ApprovalAsked | ApprovalAnswered | ApprovalLapsed | ApprovalVoided


def limit_lines(event: LimitEvent, at: datetime, view: RenderOptions) -> list[Line]:
    """Shown at every level, but for good news."""
    match event:
        case LimitNeared():
            used = f"{event.used:g} of {event.most:g}"
            return marked_lines("!", f"Near a limit: {used} of {event.limit} used", view)
        case BreakerOpened():
            when = clock_time(event.until, now=at, zone=view.zone)
            return marked_lines(
                "!", f"{event.service} is left alone until {when}: {event.reason}", view
            )
        case BreakerClosed():
            works: Line = ((f"{event.service} works again", "phase"),)
            return [works] if view.level >= Verbosity.NORMAL else []
        case HostAsked():
            place = f"{event.host}:{event.port}"
            if not event.allowed:
                return marked_lines("!", f"Refused: {place} is not in sandbox.hosts", view)
            reached: Line = ((f"reached {place}", "quiet"),)
            return [reached] if view.level >= Verbosity.VERBOSE else []
        case BillDiffered():
            figures = f"{money(event.ledger_usd)} counted, {money(event.agent_usd)} said the agent"
            return marked_lines("!", f"The session's cost differs: {figures}", view)
        case _:
            assert_never(event)


def approval_lines(event: ApprovalEvent, at: datetime, view: RenderOptions) -> list[Line]:
    """A question holds the run up, so it is shown at every level."""
    match event:
        case ApprovalAsked():
            return marked_lines("?", _question_text(event, at, view), view)
        case ApprovalAnswered():
            said = f": {event.text}" if event.text else ""
            return [((f"{event.approval} {event.verdict} by {event.by}{said}", "phase"),)]
        case ApprovalLapsed():
            return marked_lines(
                "!", f"Nobody answered {event.approval} in time: {event.verdict}", view
            )
        case ApprovalVoided():
            return marked_lines("!", f"{event.approval} is void: {event.reason}", view)
        case _:
            assert_never(event)


def _question_text(event: ApprovalAsked, at: datetime, view: RenderOptions) -> str:
    approval = event.approval
    until = ""
    if approval.deadline is not None:
        when = clock_time(approval.deadline, now=at, zone=view.zone)
        then = "approved" if approval.at_deadline == "approve" else "denied"
        until = f" (until {when}, then {then})"
    return f"{approval.question}{until} · treadle approve {approval.id}"
