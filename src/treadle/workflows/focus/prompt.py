"""Writes the prompts of a `focus` run: an instruction, then facts. Pure."""

from dataclasses import dataclass

from treadle.domain.events.focus import CommandFinished
from treadle.domain.events.verification import TouchedFile
from treadle.domain.review import Severity
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.previous_findings import earlier_findings
from treadle.workflows.focus.workflow import LONGEST_WORDS
from treadle.workflows.focus.working_files import finding_lines, log_text, review_text
from treadle.workflows.loop.prompt_fences import in_fence

# The most characters of each part of a prompt.
MAX_PLAN = 60_000
MAX_LOG = 20_000
MAX_REVIEW = 30_000
MAX_CHECK = 8_000
MAX_DIFF = 60_000
MAX_TOUCHED = 50


@dataclass(frozen=True, slots=True)
class FocusFacts:
    """Facts that the prompts of the run contain."""

    focus: str
    specs: str
    given_review: str = ""
    check: str = ""
    test: str = ""
    bar: Severity = "major"


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """The commit of the last review, and the patch since."""

    commit: str
    patch: str


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """What a reviewer must review: changed evidence files first."""

    touched: tuple[TouchedFile, ...] = ()
    # None before the second review.
    since: ChangesSince | None = None


def focus_prompt(
    instruction: str, text: str, facts: FocusFacts, history: FocusHistory, scope: ReviewScope
) -> str:
    """The whole prompt. Untrusted text is fenced, so that none of it reads as an instruction."""
    lines = [text.replace("{bar}", facts.bar).rstrip(), "", *_focus(facts), *_project(facts)]
    match instruction:
        case "planning":
            lines += _planning(facts, history)
        case "review":
            lines += [*_plan(history), *_check(history.check), *reviewing_lines(history, scope)]
        case _:
            lines += [*_plan(history), *_check(history.check)]
    return "\n".join(lines).rstrip() + "\n"


def _focus(facts: FocusFacts) -> list[str]:
    return ["## Focus", "", *fence(facts.focus, LONGEST_WORDS)]


def _project(facts: FocusFacts) -> list[str]:
    specs = (
        f"`{facts.specs}` (do not change them)" if facts.specs else "none; the focus alone counts"
    )
    lines = ["## This project", "", f"- Specifications: {specs}"]
    if facts.check:
        lines.append(f"- Check command: `{facts.check}`")
    if facts.test:
        lines.append(f"- Test command: `{facts.test}`")
    return [*lines, ""]


def _planning(facts: FocusFacts, history: FocusHistory) -> list[str]:
    review = review_text(history, given_review=facts.given_review)
    if not review:
        return []
    lines = ["## Review that the plan has to satisfy", "", *fence(review, MAX_REVIEW)]
    if history.plan:
        lines += ["## The plan before", "", *fence(history.plan, MAX_PLAN // 2)]
        lines += ["## What was done for it", "", *_log(history)]
    return lines


def _plan(history: FocusHistory) -> list[str]:
    return [
        *("## Plan", ""),
        *fence(history.plan, MAX_PLAN),
        *("## Progress log", ""),
        *_log(history),
    ]


def _log(history: FocusHistory) -> list[str]:
    if not history.entries:
        return ["Nothing yet.", ""]
    return fence(log_text(history.entries), MAX_LOG, keep="end")


def _check(check: CommandFinished | None) -> list[str]:
    if check is None:
        return []
    ending = "ran out of time" if check.exit_code is None else f"ended with {check.exit_code}"
    return [
        *("## What the check command said", ""),
        f"`{check.command}` {ending} on commit `{check.commit[:12]}`:",
        "",
        *fence(check.output, MAX_CHECK, keep="end"),
    ]


def reviewing_lines(history: FocusHistory, scope: ReviewScope) -> list[str]:
    """The part of a reviewer's prompt that says what to review."""
    lines = ["## What to review", ""]
    if history.baseline is None:
        lines.append("The project had no commit before this work: review all of it.")
    else:
        lines.append(
            f"The changes since commit `{history.baseline}`: `git diff {history.baseline}..HEAD`."
        )
    if scope.touched:
        lines += ["", "They change tests, checks or their settings. Look at these first:", ""]
        lines += _touched(scope)
    since = scope.since
    if since is None or not history.reviews:
        return lines
    lines += [
        "",
        f"An earlier review saw everything up to commit `{since.commit}`. Look only at whether its",
        "findings are fixed, and at what changed since. Findings about anything else do not count",
        "any more, unless a command fails.",
        *("", "### Findings of earlier reviews", ""),
        *fence(_findings(history), MAX_REVIEW),
        "Hand over the numbers of those that are fixed as `settled`. What you neither repeat nor",
        "settle counts again while its command fails, and goes to the backlog while its line is",
        *("there.", ""),
        *("### What changed since", ""),
        *fence(since.patch, MAX_DIFF),
    ]
    return lines


def _touched(scope: ReviewScope) -> list[str]:
    """Fenced, because an agent chose the paths."""
    files = scope.touched[:MAX_TOUCHED]
    lines = [f"{each.change}: {' '.join(each.path.split())} ({each.judge})" for each in files]
    if (more := len(scope.touched) - MAX_TOUCHED) > 0:
        lines.append(f"and {more} more")
    return [in_fence("\n".join(lines))]


def _findings(history: FocusHistory) -> str:
    findings = earlier_findings(history.reviews)
    return "\n".join(line for n, each in enumerate(findings, 1) for line in finding_lines(n, each))


def fence(text: str, max_length: int, *, keep: str = "start") -> list[str]:
    """Untrusted text between fences that it cannot close, cut to `max_length` characters."""
    part = truncate(text.strip("\n"), max_length, keep=keep)
    return [in_fence(part), ""]


def truncate(text: str, max_length: int, *, keep: str = "start") -> str:
    """The start or the end of a text, with a note about what is left out."""
    if len(text) <= max_length:
        return text
    note = f"[{len(text) - max_length} characters are left out here]"
    return f"{text[:max_length]}\n{note}" if keep == "start" else f"{note}\n{text[-max_length:]}"
