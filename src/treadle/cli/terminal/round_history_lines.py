"""The rounds in `treadle show`: refused claims, plans and reviews."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.domain.events.focus import PlanWritten, ReviewJudged
from treadle.domain.events.verification import ClaimRefused
from treadle.views.figures import pluralize
from treadle.views.safe_text import fit
from treadle.views.verification_text import why_refused

LISTED_MOST = 20


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """Something that a round came to."""

    round_number: int
    event: ClaimRefused | PlanWritten | ReviewJudged


def refusal_lines(said: Sequence[RoundEntry], view: RenderOptions) -> list[Line]:
    """A line per claim that was not taken, with the reason; the last ones, if there are many."""
    told = [(each.round_number, e) for each in said if isinstance(e := each.event, ClaimRefused)]
    rows: list[list[Span]] = [
        [
            (f"round {number}", "plain"),
            (event.id, "plain"),
            (fit(event.description, view.width // 3), "plain"),
            (why_refused(event), "bad"),
        ]
        for number, event in told[-LISTED_MOST:]
    ]
    return [*_hidden_line(len(told)), *align_columns(rows, indent="  ")] if rows else []


def review_lines(said: Sequence[RoundEntry], view: RenderOptions) -> list[Line]:
    """What each round of a focus run planned, and how it was judged."""
    told = [each for each in said if not isinstance(each.event, ClaimRefused)]
    lines: list[Line] = []
    for each in told[-LISTED_MOST:]:
        text, style = _event_text(each.event)
        number = f"round {each.round_number}: "
        lines += paragraph(f"{number}{text}", style=style, view=view, most=2)
    return [*_hidden_line(len(told)), *lines]


def _event_text(event: ClaimRefused | PlanWritten | ReviewJudged) -> tuple[str, Style]:
    match event:
        case PlanWritten():
            return f"plan of {pluralize(len(event.text.splitlines()), 'line')}", "plain"
        case ReviewJudged():
            return _review_text(event)
        case ClaimRefused():
            return why_refused(event), "bad"


def _review_text(event: ReviewJudged) -> tuple[str, Style]:
    approved = event.verdict == "approved"
    verdict = "review approved" if approved else "review requested changes"
    findings = pluralize(len(event.findings), "finding")
    dropped = f", {len(event.dropped)} dropped" if event.dropped else ""
    first = event.reason.strip().partition("\n")[0].removeprefix("- ")
    reason = f": {first}" if first else ""
    return f"{verdict} ({findings}{dropped}){reason}", "good" if approved else "warning"


def _hidden_line(total: int) -> list[Line]:
    hidden = total - LISTED_MOST
    return [((f"  {hidden} earlier ones are in the log", "quiet"),)] if hidden > 0 else []
