"""May the work land? The question in words, and what an answer means for the landing."""

from datetime import timedelta
from typing import assert_never

from treadle.domain.approval import Answer, Lapsed, Question, Voided
from treadle.workflows.approvals import Outcome, Unanswered

# A summary by file of a big change is long; whoever wants all of it has `treadle diff`.
MOST_LINES = 40


def landing_question(
    *,
    commits: int,
    tip: str,
    stat: str,
    patience: timedelta | None = None,
    answerers: tuple[str, ...] = (),
) -> Question:
    """Bound to the commit that would land; without an answer in time the work stays on its branch.

    `stat` is the summary by file, from what the user saw to that commit.
    """
    counted = "1 commit" if commits == 1 else f"{commits} commits"
    return Question(
        kind="landing",
        text=f"Land {counted} in your checkout?",
        subject=f"{_shortened(stat)}\ncommit {tip}",
        subject_hash=tip,
        patience=patience,
        at_deadline="deny",
        answerers=answerers,
    )


def why_not_landed(outcome: Outcome) -> str:
    """Why the work stays on its branch; empty when it may land."""
    match outcome:
        case Answer(verdict="approved") | Lapsed(verdict="approved"):
            return ""
        case Answer(by=by, text=text):
            return f"{by} said no: {text}" if text else f"{by} said no"
        case Lapsed():
            return "nobody said in time that it may land"
        case Voided(reason=reason):
            return f"the question whether it may land is void: {reason}"
        case Unanswered():
            return "the run stopped before anybody said that it may land"
        case _:
            assert_never(outcome)


def _shortened(stat: str) -> str:
    """Files from the top and the totals, which are the last line."""
    lines = stat.strip("\n").splitlines()
    if len(lines) <= MOST_LINES:
        return "\n".join(lines)
    left_out = len(lines) - MOST_LINES
    return "\n".join([*lines[: MOST_LINES - 1], f" … {left_out} more files", lines[-1]])
