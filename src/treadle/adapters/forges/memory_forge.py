"""A forge in memory, for rehearsals and tests: what people and CI do there is done by methods."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from treadle.domain.forge import (
    Author,
    CheckLog,
    CiCheck,
    CommitChecks,
    DraftsUnsupported,
    FeedbackList,
    ForgeRepository,
    NewPullRequest,
    OpenedPullRequest,
    PullRequest,
    PullRequestChange,
    PullRequestState,
    RepositoryAddress,
    ReviewFeedback,
)
from treadle.domain.service_failures import NotFound, Refused, ServiceFailure


@dataclass(slots=True)
class MemoryForge:
    """The `Forge` port on dictionaries."""

    address: RepositoryAddress
    default_branch: str = "main"
    can_push: bool = True
    has_drafts: bool = True
    # The commits of branches, as they were pushed.
    branches: dict[str, str] = field(default_factory=dict)
    # Who has write access.
    writers: set[str] = field(default_factory=set)
    # Given by every call while it is set.
    failure: ServiceFailure | None = None
    _pull_requests: dict[int, PullRequest] = field(default_factory=dict)
    _checks: dict[str, dict[str, CiCheck]] = field(default_factory=dict)
    _logs: dict[str, CheckLog] = field(default_factory=dict)
    _feedback: dict[int, dict[str, ReviewFeedback]] = field(default_factory=dict)

    async def find_repository(self) -> ForgeRepository | ServiceFailure:
        return self.failure or ForgeRepository(
            self.address.path, self.default_branch, self.can_push
        )

    async def find_pull_request(self, branch: str) -> PullRequest | ServiceFailure:
        if self.failure:
            return self.failure
        of_branch = [each for each in self._pull_requests.values() if each.branch == branch]
        found = max(of_branch, key=lambda each: (each.state == "open", each.number), default=None)
        return self._current(found) if found else NotFound(f"a pull request of {branch}")

    async def open_pull_request(
        self, new: NewPullRequest
    ) -> OpenedPullRequest | DraftsUnsupported | ServiceFailure:
        existing = await self.find_pull_request(new.branch)
        if isinstance(existing, PullRequest):
            return OpenedPullRequest(existing, created=False)
        if not isinstance(existing, NotFound):
            return existing
        if new.branch not in self.branches or new.base not in self.branches:
            return Refused(f"there is no branch {new.branch} or {new.base}")
        if new.draft and not self.has_drafts:
            return DraftsUnsupported("this repository has no drafts")
        number = len(self._pull_requests) + 1
        opened = PullRequest(
            number=number,
            url=f"{self.address.url}/pull/{number}",
            title=new.title,
            body=new.body,
            branch=new.branch,
            base=new.base,
            head_commit=self.branches[new.branch],
            state="open",
            draft=new.draft,
        )
        self._pull_requests[number] = opened
        return OpenedPullRequest(opened, created=True)

    async def read_pull_request(self, number: int) -> PullRequest | ServiceFailure:
        if self.failure:
            return self.failure
        found = self._pull_requests.get(number)
        return self._current(found) if found else NotFound(f"pull request #{number}")

    async def update_pull_request(
        self, number: int, change: PullRequestChange
    ) -> PullRequest | ServiceFailure:
        found = await self.read_pull_request(number)
        if not isinstance(found, PullRequest):
            return found
        is_open = found.state == "open"
        changed = replace(
            found,
            title=found.title if change.title is None else change.title,
            body=found.body if change.body is None else change.body,
            draft=found.draft if change.draft is None or not is_open else change.draft,
        )
        self._pull_requests[number] = changed
        return changed

    async def read_checks(self, commit: str) -> CommitChecks | ServiceFailure:
        checks = self._checks.get(commit, {})
        return self.failure or CommitChecks(commit, tuple(checks[name] for name in sorted(checks)))

    async def read_check_log(self, check: CiCheck) -> CheckLog | ServiceFailure:
        if self.failure:
            return self.failure
        if not check.log_id:
            return CheckLog(check.summary)
        return self._logs.get(check.log_id) or NotFound(f"the log of {check.name}")

    async def read_feedback(
        self, number: int, seen: Collection[str]
    ) -> FeedbackList | ServiceFailure:
        if self.failure:
            return self.failure
        if number not in self._pull_requests:
            return NotFound(f"the reviews of #{number}")
        new = [
            replace(each, author=Author(each.author.login, each.author.login in self.writers))
            for each in self._feedback.get(number, {}).values()
            if each.id not in seen
        ]
        return FeedbackList(tuple(sorted(new, key=lambda each: (each.at, each.id))))

    def end_pull_request(self, number: int, state: PullRequestState) -> None:
        """What a person does with it."""
        ended = self._current(self._pull_requests[number])
        self._pull_requests[number] = replace(ended, state=state)

    def put_check(self, commit: str, check: CiCheck, log: CheckLog | None = None) -> None:
        """What CI reports; a later report of the same name takes the place of the first."""
        self._checks.setdefault(commit, {})[check.name] = check
        if log is not None:
            self._logs[check.log_id] = log

    def put_feedback(self, number: int, feedback: ReviewFeedback) -> None:
        """What a person says; the same id again is an edit."""
        self._feedback.setdefault(number, {})[feedback.id] = feedback

    def _current(self, stored: PullRequest) -> PullRequest:
        """While it is open, its head is that of its branch."""
        if stored.state != "open":
            return stored
        return replace(stored, head_commit=self.branches.get(stored.branch, stored.head_commit))
