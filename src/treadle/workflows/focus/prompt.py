"""The prompts of a `focus` run: an instruction, then what the session has to know. Pure."""

from dataclasses import dataclass

from treadle.domain.events.focus import CommandFinished
from treadle.domain.events.verification import TouchedFile
from treadle.domain.review import Severity
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.previous_findings import earlier_findings
from treadle.workflows.focus.working_files import finding_lines, log_text, review_text
from treadle.workflows.loop.prompt_fences import in_fence

# Characters of each part that a prompt holds at the most.
MAX_PLAN = 60_000
MAX_LOG = 20_000
MAX_REVIEW = 30_000
MAX_CHECK = 8_000
MAX_DIFF = 60_000
MAX_FOCUS = 8_000
MAX_TOUCHED = 50


@dataclass(frozen=True, slots=True)
class FocusFacts:
    """What every session of the run must know and cannot guess."""

    focus: str
    specs: str
    given_review: str = ""
    check: str = ""
    test: str = ""
    bar: Severity = "major"


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """What changed since the last review: that commit, and the patch up to now."""

    commit: str
    patch: str


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """What a reviewer is to look at: first what judges the work and was changed by it."""

    touched: tuple[TouchedFile, ...] = ()
    # None before the second review.
    since: ChangesSince | None = None


def focus_prompt(
    instruction: str, text: str, facts: FocusFacts, course: FocusHistory, scope: ReviewScope
) -> str:
    """The whole prompt; what others wrote is fenced, so that none of it reads as an instruction."""
    lines = [text.replace("{bar}", facts.bar).rstrip(), "", *_focus(facts), *_project(facts)]
    match instruction:
        case "planning":
            lines += _planning(facts, course)
        case "review":
            lines += [*_plan(course), *_check(course.check), *_reviewing(course, scope)]
        case _:
            lines += [*_plan(course), *_check(course.check)]
    return "\n".join(lines).rstrip() + "\n"


def _focus(facts: FocusFacts) -> list[str]:
    return ["## Focus", "", *fence(facts.focus, MAX_FOCUS)]


def _project(facts: FocusFacts) -> list[str]:
    lines = ["## This project", "", f"- Specifications: `{facts.specs}` (nobody changes them)"]
    if facts.check:
        lines.append(f"- Check command: `{facts.check}`")
    if facts.test:
        lines.append(f"- Test command: `{facts.test}`")
    return [*lines, ""]


def _planning(facts: FocusFacts, course: FocusHistory) -> list[str]:
    review = review_text(course, given_review=facts.given_review)
    if not review:
        return []
    lines = ["## Review that the plan has to satisfy", "", *fence(review, MAX_REVIEW)]
    if course.plan:
        lines += ["## The plan before", "", *fence(course.plan, MAX_PLAN // 2)]
        lines += ["## What was done for it", "", *_log(course)]
    return lines


def _plan(course: FocusHistory) -> list[str]:
    return [
        *("## Plan", ""),
        *fence(course.plan, MAX_PLAN),
        *("## Progress log", ""),
        *_log(course),
    ]


def _log(course: FocusHistory) -> list[str]:
    if not course.entries:
        return ["Nothing yet.", ""]
    return fence(log_text(course.entries), MAX_LOG, keep="end")


def _check(check: CommandFinished | None) -> list[str]:
    if check is None:
        return []
    ended = "ran out of time" if check.exit_code is None else f"ended with {check.exit_code}"
    return [
        *("## What the check command said", ""),
        f"`{check.command}` {ended} on commit `{check.commit[:12]}`:",
        "",
        *fence(check.output, MAX_CHECK, keep="end"),
    ]


def _reviewing(course: FocusHistory, scope: ReviewScope) -> list[str]:
    lines = ["## What to review", ""]
    if course.baseline is None:
        lines.append("The project had no commit before this work: review all of it.")
    else:
        lines.append(
            f"The changes since commit `{course.baseline}`: `git diff {course.baseline}..HEAD`."
        )
    if scope.touched:
        lines += ["", "They change what judges the work. Look at these first:", ""]
        lines += _touched(scope)
    since = scope.since
    if since is None or not course.reviews:
        return lines
    lines += [
        "",
        f"An earlier review saw everything up to commit `{since.commit}`. Look only at whether its",
        "findings are mended, and at what changed since. Findings about anything else do not count",
        "any more, unless a command fails.",
        *("", "### Findings of earlier reviews", ""),
        *fence(_findings(course), MAX_REVIEW),
        "Hand over the numbers of those that are mended as `settled`. What you neither repeat nor",
        "settle counts again while its command fails, and goes to the backlog while its line is",
        *("there.", ""),
        *("### What changed since", ""),
        *fence(since.patch, MAX_DIFF),
    ]
    return lines


def _touched(scope: ReviewScope) -> list[str]:
    """Paths, too, are words of whoever did the work."""
    files = scope.touched[:MAX_TOUCHED]
    lines = [f"{each.change}: {' '.join(each.path.split())} ({each.judge})" for each in files]
    if (more := len(scope.touched) - MAX_TOUCHED) > 0:
        lines.append(f"and {more} more")
    return [in_fence("\n".join(lines))]


def _findings(course: FocusHistory) -> str:
    found = earlier_findings(course.reviews)
    return "\n".join(line for n, each in enumerate(found, 1) for line in finding_lines(n, each))


def fence(text: str, most: int, *, keep: str = "start") -> list[str]:
    """Text of others between fences that it cannot close, cut to `most` characters."""
    shown = truncate(text.strip("\n"), most, keep=keep)
    return [in_fence(shown), ""]


def truncate(text: str, most: int, *, keep: str = "start") -> str:
    """The start or the end of a text, with a line that says how much is left out."""
    if len(text) <= most:
        return text
    left = f"[{len(text) - most} characters are left out here]"
    return f"{text[:most]}\n{left}" if keep == "start" else f"{left}\n{text[-most:]}"
