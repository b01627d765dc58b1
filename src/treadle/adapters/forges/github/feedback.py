"""Reviews and comments in GitHub's JSON, and who of their authors has write access."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from treadle.adapters.forges.github.client import GitHubClient
from treadle.domain.forge import Author, ReviewFeedback, ReviewVerdict
from treadle.domain.service_failures import NotFound, ServiceFailure

# Shown for an account that was deleted.
GHOST = "ghost"
_WRITE = frozenset({"admin", "maintain", "write"})
_VERDICTS: dict[str, ReviewVerdict] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "COMMENTED": "commented",
    "DISMISSED": "dismissed",
}


def read_login(data: Any) -> str:
    return str((data.get("user") or {}).get("login") or GHOST)


def read_reviews(data: Any) -> list[ReviewFeedback]:
    """Those that were submitted and say something; a draft is visible to its author alone."""
    return [
        ReviewFeedback(
            id=f"review:{int(each['id'])}",
            kind="review",
            author=Author(read_login(each), can_write=False),
            body=str(each.get("body") or ""),
            at=datetime.fromisoformat(each["submitted_at"]),
            url=str(each.get("html_url") or ""),
            verdict=_VERDICTS[each["state"]],
            commit=str(each.get("commit_id") or ""),
        )
        for each in data
        if each["state"] in _VERDICTS and (each.get("body") or each["state"] != "COMMENTED")
    ]


def read_line_comments(data: Any) -> list[ReviewFeedback]:
    return [
        ReviewFeedback(
            id=f"line_comment:{int(each['id'])}",
            kind="line_comment",
            author=Author(read_login(each), can_write=False),
            body=str(each.get("body") or ""),
            at=datetime.fromisoformat(each["created_at"]),
            url=str(each.get("html_url") or ""),
            path=str(each.get("path") or ""),
            line=each.get("line") or each.get("original_line"),
            commit=str(each.get("commit_id") or ""),
        )
        for each in data
    ]


def read_comments(data: Any) -> list[ReviewFeedback]:
    return [
        ReviewFeedback(
            id=f"comment:{int(each['id'])}",
            kind="comment",
            author=Author(read_login(each), can_write=False),
            body=str(each.get("body") or ""),
            at=datetime.fromisoformat(each["created_at"]),
            url=str(each.get("html_url") or ""),
        )
        for each in data
    ]


@dataclass(frozen=True, slots=True)
class Permissions:
    """Asks GitHub who may write to the repository."""

    client: GitHubClient

    async def writers_among(self, logins: Iterable[str]) -> frozenset[str] | ServiceFailure:
        """Those with write access. A failure is none of them: it is not known then."""
        writers = set()
        for login in sorted(set(logins) - {GHOST}):
            url = self.client.url(f"/collaborators/{quote(login, safe='')}/permission")
            what = f"the permissions of {login}"
            allowed = await self.client.get(url, what, _may_write)
            if isinstance(allowed, NotFound):
                continue  # a bot, or nobody of this name
            if not isinstance(allowed, bool):
                return allowed
            if allowed:
                writers.add(login)
        return frozenset(writers)


def _may_write(data: Any) -> bool:
    return data["permission"] in _WRITE


def with_authors(
    items: Iterable[ReviewFeedback], writers: frozenset[str]
) -> tuple[ReviewFeedback, ...]:
    """With the permission of each author, the oldest first."""
    known = [
        replace(each, author=Author(each.author.login, each.author.login in writers))
        for each in items
    ]
    return tuple(sorted(known, key=lambda each: (each.at, each.id)))
