"""Pull requests in GitHub's JSON. Pure."""

from collections.abc import Sequence
from typing import Any

from treadle.domain.forge import (
    ForgeRepository,
    NewPullRequest,
    PullRequest,
    PullRequestChange,
    PullRequestState,
)

# GitHub accepts no more.
MAX_TITLE = 256
MAX_BODY = 65_536
_CUT = "\n\n…"
_DRAFTS = "draft pull requests are not supported"
_EXISTS = "a pull request already exists"

READY = """\
mutation MarkReady($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""
DRAFT = """\
mutation ConvertToDraft($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""


def read_repository(data: Any) -> ForgeRepository:
    return ForgeRepository(
        path=str(data["full_name"]),
        default_branch=str(data["default_branch"]),
        can_push=bool((data.get("permissions") or {}).get("push")),
    )


def read_pull_request(data: Any) -> PullRequest:
    return PullRequest(
        number=int(data["number"]),
        url=str(data["html_url"]),
        title=str(data["title"]),
        body=str(data.get("body") or ""),
        branch=str(data["head"]["ref"]),
        base=str(data["base"]["ref"]),
        head_commit=str(data["head"]["sha"]),
        state=_state(data),
        draft=bool(data.get("draft")),
    )


def read_node_id(data: Any) -> str:
    """The name that GraphQL has for it."""
    return str(data["node_id"])


def _state(data: Any) -> PullRequestState:
    if data["state"] == "open":
        return "open"
    # Lists have the time of the merge alone.
    return "merged" if data.get("merged_at") or data.get("merged") else "closed"


def of_branch(data: Any, owner: str, branch: str) -> list[PullRequest]:
    """Those of a page that are really of this branch: GitHub ignores a filter that it does not
    understand."""
    return [
        read_pull_request(each)
        for each in data
        if each["head"]["ref"] == branch
        and str((each["head"].get("user") or {}).get("login", "")).lower() == owner.lower()
    ]


def choose(found: Sequence[PullRequest]) -> PullRequest | None:
    """The open one, or else the newest."""
    return max(found, key=lambda each: (each.state == "open", each.number), default=None)


def new_body(new: NewPullRequest) -> dict[str, Any]:
    return {
        "title": fit(new.title, MAX_TITLE),
        "body": fit(new.body, MAX_BODY),
        "head": new.branch,
        "base": new.base,
        "draft": new.draft,
    }


def changed_texts(before: PullRequest, change: PullRequestChange) -> dict[str, str]:
    """What has to be sent; GitHub gives texts back with its own line ends."""
    wanted = {
        "title": None if change.title is None else fit(change.title, MAX_TITLE),
        "body": None if change.body is None else fit(change.body, MAX_BODY),
    }
    current = {"title": before.title, "body": before.body}
    return {
        name: text
        for name, text in wanted.items()
        if text is not None and _lines(text) != _lines(current[name])
    }


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def fit(text: str, longest: int) -> str:
    """The text as GitHub takes it; it counts UTF-16 units at worst."""
    if len(text.encode("utf-16-le", "replace")) // 2 <= longest:
        return text
    kept = text.encode("utf-16-le", "replace")[: 2 * (longest - len(_CUT))]
    return kept.decode("utf-16-le", "ignore") + _CUT


def lacks_drafts(reason: str) -> bool:
    return _DRAFTS in reason.lower()


def exists_already(reason: str) -> bool:
    return _EXISTS in reason.lower()
