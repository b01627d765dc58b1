"""The end of a run whose work left the machine: title, link, change and tests, what it took. Pure.

Every surface that says "done" draws these lines: the summary, `show`, and notices.
"""

from dataclasses import dataclass

from treadle.domain.effort import score_text, work_effort
from treadle.domain.run import RunResult
from treadle.views.figures import money, pluralize
from treadle.views.log_state import LogState
from treadle.views.safe_text import sanitize
from treadle.views.style import Style
from treadle.views.verification_text import suite_verdict


def change_line(state: LogState) -> str:
    """`5 files · +120 −45 · tests passing`."""
    parts = []
    if (changes := state.changes) is not None:
        parts.append(pluralize(changes.added + changes.changed + changes.deleted, "file"))
        parts.append(f"+{changes.lines_added} −{changes.lines_deleted}")
    return " · ".join([*parts, _tests(state)])


def _tests(state: LogState) -> str:
    suite = state.verified.suite
    if suite is None:
        return "no tests"
    verdict, style = suite_verdict(suite, accepted_by=state.verified.accepted_by)
    return "tests passing" if style == "good" else f"tests: {verdict}"


def usage_line(result: RunResult, state: LogState) -> str:
    """`$3.20 · 12 turns · 8 minutes`."""
    minutes = max(1, round(result.duration_s / 60))
    turns = pluralize(state.spent.turns, "turn")
    return f"{money(result.cost_usd)} · {turns} · {pluralize(minutes, 'minute')}"


@dataclass(frozen=True, slots=True)
class PublishedWork:
    """What left the machine: as what, under which title, and where it is."""

    label: str
    title: str
    place: str
    style: Style


def published_work(state: LogState) -> PublishedWork | None:
    """None if the work is here."""
    request, pushed, plan = state.published.pull_request, state.published.pushed, state.spent.plan
    if state.kept is not None or state.landed is not None:
        return None
    if request is not None:
        kind = "draft, not proven enough" if request.draft else "ready"
        style: Style = "warning" if request.draft else "good"
        title = f"{kind}: {sanitize(request.title)}"
        return PublishedWork("pull request", title, sanitize(request.url), style)
    if pushed is not None:
        title = f"to {pushed.remote}" + ("" if plan is None else f": {sanitize(plan.title)}")
        return PublishedWork("pushed", title, f"branch {pushed.branch}", "good")
    return None


def estimate_score(result: RunResult, state: LogState) -> str:
    """The plan's estimate against what the work took; empty if nothing can be compared."""
    estimate, took = state.spent.estimate, work_effort(state.spent, result)
    return score_text(estimate, took) if estimate and took else ""
