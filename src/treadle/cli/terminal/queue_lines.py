"""Lines for a queue: its items, and what it waits for."""

from datetime import datetime
from typing import TypeAlias, assert_never

from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity
from treadle.domain.events.audit import FindingDropped, FindingSaved
from treadle.domain.events.plan import NoteAction, NoteApplied, NoteSubmitted
from treadle.domain.events.queue import (
    ItemEnded,
    ItemKept,
    ItemRemoved,
    ItemSkipped,
    ItemStarted,
    QueueEvent,
    WaitEnded,
    WaitStarted,
)
from treadle.domain.exit_reasons import DONE, exit_code
from treadle.domain.ids import short_id
from treadle.views.duration import clock_time
from treadle.views.figures import money
from treadle.views.safe_text import sanitize

FindingEvent: TypeAlias = FindingSaved | FindingDropped
NoteEvent: TypeAlias = NoteSubmitted | NoteApplied

# What was done with a file, by what was handed over.
APPLIED: dict[NoteAction, str] = {
    "add_item": "backlog item added",
    "resolve_issue": "settled and closed",
    "dismiss_finding": "dismissed",
    "remember": "remembered",
}


def queue_lines(event: QueueEvent, at: datetime, options: RenderOptions) -> list[Line]:
    """What needs a person at every level; the rest from the normal level on."""
    match event:
        case WaitStarted():
            return _wait_lines(event, at, options)
        case ItemKept():
            path = f" (see {event.path})" if event.path else ""
            return marked_lines("!", f"{event.item} stays: {event.reason}{path}", options)
        case ItemSkipped():
            return marked_lines("!", f"{event.item} is skipped: {event.reason}", options)
        case ItemStarted():
            title = f": {sanitize(event.title)}" if event.title else ""
            run = f" · run {short_id(event.run)}"
            line: Line = (("Item ", "phase"), (f"{event.item}{title}", "strong"), (run, "quiet"))
            return [line] if options.level >= Verbosity.NORMAL else []
        case ItemEnded():
            good = exit_code(event.reason) == DONE
            reason = event.reason.replace("_", " ")
            text = f"Item {event.item} ended: {reason} · {money(event.cost_usd)}"
            return [((text, "good" if good else "warning"),)]
        case ItemRemoved():
            text = f"  removed from the backlog: {event.item}"
            return [((text, "quiet"),)] if options.level >= Verbosity.NORMAL else []
        case WaitEnded():
            return []
        case _:
            assert_never(event)


def finding_lines(event: FindingEvent, options: RenderOptions) -> list[Line]:
    """Findings at every level, those that are known from the verbose level on."""
    match event:
        case FindingSaved():
            return marked_lines("!", f"to discuss: {event.title} ({event.path})", options)
        case FindingDropped():
            text = f"  not new ({event.reason}): {sanitize(event.title)}"
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case _:
            assert_never(event)


def note_lines(event: NoteEvent, options: RenderOptions) -> list[Line]:
    """What a planning session has changed in `.treadle`."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case NoteSubmitted():
            text = f"  {event.action.replace('_', ' ')}: {sanitize(event.name)}"
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case NoteApplied():
            text = f"  {APPLIED[event.action]}: {sanitize(event.path or event.name)}"
            return [((text, "plain"),)]
        case _:
            assert_never(event)


def _wait_lines(event: WaitStarted, at: datetime, options: RenderOptions) -> list[Line]:
    if event.needs_person:
        return marked_lines("!", f"Waiting for you: {event.text}", options)
    if options.level < Verbosity.NORMAL:
        return []
    until = (
        ""
        if event.until is None
        else f" (until {clock_time(event.until, now=at, zone=options.zone)})"
    )
    return [((f"Waiting: {event.text}{until}", "quiet"),)]
