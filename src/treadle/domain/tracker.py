"""A tracker: where tasks come from. Types, the port, and which text of an issue may be used."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from urllib.parse import urlsplit

from treadle.domain.forge import Author, RepositoryAddress
from treadle.domain.service_failures import ServiceFailure

_NUMBER = re.compile(r"#?([1-9]\d{0,17})")
_ISSUE_PATH = re.compile(r"/([^/]+)/([^/]+)/issues/([1-9]\d{0,17})/?")


@dataclass(frozen=True, slots=True)
class IssueComment:
    """A comment of an issue."""

    id: str
    author: Author
    body: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue with its comments as they were when it was read. Later edits do not change it."""

    number: int
    url: str
    title: str
    body: str
    author: Author
    state: Literal["open", "closed"]
    comments: tuple[IssueComment, ...] = ()
    type: Literal["issue"] = "issue"


@dataclass(frozen=True, slots=True)
class TrustedIssue:
    """The text of people with write access, and the hash that fixes it."""

    number: int
    url: str
    title: str
    body: str
    comments: tuple[IssueComment, ...]
    digest: str
    # How many comments of other people were left out.
    left_out: int
    type: Literal["trusted_issue"] = "trusted_issue"


@dataclass(frozen=True, slots=True)
class UntrustedIssue:
    """A person without write access wrote the issue, so nothing starts from it."""

    author: str
    type: Literal["untrusted_issue"] = "untrusted_issue"


@dataclass(frozen=True, slots=True)
class IssueReference:
    """The number of an issue in the project's own repository."""

    number: int


@dataclass(frozen=True, slots=True)
class WrongReference:
    """What was given names no issue of this repository."""

    reason: str


class Tracker(Protocol):
    """The issues of one repository. No method raises for what a network or a tracker does."""

    async def read_issue(self, number: int) -> Issue | ServiceFailure:
        """The issue with all comments, and for each author whether they have write access."""
        ...


def trusted_text(issue: Issue) -> TrustedIssue | UntrustedIssue:
    """What a run may be told of an issue: the text of people who could also push it."""
    if not issue.author.can_write:
        return UntrustedIssue(issue.author.login)
    comments = tuple(each for each in issue.comments if each.author.can_write)
    return TrustedIssue(
        issue.number,
        issue.url,
        issue.title,
        issue.body,
        comments,
        _digest(issue, comments),
        len(issue.comments) - len(comments),
    )


def _digest(issue: Issue, comments: tuple[IssueComment, ...]) -> str:
    """The hash of who said what; the same for the same text, however it is fetched."""
    texts = [
        [issue.url, issue.author.login, issue.title, issue.body],
        *([each.id, each.author.login, each.body] for each in comments),
    ]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def parse_issue_reference(text: str, address: RepositoryAddress) -> IssueReference | WrongReference:
    """Parse `#12`, `12` or the URL of an issue.

    A URL must be of this repository: who may write to another one says nothing about this one.
    """
    if number := _NUMBER.fullmatch(text.strip()):
        return IssueReference(int(number[1]))
    parts = urlsplit(text.strip())
    path = _ISSUE_PATH.fullmatch(parts.path)
    if parts.scheme not in ("https", "http") or path is None:
        return WrongReference("give an issue as #12, or as the URL of its page")
    host = parts.netloc.lower()
    if host != address.host.lower():
        return WrongReference(f"the issue is on {host}, and the project on {address.host}")
    if (path[1].lower(), path[2].lower()) != (address.owner.lower(), address.name.lower()):
        return WrongReference(
            f"the issue belongs to {path[1]}/{path[2]}, and the project to {address.path}"
        )
    return IssueReference(int(path[3]))
