"""What an `audit` run does next, and which of its findings are new. Pure."""

import re
from collections.abc import Iterable

from treadle.domain.finding import DropReason, KnownFindings
from treadle.domain.session import Completed
from treadle.workflows.loop.limit_checks import limit_reached, must_stop, needed_wait
from treadle.workflows.loop.next_action import DecisionRules, NextAction, RunSession, StopRun
from treadle.workflows.loop.run_progress import RunProgress

# More would not come to an end, either.
MAX_SESSIONS = 3

# Of the words of two titles: above this share they name the same matter.
SAME_SHARE = 0.75
# Too common to tell two titles apart.
_FILLERS = frozenset({"a", "an", "and", "are", "but", "in", "is", "it", "not", "of", "the", "to"})


def decide_next(progress: RunProgress, rules: DecisionRules, findings: int) -> NextAction:
    """One session, unless that failed.

    Ends as interrupted or cancelled, authentication, sandbox_error, unguarded_tool, quota_exceeded
    (unless waiting), audited, or by a limit.
    """
    if stop := must_stop(progress, rules):
        return stop
    if isinstance(progress.last, Completed):
        noun = "finding" if findings == 1 else "findings"
        found = (
            f"{findings} new {noun} in .treadle/discuss" if findings else "nothing new was found"
        )
        return StopRun("audited", found)
    if stop := limit_reached(progress, rules.limits):
        return stop
    if wait := needed_wait(progress):
        return wait
    sessions = sum(facts.ended != "kept_out" for facts in progress.history[1:])
    if sessions >= MAX_SESSIONS:
        return StopRun("max_iterations", f"{MAX_SESSIONS} sessions did not finish")
    return RunSession("audit")


def why_dropped(title: str, known: KnownFindings) -> DropReason | None:
    """Why a finding with this title is not saved; None if it is new."""
    if any(_is_same(title, line) for line in dismissed_titles(known.memory)):
        return "dismissed"
    return "exists" if any(_is_same(title, each) for each in known.titles) else None


def dismissed_titles(memory: str) -> Iterable[str]:
    """The lines of the memory, without the marks and the reasons of a list."""
    for line in memory.splitlines():
        text = re.sub(r"^\s*(?:[-*+]|\d+\.)\s*(?:\[.\]\s*)?", "", line)
        text = re.sub(r"^dismissed:\s*", "", text, flags=re.IGNORECASE)
        if text.strip() and not text.startswith("#"):
            yield re.sub(r"\s*\(because: .*\)\s*$", "", text)


def slug(title: str) -> str:
    """The name of the file of a finding."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:60].strip("-") or "finding"


def _is_same(one: str, other: str) -> bool:
    first, second = _words(one), _words(other)
    if not first or not second:
        return one.strip().lower() == other.strip().lower()
    return len(first & second) / len(first | second) > SAME_SHARE


def _words(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", title.lower())) - _FILLERS
