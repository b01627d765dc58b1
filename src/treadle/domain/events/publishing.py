"""Events of work that leaves this machine: pushed branches and pull requests."""

from dataclasses import dataclass
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
