"""Pushes the work of a run and opens its pull request, through durable steps."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Literal, TypeAlias, TypeVar

from treadle.domain.events.publishing import (
    BranchPushed,
    PullRequestOpened,
    PullRequestUpdated,
)
from treadle.domain.forge import (
    DraftsUnsupported,
    Forge,
    NewPullRequest,
    OpenedPullRequest,
    PullRequest,
    PullRequestChange,
)
from treadle.domain.ports import Clock, Log
from treadle.domain.service_failures import (
    RateLimited,
    ServiceFailure,
    Unreachable,
    failure_text,
    retry_at,
)
from treadle.durable.port import Steps
from treadle.workflows.loop.pull_request_text import PullRequestText
from treadle.workspace.push_outcome import AlreadyPushed, Pushed, PushOutcome, RemoteUnreachable

Answer = TypeVar("Answer")

# How often a service that does not answer is asked, and how long a repetition waits at most.
ATTEMPTS = 5
PAUSE = timedelta(seconds=20)
LONGEST_PAUSE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class PublishTarget:
    """Where a branch goes; without a forge it is only pushed."""

    remote: str
    # The branch that the work is to be merged into.
    base: str
    push: Callable[[str, str], Awaitable[PushOutcome]]
    forge: Forge | None


@dataclass(frozen=True, slots=True)
class Publication:
    """What is published: the branch at a commit, and how the pull request describes it."""

    branch: str
    commit: str
    text: PullRequestText
    draft: bool
    # The pull request is open already, and people wait for an answer in it.
    answers_feedback: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """The branch is pushed; `url` is empty where there is no forge. Stored as a step result."""

    url: str = ""
    type: Literal["published"] = "published"


@dataclass(frozen=True, slots=True)
class NotPublished:
    """Why the branch is only here. Stored as a step result."""

    reason: str
    type: Literal["not_published"] = "not_published"


PublishOutcome: TypeAlias = Published | NotPublished


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publishes the work of one run. Each step can be repeated after a crash: what was done is
    found and not done again."""

    target: PublishTarget
    steps: Steps
    clock: Clock
    log: Log

    async def publish(self, work: Publication) -> PublishOutcome:
        pushed = await self.steps.step("push", partial(self._push, work), returns=PublishOutcome)
        if isinstance(pushed, NotPublished) or self.target.forge is None:
            return pushed
        act = partial(self._open, self.target.forge, work)
        return await self.steps.step("pull request", act, returns=PublishOutcome)

    async def _push(self, work: Publication) -> PublishOutcome:
        outcome = await self.target.push(work.branch, work.commit)
        for _ in range(ATTEMPTS - 1):
            if not isinstance(outcome, RemoteUnreachable):
                break
            await self.clock.sleep(PAUSE.total_seconds())
            outcome = await self.target.push(work.branch, work.commit)
        if not isinstance(outcome, Pushed | AlreadyPushed):
            return NotPublished(f"it could not be pushed to {self.target.remote}: {outcome.reason}")
        pushed = BranchPushed(self.target.remote, work.branch, work.commit)
        self.log.record(pushed, once=f"pushed {work.commit}")
        return Published()

    async def _open(self, forge: Forge, work: Publication) -> PublishOutcome:
        new = NewPullRequest(
            branch=work.branch,
            base=self.target.base,
            title=work.text.title,
            body=work.text.body,
            draft=work.draft,
        )
        opened: OpenedPullRequest | DraftsUnsupported | ServiceFailure
        opened = await self._ask(lambda: forge.open_pull_request(new))
        match opened:
            case OpenedPullRequest(pull_request=request, created=created):
                if not created and request.state != "open":
                    return NotPublished(f"its pull request {request.url} is {request.state}")
                self._record_opened(request, work.commit)
                if created:
                    return Published(request.url)
                # Found: opened by a step that was cut off, or for an earlier commit.
                return await self._update(forge, request, work)
            case DraftsUnsupported(reason=reason):
                return NotPublished(f"it is not proven enough, and a draft is refused: {reason}")
            case _:
                return NotPublished(f"no pull request could be opened: {failure_text(opened)}")

    def _record_opened(self, request: PullRequest, commit: str) -> None:
        event = PullRequestOpened(request.number, request.url, request.title, request.draft, commit)
        self.log.record(event, once=f"pull request opened {request.number}")

    async def _update(
        self, forge: Forge, request: PullRequest, work: Publication
    ) -> PublishOutcome:
        wanted = (work.text.title, work.text.body, work.draft)
        if (request.title, request.body, request.draft) == wanted and not work.answers_feedback:
            return Published(request.url)
        change = PullRequestChange(*wanted)
        updated = await self._ask(lambda: forge.update_pull_request(request.number, change))
        if not isinstance(updated, PullRequest):
            reason = failure_text(updated)
            return NotPublished(f"its pull request {request.url} could not be updated: {reason}")
        event = PullRequestUpdated(
            updated.number, updated.url, updated.title, updated.draft, work.commit
        )
        self.log.record(event, once=f"pull request updated {work.commit}")
        return Published(updated.url)

    async def _ask(
        self, call: Callable[[], Awaitable[Answer | ServiceFailure]]
    ) -> Answer | ServiceFailure:
        """The answer of the service; one that does not answer is asked again, within bounds."""
        answer = await call()
        for _ in range(ATTEMPTS - 1):
            if not isinstance(answer, RateLimited | Unreachable):
                break
            now = self.clock.now()
            until = retry_at(answer, now + PAUSE) or now
            pause = min(max(until - now, timedelta()), LONGEST_PAUSE)
            await self.clock.sleep(pause.total_seconds())
            answer = await call()
        return answer
