"""How a run is told to have ended: its result, from how far it came and why it stopped. Pure."""

from treadle.domain.run import RunResult
from treadle.workflows.loop.next_action import StopRun
from treadle.workflows.loop.run_progress import RunProgress


def ended(progress: RunProgress, stop: StopRun) -> RunResult:
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
