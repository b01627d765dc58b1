"""What a `sync` run does next, as one pure function: checks first, then one session."""

from treadle.domain.session import Completed
from treadle.workflows.loop.limit_checks import limit_reached, must_stop, needed_wait
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
)
from treadle.workflows.loop.run_progress import RunProgress

# More sessions would not complete the run either.
MAX_SESSIONS = 3


def decide_next(progress: RunProgress, rules: DecisionRules) -> NextAction:
    """The checks run before the session, which judges what they do not cover.

    Ends as interrupted or cancelled, authentication, sandbox_error, unguarded_tool, quota_exceeded
    (unless waiting), synced, or by a limit. An outage is waited for.
    """
    if stop := must_stop(progress, rules):
        return stop
    sessions = _sessions(progress)
    has_no_session = sessions == 0 and progress.last is None
    if progress.provable and has_no_session and progress.worked_since:
        return Reverify()
    if isinstance(progress.last, Completed):
        return StopRun("synced")
    if stop := limit_reached(progress, rules.limits):
        return stop
    if wait := needed_wait(progress):
        return wait
    if sessions >= MAX_SESSIONS:
        return StopRun("max_iterations", f"{MAX_SESSIONS} sessions did not finish")
    return RunSession("sync")


def _sessions(progress: RunProgress) -> int:
    """The sessions of this leg that could work: a resumed run starts with its checks again."""
    return sum(facts.ended != "kept_out" for facts in progress.history[1:])
