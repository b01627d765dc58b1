"""The `Tracker` port on GitHub's issues."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from treadle.adapters.forges.github.client import PAGE_SIZE, GitHubClient
from treadle.adapters.forges.github.feedback import Permissions, read_login
from treadle.domain.forge import Author
from treadle.domain.service_failures import NotFound, ServiceFailure
from treadle.domain.tracker import Issue, IssueComment

AuthorOf = Callable[[Any], Author]


@dataclass(frozen=True, slots=True)
class GitHubIssues:
    """The issues of one repository on GitHub. GitHub's lists of issues have pull requests, too;
    they are none here."""

    client: GitHubClient

    async def read_issue(self, number: int) -> Issue | ServiceFailure:
        what = f"issue #{number}"
        url = self.client.url(f"/issues/{number}")
        issue = await self.client.get(url, what, _checked_issue)
        if not isinstance(issue, dict):
            return issue
        if issue.get("pull_request"):
            return NotFound(what)
        comments = await self.client.get_all(
            f"{url}/comments?per_page={PAGE_SIZE}", what, _checked_comments
        )
        if not isinstance(comments, list):
            return comments
        logins = [read_login(each) for each in (issue, *comments)]
        writers = await Permissions(self.client).writers_among(logins)
        if not isinstance(writers, frozenset):
            return writers
        return _read_issue(issue, comments, lambda data: _author(data, writers))


def _author(data: Any, writers: frozenset[str]) -> Author:
    login = read_login(data)
    return Author(login, login in writers)


def _checked_issue(data: Any) -> dict[str, Any]:
    """The data, if an issue can be read from it."""
    _read_issue(data, [], lambda each: Author(read_login(each), can_write=False))
    return dict(data)


def _checked_comments(data: Any) -> list[Any]:
    for each in data:
        _read_comment(each, Author(read_login(each), can_write=False))
    return list(data)


def _read_issue(data: Any, comments: list[Any], author_of: AuthorOf) -> Issue:
    return Issue(
        number=int(data["number"]),
        url=str(data["html_url"]),
        title=str(data["title"]),
        body=str(data.get("body") or ""),
        author=author_of(data),
        state="open" if data["state"] == "open" else "closed",
        comments=tuple(_read_comment(each, author_of(each)) for each in comments),
    )


def _read_comment(data: Any, author: Author) -> IssueComment:
    return IssueComment(
        id=str(int(data["id"])),
        author=author,
        body=str(data.get("body") or ""),
        at=datetime.fromisoformat(data["created_at"]),
    )
