"""Everything a person may ask about one run, collected from its log in one pass. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from treadle.domain.events.agent import ToolDecided
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.focus import PlanWritten, ReviewJudged
from treadle.domain.events.run import RoundFailed, RunPaused, RunWarned
from treadle.domain.events.session import SessionEnded, SessionStarted, SignalGiven
from treadle.domain.events.verification import CheckFinished, ClaimRefused
from treadle.domain.run_row import RunRow, StepRow
from treadle.domain.session import SessionResult
from treadle.domain.signal import Role
from treadle.views.alerts import alerts_of
from treadle.views.deliverable_state import ON_THE_WORK
from treadle.views.log_state import LogState, apply_event
from treadle.views.round_text import RoundOutcome
from treadle.views.suite_document import gate_document


@dataclass(frozen=True, slots=True)
class SessionDetails:
    """One session; without a result it runs, or its process was killed."""

    round_number: int
    role: Role
    model: str
    result: SessionResult | None = None
    # How often it was continued after its process was cut off.
    resumed: int = 0


@dataclass(frozen=True, slots=True)
class DeniedToolUse:
    """A tool use that was not allowed, and why."""

    tool: str
    argument: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """What came of a round: a refused claim, a plan or a review."""

    round_number: int
    event: RoundOutcome


@dataclass(frozen=True, slots=True)
class RunDetails:
    """The facts of one run, in the order in which they happened."""

    state: LogState
    sessions: tuple[SessionDetails, ...]
    signals: tuple[SignalGiven, ...]
    denials: tuple[DeniedToolUse, ...]
    failures: tuple[RoundFailed, ...]
    pauses: tuple[RunPaused, ...]
    warnings: tuple[str, ...]
    # The last run of each check on the work.
    checks: tuple[CheckFinished, ...] = ()
    # Claims that were refused, plans and reviews, each with its round.
    rounds: tuple[RoundEntry, ...] = ()
    last_seq: int = 0
    last_at: datetime | None = None


def collect_run_details(log: Iterable[RecordedEvent]) -> RunDetails:
    """Read a whole log once."""
    state, last = LogState(), None
    facts: list[SignalGiven | DeniedToolUse | RoundFailed | RunPaused | RunWarned | RoundEntry] = []
    sessions: list[SessionDetails] = []
    checks: dict[tuple[str, str], CheckFinished] = {}
    for recorded in log:
        before, state, last = state, apply_event(state, recorded), recorded
        event = recorded.event
        if isinstance(event, SessionStarted):
            _open_session(sessions, event, state)
        elif isinstance(event, SessionEnded):
            _close_session(sessions, event.result, state)
        elif isinstance(event, ToolDecided) and event.decision == "deny":
            facts.append(_denied_tool_use(event, before))
        elif isinstance(event, SignalGiven | RoundFailed | RunPaused | RunWarned):
            facts.append(event)
        elif isinstance(event, ClaimRefused | PlanWritten | ReviewJudged):
            facts.append(RoundEntry(state.round_number, event))
        elif isinstance(event, CheckFinished) and event.evidence.when in ON_THE_WORK:
            # Removed first, so that the latest comes last.
            checks.pop((event.deliverable, event.criterion), None)
            checks[event.deliverable, event.criterion] = event
    return RunDetails(
        state=state,
        sessions=tuple(sessions),
        signals=tuple(each for each in facts if isinstance(each, SignalGiven)),
        denials=tuple(each for each in facts if isinstance(each, DeniedToolUse)),
        failures=tuple(each for each in facts if isinstance(each, RoundFailed)),
        pauses=tuple(each for each in facts if isinstance(each, RunPaused)),
        warnings=tuple(each.message for each in facts if isinstance(each, RunWarned)),
        checks=tuple(checks.values()),
        rounds=tuple(each for each in facts if isinstance(each, RoundEntry)),
        last_seq=last.seq if last else 0,
        last_at=last.at if last else None,
    )


def _open_session(sessions: list[SessionDetails], event: SessionStarted, state: LogState) -> None:
    """A session that was cut off and continued is one session."""
    if event.resumed and sessions and sessions[-1].result is None:
        sessions[-1] = replace(sessions[-1], resumed=sessions[-1].resumed + 1)
    else:
        sessions.append(SessionDetails(state.round_number, event.role, event.model))


def _close_session(sessions: list[SessionDetails], result: SessionResult, state: LogState) -> None:
    if sessions and sessions[-1].result is None:
        sessions[-1] = replace(sessions[-1], result=result)
    else:
        sessions.append(SessionDetails(state.round_number, "implementer", "", result))


def _denied_tool_use(event: ToolDecided, before: LogState) -> DeniedToolUse:
    """The call came just before the decision, so it is still open in the state before."""
    for tool in before.tools.pending:
        if tool.id == event.id:
            return DeniedToolUse(tool.title, tool.argument, event.reason)
    return DeniedToolUse(event.name, "", event.reason)


def run_details_document(
    row: RunRow, details: RunDetails, steps: Sequence[StepRow]
) -> dict[str, Any]:
    """The document of `treadle show --json`."""
    state = details.state
    return {
        "run": row,
        "started": state.started,
        "result": state.result,
        "alerts": [alert.text for alert in alerts_of(state)],
        "changes": state.changes,
        "tool_files": state.tool_files,
        "touched": state.verified.touched,
        "deliverables": state.deliverables,
        "checks": details.checks,
        "rounds": details.rounds,
        "tests": state.verified.suite,
        "testGateResult": gate_document(state.verified.suite),
        "spec_issue": state.spec_issue or None,
        "backlog": state.backlog,
        "sessions": details.sessions,
        "steps": steps,
        "signals": details.signals,
        "denials": details.denials,
        "failures": details.failures,
        "pauses": details.pauses,
        "warnings": details.warnings,
        "pull_request": state.published.pull_request,
        "following": state.published.following,
        "feedback": state.published.feedback,
        "landed": state.landed,
        "kept": state.kept,
        "dropped": state.dropped,
        "last_seq": details.last_seq,
        "last_at": details.last_at,
    }
