"""What a run has published and what came back, folded from its log event by event. Pure."""

from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from treadle.domain.events.publishing import (
    BranchPushed,
    FeedbackReceived,
    PullRequestFollowed,
    PullRequestOpened,
    PullRequestUpdated,
)

PublishingEvent: TypeAlias = (
    BranchPushed | PullRequestOpened | PullRequestUpdated | PullRequestFollowed | FeedbackReceived
)


@dataclass(frozen=True, slots=True)
class PublishingState:
    """The branch and the pull request of a run, the last of each."""

    pushed: BranchPushed | None = None
    pull_request: PullRequestOpened | PullRequestUpdated | None = None
    # While the run waits for CI and reviews.
    following: PullRequestFollowed | None = None
    # What it works on, or worked on last.
    feedback: FeedbackReceived | None = None


def apply_publishing_event(state: PublishingState, event: PublishingEvent) -> PublishingState:
    match event:
        case BranchPushed():
            return replace(state, pushed=event)
        case PullRequestOpened() | PullRequestUpdated():
            return replace(state, pull_request=event)
        case PullRequestFollowed():
            return replace(state, following=event)
        case FeedbackReceived():
            return replace(state, following=None, feedback=event)
        case _:
            assert_never(event)
