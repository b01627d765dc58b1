"""Follows the pull request that an earlier leg of the run opened."""

from dataclasses import replace
from datetime import datetime, timedelta

from treadle.domain.run import RunResult
from treadle.wiring.publishing import find_publish_target
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.feedback import FOLLOW_EVENTS, FollowedPullRequest, read_followed
from treadle.workflows.loop.following import (
    FeedbackTaken,
    FollowingEnded,
    FollowOutcome,
    FollowRules,
    NotFollowing,
    PullRequestFollower,
    follow_durably,
)
from treadle.workflows.loop.run_parts import RunParts


async def follow_pull_request(context: RunContext, parts: RunParts) -> FollowOutcome:
    """Wait until there is something to do for the pull request, or nothing any more."""
    if not parts.workflow.follows:
        return NotFollowing()
    followed = _read(context, parts)
    if followed is None or not followed.of_earlier_leg:
        return NotFollowing()
    if not await parts.steps.patched("follow the pull request"):
        return NotFollowing()

    async def follow() -> FollowOutcome:
        # Read again: a process that was cut off may have taken feedback.
        current = _read(context, parts) or followed
        if current.pending is not None:
            return FeedbackTaken(current.pending)
        if not context.settings.task.follow:
            return NotFollowing()
        return await _follow(context, parts, current)

    return await follow_durably(parts.steps, follow)


async def _follow(
    context: RunContext, parts: RunParts, followed: FollowedPullRequest
) -> FollowOutcome:
    target = await find_publish_target(context, parts.workspace.origin.branch)
    if target is None or target.forge is None:
        message = "there is no token for its forge any more: see `treadle doctor`"
        return FollowingEnded(followed.reason, message)
    task, hours = context.settings.task, context.settings.limits.outage_hours
    rules = FollowRules(
        until=_until(context, followed),
        rounds=task.follow_rounds,
        interval=timedelta(seconds=task.follow_interval_s),
        outage=timedelta(hours=hours),
    )
    driver = parts.driver
    follower = PullRequestFollower(
        rules,
        target.forge,
        driver.clock,
        parts.leg_log,
        driver.stop,
        base=parts.workspace.origin.commit,
    )
    return await follower.follow(followed)


def with_following(context: RunContext, parts: RunParts, result: RunResult) -> RunResult:
    """The result of a leg whose pull request is open: whether another leg follows it."""
    task = context.settings.task
    followed = _read(context, parts)
    if followed is None or not parts.workflow.follows or not task.follow:
        return result
    if followed.rounds >= task.follow_rounds:
        message = f"{followed.rounds} rounds of feedback are done: new feedback is yours"
        return replace(result, message=result.message or message)
    until = _until(context, followed)
    return replace(result, follow_until=until if parts.driver.clock.now() < until else None)


def _until(context: RunContext, followed: FollowedPullRequest) -> datetime:
    return followed.opened_at + timedelta(days=context.settings.task.follow_days)


def _read(context: RunContext, parts: RunParts) -> FollowedPullRequest | None:
    context.recorder.flush()
    return read_followed(parts.read_log(FOLLOW_EVENTS))
