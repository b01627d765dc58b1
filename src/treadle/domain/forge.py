"""A forge: where branches are pushed and pull requests are reviewed. Types and the port."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from treadle.domain.service_failures import ServiceFailure

PullRequestState: TypeAlias = Literal["open", "merged", "closed"]
# `blocked`: a person must act before it runs, for example approve it.
CheckState: TypeAlias = Literal["pending", "passed", "failed", "skipped", "cancelled", "blocked"]
FeedbackKind: TypeAlias = Literal["review", "line_comment", "comment"]
ReviewVerdict: TypeAlias = Literal["approved", "changes_requested", "commented", "dismissed", ""]


@dataclass(frozen=True, slots=True)
class RepositoryAddress:
    """The name of a repository on a forge."""

    forge: str
    # With a port, if it is not that of the scheme.
    host: str
    owner: str
    name: str
    scheme: Literal["https", "http"] = "https"

    @property
    def path(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def url(self) -> str:
        """The page of the repository; with `.git` it is what git pushes to."""
        return f"{self.scheme}://{self.host}/{self.path}"


@dataclass(frozen=True, slots=True)
class ForgeRepository:
    """A repository as the forge describes it to this login."""

    path: str
    default_branch: str
    can_push: bool
    type: Literal["repository"] = "repository"


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a text, and whether they may write to the repository."""

    login: str
    can_write: bool


@dataclass(frozen=True, slots=True)
class NewPullRequest:
    """What a pull request is opened with."""

    branch: str
    base: str
    title: str
    body: str
    draft: bool = False


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The state of a pull request."""

    number: int
    url: str
    title: str
    body: str
    branch: str
    base: str
    head_commit: str
    state: PullRequestState
    draft: bool
    type: Literal["pull_request"] = "pull_request"


@dataclass(frozen=True, slots=True)
class OpenedPullRequest:
    """The pull request of a branch; `created` is False if there was one already, in any state."""

    pull_request: PullRequest
    created: bool
    type: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True)
class DraftsUnsupported:
    """The repository has no drafts: it must be opened as ready, or not at all."""

    reason: str
    type: Literal["drafts_unsupported"] = "drafts_unsupported"


@dataclass(frozen=True, slots=True)
class PullRequestChange:
    """What is to be different; None leaves it."""

    title: str | None = None
    body: str | None = None
    draft: bool | None = None


@dataclass(frozen=True, slots=True)
class CiCheck:
    """The result of one CI job, or of a service that reports on commits."""

    name: str
    state: CheckState
    url: str = ""
    # What it says about itself, in a few words.
    summary: str = ""
    # By which the forge finds its log; empty if it has none.
    log_id: str = ""


@dataclass(frozen=True, slots=True)
class CommitChecks:
    """All results for a commit; none yet if CI has not begun."""

    commit: str
    checks: tuple[CiCheck, ...] = ()
    # What this login may not see, for a person; empty: it sees all.
    hidden: str = ""
    type: Literal["checks"] = "checks"

    @property
    def verdict(self) -> Literal["none", "pending", "failed", "passed"]:
        states = {each.state for each in self.checks}
        if "failed" in states:
            return "failed"
        if states & {"pending", "blocked"}:
            return "pending"
        return "passed" if states else "none"

    @property
    def failed(self) -> tuple[CiCheck, ...]:
        return tuple(each for each in self.checks if each.state == "failed")


@dataclass(frozen=True, slots=True)
class CheckLog:
    """The end of the log of the step that failed."""

    text: str
    step: str = ""
    type: Literal["log"] = "log"


@dataclass(frozen=True, slots=True)
class ReviewFeedback:
    """A review, a comment on a line, or a comment in the conversation of a pull request."""

    # Never given to another one; an edit does not change it.
    id: str
    kind: FeedbackKind
    author: Author
    body: str
    at: datetime
    url: str = ""
    verdict: ReviewVerdict = ""
    # Of a comment on a line.
    path: str = ""
    line: int | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True)
class FeedbackList:
    """Feedback that the caller has not seen, the oldest first."""

    items: tuple[ReviewFeedback, ...] = ()
    type: Literal["feedback"] = "feedback"


class Forge(Protocol):
    """One repository on a forge. No method raises for what a network or a forge does.

    Every call may be repeated after a crash: each looks for what exists before it creates.
    """

    @property
    def address(self) -> RepositoryAddress: ...

    async def find_repository(self) -> ForgeRepository | ServiceFailure: ...

    async def find_pull_request(self, branch: str) -> PullRequest | ServiceFailure:
        """The pull request of a branch: the open one, or else the newest; NotFound if none is."""
        ...

    async def open_pull_request(
        self, new: NewPullRequest
    ) -> OpenedPullRequest | DraftsUnsupported | ServiceFailure:
        """Open it, unless the branch has one, in any state."""
        ...

    async def read_pull_request(self, number: int) -> PullRequest | ServiceFailure: ...

    async def update_pull_request(
        self, number: int, change: PullRequestChange
    ) -> PullRequest | ServiceFailure:
        """Make it so; what is so already is not sent."""
        ...

    async def read_checks(self, commit: str) -> CommitChecks | ServiceFailure: ...

    async def read_check_log(self, check: CiCheck) -> CheckLog | ServiceFailure:
        """The log of the step that failed, at most `MAX_LOG_CHARS` of its end."""
        ...

    async def read_feedback(
        self, number: int, seen: Collection[str]
    ) -> FeedbackList | ServiceFailure:
        """What people have said, without the ids that were seen: a later edit changes nothing."""
        ...


MAX_LOG_CHARS = 16_000
