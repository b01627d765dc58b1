"""Finds the round that broke a check, by bisection over the commits of rounds."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from treadle.domain.events.verification import RegressionFound
from treadle.workflows.deliver.check_runs import CheckRuns, finished_event
from treadle.workflows.deliver.finding_text import FailedCheck
from treadle.workflows.loop.findings import RoundCommits


async def find_regression(
    checks: CheckRuns, failure: FailedCheck, passed_at: str, tips: RoundCommits
) -> RegressionFound:
    """The round that broke a check, searched since the commit on which it passed."""
    commits = [tip.commit for tip in tips]
    broken_by = None
    if passed_at in commits:
        rounds = [(tip.round, tip.commit) for tip in tips[commits.index(passed_at) :]]
        broken_by = await find_breaking_round(rounds, partial(_is_green, checks, failure))
    return RegressionFound(failure.deliverable, failure.check.criterion, broken_by)


async def _is_green(checks: CheckRuns, failure: FailedCheck, commit: str) -> bool:
    name, check = failure.deliverable, failure.check
    if checks.green_on(check.command, commit) is not None:
        return True
    result = await checks.run(check.command, commit, "bisect")
    return checks.record(finished_event(name, check, result)).is_green


async def find_breaking_round(
    tips: Sequence[tuple[int, str]], is_green: Callable[[str], Awaitable[bool | None]]
) -> int | None:
    """Return the first round whose commit is red, or None if `is_green` cannot decide.

    `tips` lists rounds with their last commits, oldest first. The commit before the first round
    is known to be green and the last one red, so neither is run. Rounds that end at the same
    commit as the round before are skipped.
    """
    commits = _without_repeats(tips)
    if not commits:
        return None
    green, red = -1, len(commits) - 1
    while red - green > 1:
        middle = (green + red) // 2
        result = await is_green(commits[middle][1])
        if result is None:
            return None
        if result:
            green = middle
        else:
            red = middle
    return commits[red][0]


def _without_repeats(tips: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    commits: list[tuple[int, str]] = []
    for number, commit in tips:
        if not commits or commits[-1][1] != commit:
            commits.append((number, commit))
    return commits
