"""The progress of a run between two rounds, and its updates by sessions and verification. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.deliverable import Tally
from treadle.domain.ids import SessionId
from treadle.domain.run import RunResult
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    SandboxError,
    SessionResult,
    TimedOut,
    UnguardedTool,
)
from treadle.domain.suite_report import SuiteObjection
from treadle.domain.usage import Usage
from treadle.session.faults import pause_after
from treadle.session.stop_signal import StopReason
from treadle.workflows.loop.findings import VerificationFindings
from treadle.workflows.loop.fix_attempts import FixAttempts, after_findings
from treadle.workflows.loop.next_action import StopRun
from treadle.workflows.loop.observation import Pacing
from treadle.workflows.loop.plan_question import PlanGate
from treadle.workflows.loop.stuck import RoundFacts


@dataclass(frozen=True, slots=True)
class CutSession:
    """A session that an outage cut off, and what it was for."""

    session: SessionId
    instruction: str


@dataclass(frozen=True, slots=True)
class Outage:
    """The failures of the model service since it last answered a session to its end."""

    failures: int = 0
    # The message of the last one.
    failure: str = ""
    waited_s: float = 0.0
    # How often in a row it refused the login: it may do so once by mistake.
    refusals: int = 0
    # The next session of the same instruction continues its conversation.
    cut: CutSession | None = None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The state that the next decision depends on."""

    tally: Tally = field(default_factory=Tally)
    rounds: int = 0
    # Started rounds of several sessions; they count when the run ends.
    unfinished: int = 0
    consecutive_errors: int = 0
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    running_s: float = 0.0
    priced: bool = True
    # Why the run is asked to stop.
    stopping: StopReason = ""
    last: Outcome | None = None
    # The deliverables were written for another specification.
    plan_outdated: bool = False
    # The cost of all other runs since midnight.
    others_today_usd: float = 0.0
    # Of this run's cost, the part before midnight.
    before_today_usd: float = 0.0
    # Pauses for quota since the last session without one.
    waits: int = 0
    outage: Outage = field(default_factory=Outage)
    # The facts before the first round, then after each.
    history: tuple[RoundFacts, ...] = ()
    # Whether passed work can be verified, and whether the current work was.
    provable: bool = False
    verified: bool = False
    # Why the verified work has not the required grade; empty if it has.
    shortfall: str = ""
    # Whether this run has claims, none of them above claimed, and no commit.
    only_words: bool = False
    # Whether its branch has commits that a success lands.
    has_commits: bool = False
    # Whether a session has worked since the last verification.
    worked_since: bool = True
    # The failures, described to the next session.
    findings: str = ""
    # Rounds that left the same test failing, and the same check; the last objections.
    gate_failures: int = 0
    check_failures: int = 0
    objections: tuple[SuiteObjection, ...] = ()
    attempts: FixAttempts = field(default_factory=FixAttempts)
    # Tests that a person accepts as failing; or why none are accepted.
    accepted: tuple[str, ...] = ()
    give_up_reason: str = ""
    plan_gate: PlanGate = "off"
    # Why a person denied the plan.
    plan_denial: str = ""


def after_session(progress: RunProgress, result: SessionResult) -> RunProgress:
    """The progress after a session. A quota limit is neither a round nor an error."""
    updated = replace(
        _with_cost(progress, result),
        running_s=progress.running_s + result.duration_s,
        outage=Outage(),
    )
    if isinstance(result.outcome, QuotaExceeded):
        return updated
    failed = failure_message(result.outcome) is not None
    updated = replace(
        updated,
        waits=0,
        verified=False,
        worked_since=True,
        # A failed session may not have worked on the findings, so the next one gets them again.
        findings=progress.findings if failed else "",
        unfinished=0,
    )
    if isinstance(result.outcome, Cancelled):
        return replace(updated, rounds=progress.rounds + 1)
    return replace(
        updated,
        rounds=progress.rounds + 1,
        consecutive_errors=progress.consecutive_errors + 1 if failed else 0,
    )


def after_outage(progress: RunProgress, result: SessionResult, instruction: str) -> RunProgress:
    """The progress after a session that the service cut off or refused: no round and no error.

    The time of a session without any response was spent in waiting, so it counts as that.
    """
    waited_s = 0.0 if result.turns else result.duration_s
    outage = Outage(
        failures=progress.outage.failures + 1,
        failure=failure_message(result.outcome) or "",
        waited_s=progress.outage.waited_s + waited_s,
        refusals=progress.outage.refusals + 1 if _is_login_refused(result.outcome) else 0,
        cut=CutSession(result.session, instruction),
    )
    return replace(
        _with_cost(progress, result),
        running_s=progress.running_s + result.duration_s - waited_s,
        outage=outage,
        verified=False,
        worked_since=True,
    )


