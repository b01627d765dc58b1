"""What `treadle show` tells round by round: claims that were refused, and plans and reviews."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.cli.terminal.figures import counted
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.table import aligned
from treadle.cli.terminal.text import fit
from treadle.cli.terminal.verification_words import why_refused
from treadle.cli.terminal.view import Line, Span, View, paragraph
from treadle.domain.events.focus import PlanWritten, ReviewJudged
from treadle.domain.events.verification import ClaimRefused

LISTED_MOST = 20


@dataclass(frozen=True, slots=True)
class RoundSaid:
    """Something that a round came to."""

    round_number: int
    event: ClaimRefused | PlanWritten | ReviewJudged


def refusal_lines(said: Sequence[RoundSaid], view: View) -> list[Line]:
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
    return [*_earlier(len(told)), *aligned(rows, indent="  ")] if rows else []


def review_lines(said: Sequence[RoundSaid], view: View) -> list[Line]:
    """What each round of a focus run planned, and how it was judged."""
    told = [each for each in said if not isinstance(each.event, ClaimRefused)]
    lines: list[Line] = []
    for each in told[-LISTED_MOST:]:
        text, style = _words(each.event)
        number = f"round {each.round_number}: "
        lines += paragraph(f"{number}{text}", style=style, view=view, most=2)
    return [*_earlier(len(told)), *lines]


def _words(event: ClaimRefused | PlanWritten | ReviewJudged) -> tuple[str, Style]:
    match event:
        case PlanWritten():
            return f"plan of {counted(len(event.text.splitlines()), 'line')}", "plain"
        case ReviewJudged():
            return _review(event)
        case ClaimRefused():
            return why_refused(event), "bad"


def _review(event: ReviewJudged) -> tuple[str, Style]:
    approved = event.verdict == "approved"
    verdict = "review approved" if approved else "review requested changes"
    findings = counted(len(event.findings), "finding")
    dropped = f", {len(event.dropped)} dropped" if event.dropped else ""
    first = event.reason.strip().partition("\n")[0].removeprefix("- ")
    reason = f": {first}" if first else ""
    return f"{verdict} ({findings}{dropped}){reason}", "good" if approved else "warning"


def _earlier(total: int) -> list[Line]:
    hidden = total - LISTED_MOST
    return [((f"  {hidden} earlier ones are in the log", "quiet"),)] if hidden > 0 else []
