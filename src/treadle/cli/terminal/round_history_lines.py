"""The rounds in `treadle show`: refused claims, plans and reviews."""

from collections.abc import Sequence

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.domain.events.verification import ClaimRefused
from treadle.views.round_text import round_outcome_text
from treadle.views.run_details import RoundEntry
from treadle.views.safe_text import fit
from treadle.views.verification_text import why_refused

LISTED_MOST = 20


def refusal_lines(entries: Sequence[RoundEntry], options: RenderOptions) -> list[Line]:
    """One line for each refused claim with its reason; only the last ones, if there are many."""
    found = [
        (each.round_number, e) for each in entries if isinstance(e := each.event, ClaimRefused)
    ]
    rows: list[list[Span]] = [
        [
            (f"round {number}", "plain"),
            (event.id, "plain"),
            (fit(event.description, options.width // 3), "plain"),
            (why_refused(event), "bad"),
        ]
        for number, event in found[-LISTED_MOST:]
    ]
    return [*_hidden_line(len(found)), *align_columns(rows, indent="  ")] if rows else []


def review_lines(entries: Sequence[RoundEntry], options: RenderOptions) -> list[Line]:
    """What each round of a focus run planned, and the verdict of its review."""
    found = [each for each in entries if not isinstance(each.event, ClaimRefused)]
    lines: list[Line] = []
    for each in found[-LISTED_MOST:]:
        text, style = round_outcome_text(each.event)
        number = f"round {each.round_number}: "
        lines += paragraph(f"{number}{text}", style=style, options=options, most=2)
    return [*_hidden_line(len(found)), *lines]


def _hidden_line(total: int) -> list[Line]:
    hidden = total - LISTED_MOST
    return [((f"  {hidden} earlier ones are in the log", "quiet"),)] if hidden > 0 else []
