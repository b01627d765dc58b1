"""Events of work that leaves this machine: pushed branches, pull requests and what comes back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class BranchPushed:
    """The run's branch is on the remote, at this commit."""

    remote: str
    branch: str
    commit: str
    type: Literal["branch.pushed"] = "branch.pushed"


@dataclass(frozen=True, slots=True)
class PullRequestOpened:
    """The run's branch has a pull request; a draft if its work is not proven enough."""

    number: int
    url: str
    title: str
    draft: bool
    commit: str
    type: Literal["pull_request.opened"] = "pull_request.opened"


@dataclass(frozen=True, slots=True)
class PullRequestUpdated:
    """The pull request describes this commit now."""

    number: int
    url: str
    title: str
    draft: bool
    commit: str
    type: Literal["pull_request.updated"] = "pull_request.updated"


@dataclass(frozen=True, slots=True)
class PullRequestFollowed:
    """The run waits for CI and reviews of its pull request, at most until then. This does not count
    as running time."""

    number: int
    url: str
    until: datetime
    type: Literal["pull_request.followed"] = "pull_request.followed"


@dataclass(frozen=True, slots=True)
class FeedbackItem:
    """A failed CI check with the end of its log, or what a person with write access wrote, as it
    was when it was read."""

    # Never given to another one; an edit does not change it.
    id: str
    source: Literal["ci", "review", "line_comment", "comment"]
    # The name of the check, or who wrote it.
    author: str
    text: str
    # The step that failed, or the file and line that the comment is about.
    place: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class FeedbackReceived:
    """What CI and reviewers said about this commit of the pull request becomes work."""

    number: int
    # How often the run has received feedback, with this time.
    round: int
    commit: str
    items: tuple[FeedbackItem, ...]
    type: Literal["feedback.received"] = "feedback.received"
