"""What of CI results and comments becomes work, and when following ends. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.publishing import (
    BranchPushed,
    FeedbackItem,
    FeedbackReceived,
    PullRequestOpened,
)
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.forge import (
    CheckLog,
    CiCheck,
    CommitChecks,
    FeedbackList,
    PullRequest,
    ReviewFeedback,
)
from treadle.domain.service_failures import ServiceFailure, failure_text
from treadle.workflows.loop.prompt_fences import in_fence, visible_text

# The types of events that `read_followed` reads.
FOLLOW_EVENTS = frozenset(
    {"pull_request.opened", "branch.pushed", "feedback.received", "run.ended", "run.reopened"}
)
# The ends whose work is published.
PUBLISHED: tuple[ExitReason, ...] = ("approved", "all_passed", "unproven")
# How long feedback waits for checks that still run: one round for all of it is better than two.
LONGEST_SETTLING = timedelta(minutes=15)
# What is left comes back in the next round.
MAX_ITEMS = 20
MAX_LOGS = 5
MAX_TEXT = 12_000
MAX_PLACE = 300


@dataclass(frozen=True, slots=True)
class FollowedPullRequest:
    """What the log of a run says about its pull request."""

    number: int
    url: str
    opened_at: datetime
    # Whether an earlier leg opened it: only then this leg follows it.
    of_earlier_leg: bool = False
    # Those that the run has pushed, the newest last.
    commits: tuple[str, ...] = ()
    rounds: int = 0
    seen: frozenset[str] = frozenset()
    # Feedback that no leg has worked on to its end.
    pending: FeedbackReceived | None = None
    # How the work that is published had ended.
    reason: ExitReason = "approved"


def read_followed(log: Iterable[RecordedEvent]) -> FollowedPullRequest | None:
    """The pull request in a log; None if there is none."""
    found: FollowedPullRequest | None = None
    commits: tuple[str, ...] = ()
    for recorded in log:
        match recorded.event:
            case BranchPushed(commit=commit):
                commits = (*commits, commit)
            case PullRequestOpened(number=number, url=url, commit=commit) if found is None:
                commits = commits or (commit,)
                found = FollowedPullRequest(number, url, recorded.at)
            case _:
                found = None if found is None else _with_event(found, recorded)
    return None if found is None else replace(found, commits=commits)


def _with_event(found: FollowedPullRequest, recorded: RecordedEvent) -> FollowedPullRequest:
    match recorded.event:
        case FeedbackReceived(items=items) as event:
            seen = found.seen | {each.id for each in items}
            return replace(found, seen=seen, rounds=found.rounds + 1, pending=event)
        case RunEnded(result=result):
            is_done = result.succeeded or result.follow_until is not None
            reason = result.reason if result.reason in PUBLISHED else found.reason
            return replace(found, pending=None if is_done else found.pending, reason=reason)
        case RunReopened():
            return replace(found, of_earlier_leg=True)
        case _:
            return found


@dataclass(frozen=True, slots=True)
class PullRequestLook:
    """A pull request, its CI and its reviews at one moment."""

    request: PullRequest
    checks: CommitChecks
    feedback: FeedbackList
    # The names of checks that failed before the work, too.
    red_before: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KeepFollowing:
    """Nothing to do yet; what the look before found, and since when there is something."""

    found: frozenset[str] = frozenset()
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class TakeFeedback:
    """What is new has settled: it becomes work."""

    checks: tuple[CiCheck, ...] = ()
    comments: tuple[ReviewFeedback, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class StopFollowing:
    """Why nobody follows the pull request any more."""

    message: str


FollowDecision: TypeAlias = KeepFollowing | TakeFeedback | StopFollowing


def decide_following(
    followed: FollowedPullRequest, look: PullRequestLook, before: KeepFollowing, now: datetime
) -> FollowDecision:
    """What a look at the pull request means. Feedback counts once two looks found the same and no
    check runs, but does not wait long."""
    request = look.request
    if request.state != "open":
        how = "merged" if request.state == "merged" else "closed without being merged"
        return StopFollowing(f"pull request #{request.number} was {how}")
    if request.head_commit not in followed.commits:
        return StopFollowing(
            f"somebody else has pushed to {request.branch}, so Treadle leaves it to them"
        )
    failed = new_failures(look.checks, followed.seen, look.red_before)
    comments = tuple(
        each for each in look.feedback.items if each.id not in followed.seen and asks_for_work(each)
    )
    found = frozenset((*(check_id(look.checks.commit, each) for each in failed), *ids(comments)))
    if not found:
        return KeepFollowing()
    since = before.since or now
    is_running = any(each.state == "pending" for each in look.checks.checks)
    if found != before.found or (is_running and now - since < LONGEST_SETTLING):
        return KeepFollowing(found, since)
    return TakeFeedback(failed, comments)


def new_failures(
    checks: CommitChecks, seen: Collection[str], red_before: Collection[str] = ()
) -> tuple[CiCheck, ...]:
    """The failed checks that no round has worked on, and that passed before the work: whoever
    wants the others mended, too, can say so in a comment."""
    return tuple(
        each
        for each in checks.failed
        if check_id(checks.commit, each) not in seen and each.name not in red_before
    )


def check_id(commit: str, check: CiCheck) -> str:
    """The same for as long as the check is not run again."""
    return f"ci:{commit}:{check.name}:{check.log_id}"


def ids(comments: Iterable[ReviewFeedback]) -> list[str]:
    return [each.id for each in comments]


def asks_for_work(feedback: ReviewFeedback) -> bool:
    """Whether these are words of a person who could also push, and not just a yes."""
    is_approval = feedback.kind == "review" and feedback.verdict in ("approved", "dismissed")
    return feedback.author.can_write and not is_approval and bool(visible_text(feedback.body))


def ci_item(commit: str, check: CiCheck, log: CheckLog | ServiceFailure) -> FeedbackItem:
    """A failed check, with the end of the log of the step that failed."""
    if isinstance(log, CheckLog):
        text, step = log.text or check.summary, log.step
    else:
        text, step = f"{check.summary}\n(no log: {failure_text(log)})".strip(), ""
    return FeedbackItem(
        id=check_id(commit, check),
        source="ci",
        author=_one_line(check.name),
        text=visible_text(text)[-MAX_TEXT:],
        place=_one_line(step),
        url=check.url,
    )


def comment_item(feedback: ReviewFeedback) -> FeedbackItem:
    """What a person wrote, without what a reader of the page does not see."""
    line = "" if feedback.line is None else f":{feedback.line}"
    return FeedbackItem(
        id=feedback.id,
        source=feedback.kind,
        author=_one_line(feedback.author.login),
        text=visible_text(feedback.body)[:MAX_TEXT],
        place=_one_line(f"{feedback.path}{line}"),
        url=feedback.url,
    )


def _one_line(text: str) -> str:
    return " ".join(visible_text(text).split())[:MAX_PLACE]


def feedback_prompt(items: Sequence[FeedbackItem]) -> str:
    """The part of a prompt with the feedback, fenced as data."""
    return "\n\n".join(
        [
            "## What CI and reviewers say",
            *(_item_prompt(n, each) for n, each in enumerate(items, 1)),
        ]
    )


def _item_prompt(number: int, item: FeedbackItem) -> str:
    place = f" ({item.place})" if item.place else ""
    match item.source:
        case "ci":
            heading = f"### {number}. The CI check {item.author!r} failed{place}"
        case "line_comment":
            heading = f"### {number}. {item.author} comments on {item.place or 'a line'}"
        case "review" | "comment":
            heading = f"### {number}. {item.author} says"
    return f"{heading}\n\n{in_fence(item.text)}"
