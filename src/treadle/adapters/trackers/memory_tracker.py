"""A tracker in memory, for rehearsals and tests."""

from dataclasses import dataclass, field, replace

from treadle.domain.forge import Author
from treadle.domain.service_failures import NotFound, ServiceFailure
from treadle.domain.tracker import Issue, IssueComment


@dataclass(slots=True)
class MemoryTracker:
    """The `Tracker` port on a dictionary."""

    # Who has write access.
    writers: set[str] = field(default_factory=set)
    # Given by every call while it is set.
    failure: ServiceFailure | None = None
    _issues: dict[int, Issue] = field(default_factory=dict)

    async def read_issue(self, number: int) -> Issue | ServiceFailure:
        if self.failure:
            return self.failure
        issue = self._issues.get(number)
        if issue is None:
            return NotFound(f"issue #{number}")
        return replace(
            issue,
            author=self._author(issue.author.login),
            comments=tuple(self._comment(each) for each in issue.comments),
        )

    def put_issue(self, issue: Issue) -> None:
        """What a person writes; the same number again is an edit."""
        self._issues[issue.number] = issue

    def _comment(self, comment: IssueComment) -> IssueComment:
        return replace(comment, author=self._author(comment.author.login))

    def _author(self, login: str) -> Author:
        return Author(login, login in self.writers)
