"""Lines for what limits a run: limits, circuit breakers, cost differences, approvals."""

from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph
from treadle.domain.approval import Approval
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
from treadle.views.approval_view import answer_commands, deadline_text
from treadle.views.duration import clock_time
from treadle.views.figures import money

PLAN_LINES = 80

LimitEvent: TypeAlias = LimitNeared | BreakerOpened | BreakerClosed | HostAsked | BillDiffered
ApprovalEvent: TypeAlias = ApprovalAsked | ApprovalAnswered | ApprovalLapsed | ApprovalVoided


def limit_lines(event: LimitEvent, at: datetime, options: RenderOptions) -> list[Line]:
    """Shown at every level, except for good news."""
    match event:
        case LimitNeared():
            used = f"{event.used:g} of {event.most:g}"
            return marked_lines("!", f"Near a limit: {used} of {event.limit} used", options)
        case BreakerOpened():
            when = clock_time(event.until, now=at, zone=options.zone)
            return marked_lines(
                "!", f"{event.service} gets no requests until {when}: {event.reason}", options
            )
        case BreakerClosed():
            works: Line = ((f"{event.service} works again", "phase"),)
            return [works] if options.level >= Verbosity.NORMAL else []
        case HostAsked():
            address = f"{event.host}:{event.port}"
            if not event.allowed:
                reason = event.reason or f"{address} is not in sandbox.hosts"
                about = "" if event.host in reason else f"{address}: "
                return marked_lines("!", f"Refused: {about}{reason}", options)
            reached: Line = ((f"reached {address}", "quiet"),)
            return [reached] if options.level >= Verbosity.VERBOSE else []
        case BillDiffered():
            figures = (
                f"{money(event.ledger_usd)} counted, {money(event.agent_usd)} reported by the agent"
            )
            return marked_lines("!", f"The session's cost differs: {figures}", options)
        case _:
            assert_never(event)


def approval_lines(event: ApprovalEvent, at: datetime, options: RenderOptions) -> list[Line]:
    """The run waits for the answer, so a question is shown at every level."""
    match event:
        case ApprovalAsked(approval=approval):
            return [*_plan_lines(approval, options), *_question_lines(approval, at, options)]
        case ApprovalAnswered():
            text = f": {event.text}" if event.text else ""
            return [((f"{event.approval} {event.verdict} by {event.by}{text}", "phase"),)]
        case ApprovalLapsed():
            return marked_lines(
                "!", f"No answer to {event.approval} in time: {event.verdict}", options
            )
        case ApprovalVoided():
            return marked_lines("!", f"question {event.approval} is void: {event.reason}", options)
        case _:
            assert_never(event)


def _plan_lines(approval: Approval, options: RenderOptions) -> list[Line]:
    """Whoever decides about a plan must see it, quoted because an agent wrote it."""
    if approval.kind != "plan":
        return []
    text = approval.subject
    return paragraph(text, style="plain", options=options, most=PLAN_LINES, indent="  │ ")


def _question_lines(approval: Approval, at: datetime, options: RenderOptions) -> list[Line]:
    """The question, until when it waits, and each command on a line that can be copied."""
    lines = marked_lines("?", approval.question, options)
    if deadline := deadline_text(approval, now=at, zone=options.zone):
        lines.append(((f"  {deadline}, if you do not answer", "plain"),))
    return [*lines, *[((f"  {each}", "quiet"),) for each in answer_commands(approval)]]