def cut_session(progress: RunProgress, instruction: str) -> SessionId | None:
    """The session with this instruction that an outage cut off; None if there is none."""
    cut = progress.outage.cut
    return None if cut is None or cut.instruction != instruction else cut.session


def conversation_after(result: SessionResult) -> SessionId | None:
    """The conversation that a repair continues: none that failed, as it might again."""
    match result.outcome:
        case ExecutionError(of_service=False):
            return None
        case _:
            return result.session


def after_service_wait(progress: RunProgress, waited_s: float) -> RunProgress:
    """The progress after a pause in which the run left a failing service alone."""
    outage = replace(progress.outage, waited_s=progress.outage.waited_s + max(0.0, waited_s))
    return replace(progress, last=None, outage=outage)


def _is_login_refused(outcome: Outcome) -> bool:
    return isinstance(outcome, ExecutionError) and outcome.error_class == "authentication"


def _with_cost(progress: RunProgress, result: SessionResult) -> RunProgress:
    return replace(
        progress,
        cost_usd=progress.cost_usd + result.cost_usd,
        usage=progress.usage + result.usage,
        priced=progress.priced and result.priced,
        last=result.outcome,
    )


def after_verification(
    progress: RunProgress, findings: VerificationFindings, *, took_s: float, whole: bool
) -> RunProgress:
    """The progress after a verification; `whole`: of everything that has passed."""
    if findings.idle:
        return replace(progress, running_s=progress.running_s + took_s)
    return replace(
        _with_attempts(progress, findings),
        running_s=progress.running_s + took_s,
        verified=whole and findings.hold,
        shortfall=findings.shortfall,
        worked_since=False,
        findings=findings.told,
        history=_with_verdicts(progress.history, findings),
        objections=findings.objections,
    )


def _with_attempts(progress: RunProgress, findings: VerificationFindings) -> RunProgress:
    if findings.failing_checks is None:
        # As the version that stored it counted: any failure in a row.
        return replace(
            progress,
            gate_failures=progress.gate_failures + 1 if findings.objections else 0,
            check_failures=progress.check_failures + 1 if findings.told else 0,
        )
    attempts = after_findings(progress.attempts, findings)
    return replace(
        progress,
        attempts=attempts,
        gate_failures=attempts.tests.most,
        check_failures=attempts.checks.most,
    )


def _with_verdicts(
    history: tuple[RoundFacts, ...], findings: VerificationFindings
) -> tuple[RoundFacts, ...]:
    """The facts of the last round with what checks and tests say about its work."""
    if not history:
        return history
    *earlier, last = history
    failing = findings.failing_tests
    judged = replace(
        last,
        green_checks=max(last.green_checks, findings.green_checks),
        failing_tests=last.failing_tests if failing is None else failing,
    )
    return (*earlier, judged)


def failure_message(outcome: Outcome | None) -> str | None:
    """What failed, for outcomes that count towards the retries; None for the others."""
    match outcome:
        case None | Completed() | MaxTurns() | BudgetExceeded() | QuotaExceeded() | Cancelled():
            return None
        case ExecutionError() | Crashed() | SandboxError():
            return outcome.message
        case UnguardedTool():
            return f"the agent used {outcome.tool} without being allowed"
        case TimedOut():
            return f"the session was ended by its {outcome.limit} limit after {outcome.after_s:g} s"
        case _:
            assert_never(outcome)


def round_delay(progress: RunProgress, pacing: Pacing, jitter: Callable[[], float]) -> float:
    """The seconds between rounds, which grow with each failure in a row."""
    errors, last = progress.consecutive_errors, progress.last
    if not errors or last is None:
        return pacing.delay_s
    pause_s = pause_after(last, errors, base_s=pacing.backoff_s, jitter=jitter())
    return max(pacing.delay_s, pause_s)


def result_of(progress: RunProgress, stop: StopRun) -> RunResult:
    """The result of a run that stopped for this reason."""
    return RunResult(
        reason=stop.reason,
        rounds=progress.rounds + progress.unfinished,
        tally=progress.tally,
        cost_usd=round(progress.cost_usd, 6),
        usage=progress.usage,
        duration_s=round(progress.running_s, 3),
        message=stop.message,
        priced=progress.priced,
    )


def with_spent(fresh: RunProgress, so_far: RunResult | None) -> RunProgress:
    """The first progress of a leg: with the cost and time of earlier legs, without their errors."""
    if so_far is None:
        return fresh
    return replace(
        fresh,
        cost_usd=so_far.cost_usd,
        usage=so_far.usage,
        running_s=so_far.duration_s + fresh.running_s,
        priced=so_far.priced,
    )
