"""Lines for what Treadle itself found out about the work: checks, tests, what judges it."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import duration
from treadle.cli.terminal.view import Level, Line, View
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    DeliverableClaimed,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
)

VerificationEvent: TypeAlias = (
    CheckAdded
    | DeliverableClaimed
    | CheckFinished
    | RegressionFound
    | SuiteFinished
    | EvidenceTouched
)


def verification_lines(event: VerificationEvent, view: View) -> list[Line]:
    """What was found out, from the normal level on; what went wrong, at every level."""
    if view.level < Level.NORMAL:
        return []
    match event:
        case CheckAdded():
            return []
        case DeliverableClaimed():
            return [((f"  {event.id} claimed: its checks are run after the session", "plain"),)]
        case CheckFinished(evidence=evidence):
            how = "green" if evidence.is_green else "red"
            took = duration(evidence.duration_s)
            return [((f"  check {how} ({evidence.when}, {took}): {evidence.command}", "plain"),)]
        case RegressionFound():
            where = "" if event.round is None else f" since round {event.round}"
            return [((f"  broken{where}: {event.deliverable}, {event.criterion}", "plain"),)]
        case SuiteFinished():
            return [((f"  tests: {len(event.objections)} objections", "plain"),)]
        case EvidenceTouched():
            return [((f"  changed what judges the work: {len(event.files)} files", "plain"),)]
        case _:
            assert_never(event)
