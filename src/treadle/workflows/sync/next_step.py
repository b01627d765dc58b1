"""What a `sync` run does next, as one pure function: checks first, then one session that judges."""

from treadle.domain.session import Completed, QuotaExceeded
from treadle.workflows.deliver.decisions import ShowAgain, Step, Stop, WaitForQuota, Work
from treadle.workflows.deliver.limits import limit_reached
from treadle.workflows.deliver.next_step import Rules, told_to_stop
from treadle.workflows.deliver.progress import Progress

# One that did not come to its end in so many sessions will not.
MOST_ROUNDS = 3


def next_step(progress: Progress, rules: Rules) -> Step:
    """The checks are run before the session, so that it judges what they left standing."""
    if stop := told_to_stop(progress, rules):
        return stop
    sessions = _sessions(progress)
    untouched = sessions == 0 and progress.last is None
    if progress.provable and untouched and progress.worked_since:
        return ShowAgain()
    if isinstance(progress.last, Completed):
        return Stop("synced")
    if stop := limit_reached(progress, rules.limits):
        return stop
    if isinstance(progress.last, QuotaExceeded):
        return WaitForQuota(progress.last.resets_at, progress.last.message)
    if sessions >= MOST_ROUNDS:
        return Stop("max_iterations", f"{MOST_ROUNDS} sessions did not come to an end")
    return Work("sync")


def _sessions(progress: Progress) -> int:
    """Of this leg, those that could work: a run that is resumed begins with its checks again."""
    return sum(facts.ended != "kept_out" for facts in progress.history[1:])
