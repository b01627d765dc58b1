"""A queue with one of each of its events, the findings of an audit, and a planning session."""

from dataclasses import replace
from datetime import timedelta

from tests.unit.cli.sample_runs import START, STARTED, ended, recorded, session_ended
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.audit import FindingDropped, FindingSaved
from treadle.domain.events.plan import NoteApplied, NoteSubmitted
from treadle.domain.events.queue import (
    ItemEnded,
    ItemKept,
    ItemRemoved,
    ItemSkipped,
    ItemStarted,
    WaitEnded,
    WaitStarted,
)
from treadle.domain.events.run import RoundStarted, RunEnded
from treadle.domain.events.session import PromiseRefused, SessionStarted
from treadle.domain.ids import RunId, SessionId
from treadle.domain.run import RunResult
from treadle.domain.session import Completed
from treadle.domain.usage import Usage

GREET, PART = RunId("run-11111111"), RunId("run-22222222")


def queue() -> list[RecordedEvent]:
    """Two items, one of which fails; then an audit hands a finding over."""
    return recorded(
        [
            replace(STARTED, workflow="watch"),
            WaitStarted("quiet", "files have just been changed", START + timedelta(seconds=30)),
            WaitEnded(),
            ItemStarted("010-greet.md", "1", GREET, "focus", "Greet people"),
            ItemEnded("010-greet.md", "1", GREET, "approved", "", 0.5, 3, 60.0, "9fceb02d"),
            ItemRemoved("010-greet.md"),
            ItemStarted("020-part.md", "1", PART, "focus", "Say goodbye", after=GREET),
            ItemEnded("020-part.md", "1", PART, "stuck", "it got nowhere", 1.25, 6, 120.0, ""),
            ItemKept(
                "020-part.md",
                "1",
                "stuck: it got nowhere",
                ".treadle/backlog/020-part.failed.txt",
            ),
            FindingSaved("The greeting is not polite", ".treadle/discuss/the-greeting.md"),
            FindingDropped("Nobody likes this", "dismissed"),
            PromiseRefused("a check fails"),
            ItemSkipped("0003-count", "0001-add failed"),
            WaitStarted("items_left", "not done: 020-part.md", needs_person=True),
            RunEnded(RunResult("items_left", 2, Tally(), 0.0, Usage(), 60.0, "not done")),
        ]
    )


def plan() -> list[RecordedEvent]:
    """A session in the person's terminal that submits a note of each kind."""
    issue = ".treadle/spec-issues/export-format.md"
    return recorded(
        [
            replace(STARTED, workflow="plan"),
            RoundStarted(1, "manage"),
            SessionStarted(SessionId("s-1"), "manager", "opus", in_terminal=True),
            NoteSubmitted("add_item", "010-export-csv", "Export transactions as CSV."),
            NoteSubmitted("resolve_issue", "export-format", "CSV, as RFC 4180 has it."),
            NoteSubmitted("remember", "Amounts are in cents.", "agreed"),
            session_ended(Completed("")),
            NoteApplied("add_item", "010-export-csv", ".treadle/backlog/010-export-csv.md"),
            NoteApplied("resolve_issue", "export-format", issue),
            NoteApplied("remember", "Amounts are in cents.", ".treadle/memory.md"),
            ended("planned", Tally(), rounds=1),
        ]
    )
