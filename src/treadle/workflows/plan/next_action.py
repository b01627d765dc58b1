"""What a `plan` run does next, and which notes it still has to apply. Pure."""

import re
from collections.abc import Iterable

from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.plan import NoteAction, NoteApplied, NoteSubmitted
from treadle.domain.session import Completed, Crashed
from treadle.workflows.loop.limit_checks import limit_reached, must_stop
from treadle.workflows.loop.next_action import DecisionRules, NextAction, RunSession, StopRun
from treadle.workflows.loop.run_progress import RunProgress, failure_message

LONGEST_NAME = 80


def decide_next(progress: RunProgress, rules: DecisionRules) -> NextAction:
    """One session: the person ends it, and starts another one if there is more to say.

    Ends as interrupted or cancelled, authentication, sandbox_error, quota_exceeded, planned, error,
    or by a limit.
    """
    if stop := must_stop(progress, rules):
        return stop
    match progress.last:
        case None:
            return limit_reached(progress, rules.limits) or RunSession("manage")
        case Completed():
            return StopRun("planned")
        case Crashed(message=message):
            return StopRun("error", message)
        case outcome:
            stop = limit_reached(progress, rules.limits)
            return stop or StopRun("error", failure_message(outcome) or "the session failed")


def open_notes(log: Iterable[RecordedEvent]) -> tuple[NoteSubmitted, ...]:
    """What was handed over, not taken back, and not applied yet, in the order of the first words
    about each."""
    notes: dict[tuple[NoteAction, str], NoteSubmitted] = {}
    for recorded in log:
        match recorded.event:
            case NoteSubmitted() as note if note.text:
                notes[note.action, note.name] = note
            case NoteSubmitted(action=action, name=name) | NoteApplied(action=action, name=name):
                notes.pop((action, name), None)
            case _:
                pass
    return tuple(notes.values())


def file_name(name: str) -> str:
    """The name of a file, without its ending, from what an agent calls it; empty: it has none."""
    words = re.findall(r"[A-Za-z0-9]+", name.removesuffix(".md"))
    return "-".join(words).lower()[:LONGEST_NAME].strip("-")
