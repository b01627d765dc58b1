"""A branch is pushed and proposed once, whatever is cut off or does not answer."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from tests.builders import FakeClock
from treadle.adapters.forges.memory_forge import MemoryForge
from treadle.domain.events.all_events import Event
from treadle.domain.events.publishing import (
    BranchPushed,
    PullRequestOpened,
    PullRequestUpdated,
)
from treadle.domain.forge import NewPullRequest, RepositoryAddress
from treadle.domain.service_failures import Unreachable
from treadle.durable.memory import MemorySteps
from treadle.durable.port import Json
from treadle.workflows.loop.publishing import (
    ATTEMPTS,
    NotPublished,
    Publication,
    Published,
    Publisher,
    PublishTarget,
)
from treadle.workflows.loop.pull_request_text import PullRequestText
from treadle.workspace.push_outcome import (
    AlreadyPushed,
    Pushed,
    PushOutcome,
    RemoteMoved,
    RemoteUnreachable,
)

WORK = Publication("treadle/hello-1", "c0ffee" * 6, PullRequestText("Say hello", "It does."), False)


@dataclass
class PublishHarness:
    """A memory forge, and a remote whose answers are given."""

    forge: MemoryForge | None
    answers: list[PushOutcome] = field(default_factory=list)
    pushes: list[tuple[str, str]] = field(default_factory=list)
    log: dict[str, Event] = field(default_factory=dict)
    steps: list[tuple[str, Json]] = field(default_factory=list)
    clock: FakeClock = field(default_factory=FakeClock)

    def record(self, event: Event, *, once: str = "") -> None:
        self.log.setdefault(once, event)

    async def push(self, branch: str, commit: str) -> PushOutcome:
        self.pushes.append((branch, commit))
        outcome = self.answers.pop(0) if self.answers else Pushed(commit)
        if self.forge is not None and isinstance(outcome, Pushed):
            self.forge.branches[branch] = commit
        return outcome

    async def publish(self, work: Publication = WORK) -> Published | NotPublished:
        target = PublishTarget("origin", "main", self.push, self.forge)
        return await Publisher(target, MemorySteps(self.steps), self.clock, self).publish(work)


@pytest.fixture
def harness() -> PublishHarness:
    address = RepositoryAddress("memory", "forge.example", "acme", "hello")
    return PublishHarness(MemoryForge(address, branches={"main": "ba5e" * 10}))


async def test_a_branch_is_pushed_and_its_pull_request_opened(harness: PublishHarness) -> None:
    outcome = await harness.publish()

    assert isinstance(outcome, Published)
    pushed, opened = harness.log.values()
    assert pushed == BranchPushed("origin", WORK.branch, WORK.commit)
    assert isinstance(opened, PullRequestOpened)
    assert (opened.title, opened.draft, opened.url) == ("Say hello", False, outcome.url)


async def test_a_step_that_was_cut_off_opens_no_second_pull_request(
    harness: PublishHarness,
) -> None:
    first = await harness.publish()
    harness.steps.clear()
    harness.log.clear()
    harness.answers = [AlreadyPushed(WORK.commit)]

    again = await harness.publish()

    assert again == first
    kinds = [type(event) for event in harness.log.values()]
    assert kinds == [BranchPushed, PullRequestOpened]


async def test_a_later_commit_updates_the_pull_request(harness: PublishHarness) -> None:
    await harness.publish()
    text = PullRequestText("Say hello", "It does, twice.")
    later = replace(WORK, commit="decaf" * 8, text=text)
    harness.steps.clear()

    await harness.publish(later)

    *_, updated = harness.log.values()
    assert isinstance(updated, PullRequestUpdated)
    assert updated.commit == later.commit


async def test_a_remote_that_does_not_answer_is_asked_again_within_bounds(
    harness: PublishHarness,
) -> None:
    harness.answers = [RemoteUnreachable("no route")] * ATTEMPTS
    started = harness.clock.now()

    outcome = await harness.publish()

    reason = "it could not be pushed to origin: no route"
    assert outcome == NotPublished(reason)
    assert len(harness.pushes) == ATTEMPTS
    assert harness.clock.now() - started < timedelta(minutes=10)


async def test_a_branch_that_moved_on_the_remote_is_not_overwritten(
    harness: PublishHarness,
) -> None:
    harness.answers = [RemoteMoved("fetch first")]

    outcome = await harness.publish()

    assert outcome == NotPublished("it could not be pushed to origin: fetch first")
    assert len(harness.pushes) == 1


async def test_without_a_forge_the_branch_is_pushed_and_no_more(harness: PublishHarness) -> None:
    harness.forge = None

    assert await harness.publish() == Published()
    assert list(harness.log.values()) == [BranchPushed("origin", WORK.branch, WORK.commit)]


class SilentForge(MemoryForge):
    """Its service does not answer."""

    async def open_pull_request(self, new: NewPullRequest) -> Unreachable:
        return Unreachable("502 Bad Gateway")


async def test_a_forge_that_does_not_answer_leaves_the_branch_pushed() -> None:
    address = RepositoryAddress("memory", "forge.example", "acme", "hello")
    harness = PublishHarness(SilentForge(address))

    outcome = await harness.publish()

    assert outcome == NotPublished("no pull request could be opened: 502 Bad Gateway")
    assert list(harness.log.values()) == [BranchPushed("origin", WORK.branch, WORK.commit)]


async def test_an_answer_to_feedback_is_told_even_if_the_text_was_sent_before_a_crash(
    harness: PublishHarness,
) -> None:
    await harness.publish()
    answer = replace(WORK, commit="decaf" * 8, answers_feedback=True)
    harness.steps.clear()

    await harness.publish(answer)

    *_, updated = harness.log.values()
    assert isinstance(updated, PullRequestUpdated)
    assert updated.commit == answer.commit
