"""What a `sync` run does next, as one pure function: checks first, then one session that judges."""

from treadle.domain.session import Completed, QuotaExceeded
from treadle.workflows.loop.limit_checks import limit_reached, must_stop
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
    WaitForQuota,
)
from treadle.workflows.loop.run_progress import RunProgress

# One that did not come to its end in so many sessions will not.
MAX_SESSIONS = 3


def decide_next(progress: RunProgress, rules: DecisionRules) -> NextAction:
    """The checks are run before the session, so that it judges what they left standing."""
    if stop := must_stop(progress, rules):
        return stop
    sessions = _sessions(progress)
    untouched = sessions == 0 and progress.last is None
    if progress.provable and untouched and progress.worked_since:
        return Reverify()
    if isinstance(progress.last, Completed):
        return StopRun("synced")
    if stop := limit_reached(progress, rules.limits):
        return stop
    if isinstance(progress.last, QuotaExceeded):
        return WaitForQuota(progress.last.resets_at, progress.last.message)
    if sessions >= MAX_SESSIONS:
        return StopRun("max_iterations", f"{MAX_SESSIONS} sessions did not come to an end")
    return RunSession("sync")


def _sessions(progress: RunProgress) -> int:
    """Of this leg, those that could work: a run that is resumed begins with its checks again."""
    return sum(facts.ended != "kept_out" for facts in progress.history[1:])
