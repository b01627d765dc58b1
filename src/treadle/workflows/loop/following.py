"""Follows the pull request of a run through one durable step, without a slot.

The step lasts until there is something to do or the end has come. A process that takes over begins
it again: what was taken is in the log, and nothing else of it matters.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, assert_never

from treadle.domain.events.publishing import FeedbackItem, FeedbackReceived, PullRequestFollowed
from treadle.domain.events.run import RunWarned
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.forge import CommitChecks, FeedbackList, Forge, PullRequest
from treadle.domain.ports import Clock, Log
from treadle.domain.service_failures import (
    NoPermission,
    NotFound,
    RateLimited,
    Refused,
    ServiceFailure,
    Unreachable,
    failure_text,
    retry_at,
)
from treadle.durable.port import Steps
from treadle.session.stop_signal import unless_stopped
from treadle.workflows.loop.feedback import (
    MAX_ITEMS,
    MAX_LOGS,
    FollowedPullRequest,
    KeepFollowing,
    PullRequestLook,
    StopFollowing,
    TakeFeedback,
    ci_item,
    comment_item,
    decide_following,
    new_failures,
)

# How often in a row a forge may refuse a look before following ends, and the longest pause.
ATTEMPTS = 5
LONGEST_PAUSE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class FeedbackTaken:
    """The leg works on this feedback. Stored as a step result."""

    feedback: FeedbackReceived
    type: Literal["feedback_taken"] = "feedback_taken"


@dataclass(frozen=True, slots=True)
class FollowingEnded:
    """The leg has nothing to do; it ends for the reason of the published work. Stored as a step
    result."""

    reason: ExitReason
    message: str
    type: Literal["following_ended"] = "following_ended"


@dataclass(frozen=True, slots=True)
class NotFollowing:
    """The leg goes on as if there were no pull request. Stored as a step result."""

    type: Literal["not_following"] = "not_following"


FollowOutcome: TypeAlias = FeedbackTaken | FollowingEnded | NotFollowing


@dataclass(frozen=True, slots=True)
class FollowRules:
    """The bounds of following."""

    until: datetime
    rounds: int
    interval: timedelta
    # How long a forge may not answer.
    outage: timedelta


@dataclass(frozen=True, slots=True)
class PullRequestFollower:
    """Follows the pull request of one leg."""

    rules: FollowRules
    forge: Forge
    clock: Clock
    # Counts its keys per leg.
    log: Log
    stop: asyncio.Event
    # The commit that the work started from.
    base: str

    async def follow(self, followed: FollowedPullRequest) -> FollowOutcome:
        """Wait for feedback, the end of the pull request, a bound, or a request to stop."""
        until = self.rules.until
        event = PullRequestFollowed(followed.number, followed.url, until)
        self.log.record(event, once="followed")
        looks = _PollState(KeepFollowing())
        while not self.stop.is_set():
            if followed.rounds >= self.rules.rounds:
                return _ended(followed, f"{followed.rounds} rounds of feedback are answered")
            now = self.clock.now()
            if now >= until:
                return _ended(followed, f"it was followed until {until:%Y-%m-%d %H:%M} UTC")
            outcome = await self._look_once(followed, looks, now)
            if not isinstance(outcome, timedelta):
                return outcome
            seconds = max(0.0, min(outcome, until - now).total_seconds())
            await unless_stopped(self.clock.sleep(seconds), self.stop)
        return _ended(followed, "it was asked to stop")

    async def _look_once(
        self, followed: FollowedPullRequest, looks: "_PollState", now: datetime
    ) -> FollowOutcome | timedelta:
        """What came of one look; or how long to wait for the next."""
        look = await self._look(followed, looks)
        if not isinstance(look, PullRequestLook):
            return self._after_failure(followed, looks, look, now)
        decision = decide_following(followed, look, looks.last, now)
        match decision:
            case StopFollowing(message):
                return _ended(followed, message)
            case KeepFollowing():
                looks.answered(decision)
                return self.rules.interval
            case TakeFeedback():
                items = await self._items(look.checks.commit, decision)
                if not isinstance(items, tuple):
                    return self._after_failure(followed, looks, items, now)
                return self._take(followed, look.checks.commit, items)
            case _:
                assert_never(decision)

    async def _look(
        self, followed: FollowedPullRequest, looks: "_PollState"
    ) -> PullRequestLook | ServiceFailure:
        request = await self.forge.read_pull_request(followed.number)
        if not isinstance(request, PullRequest):
            return request
        if request.state != "open":
            return PullRequestLook(request, CommitChecks(request.head_commit), FeedbackList())
        checks = await self._checks(followed.commits[-1])
        if not isinstance(checks, CommitChecks):
            return checks
        feedback = await self.forge.read_feedback(followed.number, followed.seen)
        if not isinstance(feedback, FeedbackList):
            return feedback
        if looks.red_before is None and new_failures(checks, followed.seen):
            red = await self._red_before(checks)
            if not isinstance(red, frozenset):
                return red
            looks.red_before = red
        return PullRequestLook(request, checks, feedback, looks.red_before or frozenset())

    async def _checks(self, commit: str) -> CommitChecks | ServiceFailure:
        checks = await self.forge.read_checks(commit)
        if isinstance(checks, NotFound | NoPermission | Refused):
            # Reviews are worth following without CI.
            checks = CommitChecks(commit, hidden=failure_text(checks))
        if isinstance(checks, CommitChecks) and checks.hidden:
            warning = f"not all of CI can be seen: {checks.hidden}"
            self.log.record(RunWarned(warning), once=warning)
        return checks

    async def _red_before(self, checks: CommitChecks) -> frozenset[str] | ServiceFailure:
        """The checks that failed on the commit that the work started from; none if nobody knows."""
        before = await self.forge.read_checks(self.base)
        if isinstance(before, RateLimited | Unreachable):
            return before
        failed = before.failed if isinstance(before, CommitChecks) else ()
        red = frozenset(each.name for each in failed)
        for each in checks.failed:
            if each.name in red:
                text = f"the CI check {each.name} failed before the work, too, and is left alone"
                self.log.record(RunWarned(text), once=text)
        return red

    async def _items(
        self, commit: str, taken: TakeFeedback
    ) -> tuple[FeedbackItem, ...] | ServiceFailure:
        items = []
        for check in taken.checks[:MAX_LOGS]:
            log = await self.forge.read_check_log(check)
            if isinstance(log, RateLimited | Unreachable):
                return log
            items.append(ci_item(commit, check, log))
        items += [comment_item(each) for each in taken.comments]
        return tuple(items[:MAX_ITEMS])

    def _take(
        self, followed: FollowedPullRequest, commit: str, items: tuple[FeedbackItem, ...]
    ) -> FeedbackTaken:
        feedback = FeedbackReceived(followed.number, followed.rounds + 1, commit, items)
        self.log.record(feedback, once="feedback")
        return FeedbackTaken(feedback)

    def _after_failure(
        self,
        followed: FollowedPullRequest,
        looks: "_PollState",
        failure: ServiceFailure,
        now: datetime,
    ) -> FollowOutcome | timedelta:
        """Outages and limits are waited for; a refusal that lasts ends it."""
        looks.failed(now)
        text = failure_text(failure)
        again = retry_at(failure, now + self.rules.interval)
        if again is None:
            is_over = looks.failures >= ATTEMPTS
            return _ended(followed, text) if is_over else self.rules.interval
        if now - (looks.failing_since or now) >= self.rules.outage:
            return _ended(followed, f"its forge has not answered for too long: {text}")
        return min(max(again - now, self.rules.interval), LONGEST_PAUSE)


@dataclass(slots=True)
class _PollState:
    """What the looks of this process have found so far."""

    last: KeepFollowing
    # The checks that failed before the work; None: nobody has asked yet.
    red_before: frozenset[str] | None = None
    # Looks in a row that failed.
    failures: int = 0
    failing_since: datetime | None = None

    def answered(self, found: KeepFollowing) -> None:
        self.last, self.failures, self.failing_since = found, 0, None

    def failed(self, now: datetime) -> None:
        self.failures += 1
        self.failing_since = self.failing_since or now


def _ended(followed: FollowedPullRequest, message: str) -> FollowingEnded:
    return FollowingEnded(followed.reason, message)


async def follow_durably(
    steps: Steps, act: Callable[[], Awaitable[FollowOutcome]]
) -> FollowOutcome:
    """The outcome of `act`, once for the leg."""
    return await steps.step("follow", act, returns=FollowOutcome)
