"""A pull request is followed within bounds, through outages, and told once what was taken."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from tests.builders import NOON, FakeClock, MemoryLog
from treadle.adapters.forges.memory_forge import MemoryForge
from treadle.domain.events.publishing import FeedbackReceived, PullRequestFollowed
from treadle.domain.events.run import RunWarned
from treadle.domain.forge import (
    Author,
    CheckLog,
    CiCheck,
    NewPullRequest,
    RepositoryAddress,
    ReviewFeedback,
)
from treadle.domain.service_failures import (
    NoPermission,
    RateLimited,
    ServiceFailure,
    Unreachable,
)
from treadle.workflows.loop.feedback import FollowedPullRequest
from treadle.workflows.loop.following import (
    ATTEMPTS,
    FeedbackTaken,
    FollowingEnded,
    FollowOutcome,
    FollowRules,
    PullRequestFollower,
)

OURS = "c0ffee" * 6
BASE = "ba5e" * 10
MINUTE = timedelta(minutes=1)
RULES = FollowRules(NOON + timedelta(days=2), 5, MINUTE, timedelta(hours=6))
FOLLOWED = FollowedPullRequest(1, "https://forge.example/1", NOON, commits=(OURS,))
LINT = CiCheck("lint", "failed", log_id="7")


@dataclass
class FollowingHarness:
    """A memory forge with one open pull request; `events` happen at each sleep, one by one."""

    forge: MemoryForge
    clock: FakeClock = field(default_factory=FakeClock)
    log: MemoryLog = field(default_factory=MemoryLog)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    events: list[Callable[[], None]] = field(default_factory=list)

    async def follow(
        self, rules: FollowRules = RULES, followed: FollowedPullRequest = FOLLOWED
    ) -> FollowOutcome:
        self.clock.on_sleep = lambda: self.events.pop(0)() if self.events else None
        follower = PullRequestFollower(rules, self.forge, self.clock, self.log, self.stop, BASE)
        return await follower.follow(followed)

    def fail(self, failure: ServiceFailure | None) -> None:
        self.forge.failure = failure

    def say(self, body: str, name: str = "comment:1") -> None:
        comment = ReviewFeedback(name, "comment", Author("ada", can_write=False), body, NOON)
        self.forge.put_feedback(1, comment)


@pytest.fixture
async def harness() -> FollowingHarness:
    address = RepositoryAddress("memory", "forge.example", "acme", "hello")
    forge = MemoryForge(address, branches={"main": BASE, "treadle/1": OURS}, writers={"ada"})
    await forge.open_pull_request(NewPullRequest("treadle/1", "main", "Say hello", ""))
    return FollowingHarness(forge)


async def test_failing_ci_and_comments_are_taken_together_with_the_log(
    harness: FollowingHarness,
) -> None:
    harness.forge.put_check(OURS, LINT, CheckLog("no full stop", "Run make"))
    harness.events = [lambda: harness.say("Add a stop.")]

    outcome = await harness.follow()

    assert isinstance(outcome, FeedbackTaken)
    assert [(each.source, each.author, each.text) for each in outcome.feedback.items] == [
        ("ci", "lint", "no full stop"),
        ("comment", "ada", "Add a stop."),
    ]
    followed, received = harness.log.events
    assert followed == PullRequestFollowed(1, FOLLOWED.url, RULES.until)
    assert received == outcome.feedback
    assert outcome.feedback.round == 1


async def test_a_check_that_failed_before_the_work_is_left_alone_and_named_once(
    harness: FollowingHarness,
) -> None:
    harness.forge.put_check(BASE, LINT, CheckLog("no full stop", "Run make"))
    harness.forge.put_check(OURS, LINT, CheckLog("no full stop", "Run make"))
    types = CiCheck("types", "failed", log_id="8")
    harness.events = [
        *[lambda: None] * 2,
        lambda: harness.forge.put_check(OURS, types, CheckLog("no type", "Run mypy")),
    ]

    outcome = await harness.follow()

    assert isinstance(outcome, FeedbackTaken)
    assert [each.author for each in outcome.feedback.items] == ["types"]
    warning = "the CI check lint failed before the work, too, and is left alone"
    assert [each for each in harness.log.events if isinstance(each, RunWarned)] == [
        RunWarned(warning)
    ]


@pytest.mark.parametrize(
    ("rules", "rounds", "message"),
    [
        (RULES, 0, "it was followed until 2026-05-06 12:00 UTC"),
        (RULES, 5, "5 rounds of feedback are answered"),
    ],
)
async def test_following_is_bounded_in_days_and_rounds(
    harness: FollowingHarness, rules: FollowRules, rounds: int, message: str
) -> None:
    followed = FollowedPullRequest(
        1, FOLLOWED.url, NOON, commits=(OURS,), rounds=rounds, reason="unproven"
    )

    outcome = await harness.follow(rules, followed)

    assert outcome == FollowingEnded("unproven", message)
    assert harness.clock.now() <= rules.until


async def test_a_request_to_stop_ends_the_wait(harness: FollowingHarness) -> None:
    harness.events = [lambda: None, harness.stop.set]

    assert await harness.follow() == FollowingEnded("approved", "it was asked to stop")
    assert harness.clock.now() <= NOON + 2 * MINUTE


@pytest.mark.parametrize(
    "failure", [Unreachable("no route"), RateLimited(NOON + timedelta(minutes=9))]
)
async def test_outages_and_limits_are_waited_for(
    harness: FollowingHarness, failure: ServiceFailure
) -> None:
    harness.fail(failure)
    harness.events = [
        *[lambda: None] * 3,
        lambda: harness.fail(None),
        lambda: harness.forge.end_pull_request(1, "merged"),
    ]

    assert await harness.follow() == FollowingEnded("approved", "pull request #1 was merged")
    if isinstance(failure, RateLimited):
        assert harness.clock.slept[0] == 540.0


async def test_an_outage_that_lasts_ends_it(harness: FollowingHarness) -> None:
    harness.fail(Unreachable("no route"))

    outcome = await harness.follow()

    assert outcome == FollowingEnded(
        "approved", "its forge has not answered for too long: no route"
    )
    assert harness.clock.now() - NOON <= RULES.outage + timedelta(minutes=10)


async def test_a_refusal_that_lasts_ends_it(harness: FollowingHarness) -> None:
    harness.fail(NoPermission("GitHub does not accept the token"))

    outcome = await harness.follow()

    assert outcome == FollowingEnded("approved", "GitHub does not accept the token")
    assert len(harness.clock.slept) == ATTEMPTS - 1


async def test_what_a_process_took_before_it_died_is_recorded_once(
    harness: FollowingHarness,
) -> None:
    harness.say("Add a stop.")
    await harness.follow()

    await harness.follow()

    received = [each for each in harness.log.events if isinstance(each, FeedbackReceived)]
    assert len(received) == 1
