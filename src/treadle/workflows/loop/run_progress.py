"""What is known of a run between two rounds, and what a session or a verification adds. Pure."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from treadle.domain.deliverable import Tally
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
from treadle.session.stop_signal import StopReason
from treadle.workflows.loop.failing_tests_question import (
    AcceptFailures,
    GiveUpOnTests,
    Meaning,
    TryAgain,
)
from treadle.workflows.loop.findings import VerificationFindings
from treadle.workflows.loop.next_action import StopRun
from treadle.workflows.loop.stuck import RoundFacts


@dataclass(frozen=True, slots=True)
class RunProgress:
    """What is known of a run between two rounds."""

    tally: Tally = field(default_factory=Tally)
    rounds: int = 0
    # Rounds that were begun and take more than one session: they count once the run ends.
    unfinished: int = 0
    consecutive_errors: int = 0
    cost_usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    running_s: float = 0.0
    priced: bool = True
    # Somebody asked the run to end before its time.
    stopping: StopReason = ""
    last: Outcome | None = None
    # The specification is another than the one the deliverables were written for.
    plan_outdated: bool = False
    # What all other runs have cost since midnight.
    others_today_usd: float = 0.0
    # Pauses for quota since a session last got through.
    waits: int = 0
    # How things stood before the first round, then after each; none while it is not known.
    history: tuple[RoundFacts, ...] = ()
    # Whether passed work can be shown again, and whether that was done with the work as it is now.
    provable: bool = False
    verified: bool = False
    # Whether a session has worked since the last time that anything was shown.
    worked_since: bool = True
    # What the next session is told of that did not hold.
    findings: str = ""
    # Rounds in a row after which tests failed that did not fail before the work; what failed last.
    gate_failures: int = 0
    objections: tuple[SuiteObjection, ...] = ()
    # Tests that a person lets fail; why nobody does.
    accepted: tuple[str, ...] = ()
    given_up: str = ""


def after_session(progress: RunProgress, result: SessionResult) -> RunProgress:
    """The progress with one session added. A quota limit is neither a round nor an error."""
    paid = replace(
        progress,
        cost_usd=progress.cost_usd + result.cost_usd,
        usage=progress.usage + result.usage,
        running_s=progress.running_s + result.duration_s,
        priced=progress.priced and result.priced,
        last=result.outcome,
    )
    if isinstance(result.outcome, QuotaExceeded):
        return paid
    failed = failure_message(result.outcome) is not None
    # One that broke off may not have come to what it was told: the next one is told again.
    told = progress.findings if failed else ""
    paid = replace(paid, waits=0, verified=False, worked_since=True, findings=told, unfinished=0)
    if isinstance(result.outcome, Cancelled):
        return replace(paid, rounds=progress.rounds + 1)
    return replace(
        paid,
        rounds=progress.rounds + 1,
        consecutive_errors=progress.consecutive_errors + 1 if failed else 0,
    )


def after_verification(
    progress: RunProgress, findings: VerificationFindings, *, took_s: float, whole: bool
) -> RunProgress:
    """The progress with what was found out; `whole`: about all that has passed."""
    if findings.idle:
        return replace(progress, running_s=progress.running_s + took_s)
    shut = bool(findings.objections)
    return replace(
        progress,
        running_s=progress.running_s + took_s,
        verified=whole and findings.hold,
        worked_since=False,
        findings=findings.told,
        objections=findings.objections,
        gate_failures=progress.gate_failures + 1 if shut else 0,
    )


def after_answer(progress: RunProgress, meaning: Meaning) -> RunProgress:
    """The progress with what a person said about failing tests."""
    match meaning:
        case AcceptFailures(tests=tests):
            accepted = tuple(dict.fromkeys((*progress.accepted, *tests)))
            return replace(progress, accepted=accepted, gate_failures=0, objections=(), findings="")
        case TryAgain(words=""):
            return replace(progress, gate_failures=1)
        case TryAgain(words=words):
            told = f"{progress.findings}\nA person says about it:\n\n{words}\n"
            # Rounds that got nowhere had not been told this.
            return replace(progress, gate_failures=1, findings=told, history=progress.history[-1:])
        case GiveUpOnTests(reason=reason):
            return replace(progress, given_up=reason)
        case _:
            assert_never(meaning)


def failure_message(outcome: Outcome | None) -> str | None:
    """What went wrong, for outcomes that count towards the retries; None for the others."""
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


def result_of(progress: RunProgress, stop: StopRun) -> RunResult:
    """The result of a run that came this far and stopped for this reason."""
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
    """Where the last leg ended, without its errors: somebody wants the run to continue."""
    if so_far is None:
        return fresh
    return replace(
        fresh,
        cost_usd=so_far.cost_usd,
        usage=so_far.usage,
        running_s=so_far.duration_s + fresh.running_s,
        priced=so_far.priced,
    )
