"""Decides whether work lands, asks a person about it, and returns the event that records it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, assert_never

from treadle.domain.approval import Answer, ApprovalQuestion, LapsedQuestion, VoidedQuestion
from treadle.domain.events.work import WorkKept, WorkLanded
from treadle.domain.ids import RunId
from treadle.domain.run import LandingMode
from treadle.workflows.loop.approval_requests import ApprovalOutcome, NotAnswered
from treadle.workspace.checkout_landing import LandedCommit, LandingRefused, land, land_files
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot

LandingForm = Literal["commits", "files"]
Ask = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class LandingMethod:
    """How work lands, and which paths of the checkout may have changed meanwhile."""

    form: LandingForm
    free: tuple[str, ...] = ()


async def land_work(
    project: Project, snapshot: Snapshot, work: ImportedBranch, *, run: RunId, method: LandingMethod
) -> WorkLanded | WorkKept:
    """Land the work by this method; the event says whether it landed."""
    form = method.form
    land_form = land if form == "commits" else land_files
    match await land_form(project, snapshot, work, run, method.free):
        case LandedCommit(commit=commit):
            return WorkLanded(work.branch, commit, form)
        case LandingRefused(reason=reason, command=command):
            return WorkKept(work.branch, reason, command, by_checkout=True)
        case unreachable:
            assert_never(unreachable)


async def why_not(
    landing: LandingMode, work: ImportedBranch, ask: Ask | None, *, because: str = ""
) -> str:
    """Why the work does not land now; empty if it does. `because` says why a person is asked."""
    match landing:
        case "auto":
            return ""
        case "never" | "pull_request":
            return "landing is switched off"
        case "ask":
            if ask is None and because:
                return f"{because}, and there is no terminal to ask on"
            if ask is None:
                return "landing needs your approval, and there is no terminal to ask on"
            return "" if await ask(question_text(work.commits, because)) else "you said no"
        case unreachable:
            assert_never(unreachable)


def question_text(commits: int, because: str = "") -> str:
    """The question whether this many commits may land, with the reason for asking."""
    commits_text = "1 commit" if commits == 1 else f"{commits} commits"
    question = f"Land {commits_text} in your checkout?"
    return f"{question} {because[:1].upper()}{because[1:]}." if because else question


# `treadle diff` shows all of a long summary.
MAX_LINES = 40


def landing_question(
    *,
    commits: int,
    tip: str,
    stat: str,
    patience: timedelta | None = None,
    answerers: tuple[str, ...] = (),
    because: str = "",
) -> ApprovalQuestion:
    """The question about this commit; without an answer in time the work stays on its branch.

    `stat` is the summary by file, from the run's snapshot to that commit.
    """
    return ApprovalQuestion(
        kind="landing",
        text=question_text(commits, because),
        subject=f"{_shorten(stat)}\ncommit {tip}",
        subject_hash=tip,
        patience=patience,
        at_deadline="deny",
        answerers=answerers,
    )


def why_not_landed(outcome: ApprovalOutcome) -> str:
    """Why the work stays on its branch; empty if it may land."""
    match outcome:
        case Answer(verdict="approved") | LapsedQuestion(verdict="approved"):
            return ""
        case Answer(by=by, text=text):
            return f"{by} said no: {text}" if text else f"{by} said no"
        case LapsedQuestion():
            return "nobody approved the landing in time"
        case VoidedQuestion(reason=reason):
            return f"the question whether it may land is void: {reason}"
        case NotAnswered():
            return "the run stopped before anybody approved the landing"
        case _:
            assert_never(outcome)


def _shorten(stat: str) -> str:
    """The first files and the totals, which are the last line."""
    lines = stat.strip("\n").splitlines()
    if len(lines) <= MAX_LINES:
        return "\n".join(lines)
    left_out = len(lines) - MAX_LINES
    return "\n".join([*lines[: MAX_LINES - 1], f" … {left_out} more files", lines[-1]])
